// Moves the chart by a pointer, by two fingers and by the wheel.

/** @param stage the chart @param node where the pointer is */
export function follow(stage, node) {
  /** @type {Map<number, {x: number, y: number}>} */
  const pointers = new Map();
  let start = null;
  let isPanning = false;
  const at = (event) => {
    const box = node.getBoundingClientRect();
    return { x: event.clientX - box.left, y: event.clientY - box.top };
  };
  const spread = () => {
    const [one, other] = [...pointers.values()];
    return { distance: Math.hypot(one.x - other.x, one.y - other.y), middle: [(one.x + other.x) / 2, (one.y + other.y) / 2] };
  };
  node.addEventListener("pointerdown", (event) => {
    if (event.button !== 0) return;
    stage.stop();
    pointers.set(event.pointerId, at(event));
    if (pointers.size === 1) {
      start = at(event);
      isPanning = false;
    }
  });
  node.addEventListener("pointermove", (event) => {
    const old = pointers.get(event.pointerId);
    if (!old) return;
    const now = at(event);
    if (pointers.size === 2) {
      const before = spread();
      pointers.set(event.pointerId, now);
      const after = spread();
      stage.pan(after.middle[0] - before.middle[0], after.middle[1] - before.middle[1]);
      if (before.distance > 0) stage.zoom(after.distance / before.distance, after.middle);
      isPanning = true;
      return;
    }
    if (!isPanning) {
      if (Math.hypot(now.x - start.x, now.y - start.y) < 5) return;
      isPanning = true;
      node.setPointerCapture(event.pointerId);
      node.classList.add("panning");
    }
    stage.pan(now.x - old.x, now.y - old.y);
    pointers.set(event.pointerId, now);
  });
  const end = (event) => {
    pointers.delete(event.pointerId);
    if (!pointers.size) node.classList.remove("panning");
  };
  node.addEventListener("pointerup", end);
  node.addEventListener("pointercancel", end);
  // A pointer that leaves the window is not told of its end.
  node.addEventListener("lostpointercapture", end);
  node.addEventListener("click", (event) => {
    if (!isPanning) return;
    isPanning = false;
    event.stopPropagation();
    event.preventDefault();
  }, true);
  node.addEventListener("wheel", (event) => {
    stage.stop();
    const lines = event.deltaMode === 1 ? 24 : 1;
    const { x, y } = at(event);
    // What the chart does not use scrolls the page. Browsers send a pinch as a wheel with Ctrl.
    const isUsed = event.ctrlKey || event.metaKey
      ? stage.zoom(Math.exp(-Math.max(-60, Math.min(60, event.deltaY * lines)) / 120), [x, y]) || true
      : stage.pan(-(event.shiftKey ? event.deltaX || event.deltaY : event.deltaX) * lines, event.shiftKey ? 0 : -event.deltaY * lines);
    if (isUsed) event.preventDefault();
  }, { passive: false });
}
