// Draws the chart, and moves what is seen of it. Cards near the view are elements; lines, and cards that are too small to be
// read, are painted on a canvas. What is far from the view is not drawn.

import { cardOf, fill, showPhoto } from "./chart-card.js";
import { card, within } from "./chart-layout.js";
import { make } from "./dom.js";

/** The smallest scale at which cards are elements. */
const legible = 0.36;
const scales = { least: 0.004, most: 2.5 };
/** How many cards are made in a frame. The others follow in the next ones. */
const perFrame = 8;
/** How many pixels beyond the view cards are made. */
const margin = 120;
const isStill = () => matchMedia("(prefers-reduced-motion: reduce)").matches;

export class Stage {
  #canvas = make("canvas", { "aria-hidden": "true" });
  #plane;
  #pen = this.#canvas.getContext("2d");
  #root = null;
  #look = { self: null, colour: (_person) => undefined };
  /** @type {((isStart: boolean) => void) | null} */
  whenSized = null;
  /** @type {((id: string) => void) | null} */
  whenActive = null;
  /** @type {Map<string, {node: HTMLElement, block: any, generation: number}>} */
  #cards = new Map();
  #blocks = new Map();
  #generation = 0;
  #frame = 0;
  #flight = 0;
  #rest = 0;
  #colours = {};
  #room = { width: 0, height: 0 };
  /** Whether somebody has moved the chart since it was put where it begins. */
  isMoved = false;
  /** The person whose card the keyboard is on. */
  active = null;
  /** Where the chart stands: a point of the plane is shown at `x + k * point`. */
  camera = { x: 0, y: 0, k: 1 };

  /** @param whenStill gets the people whose cards are seen, when nothing has moved for a moment */
  constructor(label, whenStill) {
    this.#plane = make("div", { class: "plane", role: "tree", "aria-label": label, "aria-describedby": "chart-help" });
    this.node = make("div", { class: "stage" }, this.#canvas, this.#plane);
    this.whenStill = whenStill;
    this.observer = new ResizeObserver(() => this.#resize());
    this.observer.observe(this.node);
    this.#plane.addEventListener("focusin", (event) => this.activate(event.target.closest(".node")?.dataset.id));
  }

  get room() { return this.#room; }
  get root() { return this.#root; }
  /** Letters may be larger than usual, and so is the chart. */
  get unit() { return parseFloat(getComputedStyle(document.documentElement).fontSize) / 16; }
  /** Whether the cards are too small to be read. */
  get isFar() { return this.camera.k < legible; }

  /** The card that is painted at a point of the window; undefined where there is none. */
  blockAt(x, y) {
    const box = this.node.getBoundingClientRect();
    const [left, top] = [(x - box.left - this.camera.x) / this.camera.k, (y - box.top - this.camera.y) / this.camera.k];
    let found;
    within(this.#root, { left, top, right: left, bottom: top }, (block) => {
      const isHit = block.person && left >= block.x && left <= block.x + card.width && top >= block.y && top <= block.y + card.height;
      if (isHit) found = block;
      return !found;
    });
    return found;
  }

  blockOf(id) { return this.#blocks.get(id); }

  #resize() {
    const { clientWidth: width, clientHeight: height } = this.node;
    if (!width) return;
    const isOther = width !== this.#room.width || height !== this.#room.height;
    this.#room = { width, height };
    this.ratio = Math.min(devicePixelRatio || 1, 2);
    [this.#canvas.width, this.#canvas.height] = [width * this.ratio, height * this.ratio];
    this.readColours();
    if (isOther) this.whenSized?.(!this.isMoved);
    this.paint();
  }

  /** Draws the first picture at once. */
  measure() {
    // The chart fills the window.
    const above = this.node.parentNode.getBoundingClientRect().top + scrollY;
    this.node.parentNode.style.setProperty("--above", `calc(${Math.round(above)}px + 3rem)`);
    this.#resize();
    cancelAnimationFrame(this.#frame);
    this.#draw();
  }

  /** Ends what is under way when another view takes the place. */
  end() {
    this.stop();
    clearTimeout(this.#rest);
    this.observer.disconnect();
  }

  readColours() {
    const style = getComputedStyle(this.node);
    for (const name of ["edge", "mark", "accent", "ink", "card", "far"]) this.#colours[name] = style.getPropertyValue(`--${name}`).trim();
    this.#colours.font = style.fontFamily;
  }

  /** Shows a chart that is laid out. */
  show(root, look) {
    this.#root = root;
    this.#look = look;
    this.#generation += 1;
    this.#blocks.clear();
    const add = (block) => {
      if (block.person) this.#blocks.set(block.person.id, block);
      block.children.forEach(add);
    };
    add(root);
    for (const [id, { node }] of this.#cards) {
      if (this.#blocks.has(id)) continue;
      node.remove();
      this.#cards.delete(id);
    }
    if (!this.#blocks.has(this.active)) this.active = root.person?.id ?? root.children[0]?.person.id ?? null;
    this.paint();
  }

  /** Shows what was learned about people meanwhile. */
  touch() {
    this.#generation += 1;
    this.paint();
  }

  paint() {
    if (!this.#frame) this.#frame = requestAnimationFrame(() => this.#draw());
  }

  #draw() {
    this.#frame = 0;
    if (!this.#root || !this.#room.width || !this.node.isConnected) return;
    const { x, y, k } = this.camera;
    const { width, height } = this.#room;
    const isLegible = !this.isFar;
    const edge = margin / k;
    const part = { left: -x / k, top: -y / k, right: (width - x) / k, bottom: (height - y) / k };
    const near = { left: part.left - edge, top: part.top - edge, right: part.right + edge, bottom: part.bottom + edge };
    const seen = [];
    const lines = [];
    const fills = new Map();
    const put = (person, left, top, wide, high) => {
      const colour = (person && this.#look.colour(person)) ?? this.#colours.far;
      if (!fills.has(colour)) fills.set(colour, []);
      fills.get(colour).push(left, top, wide, high);
    };
    const labels = [];
    const isCard = (block) => block.x <= near.right && block.y <= near.bottom && block.x + card.width >= near.left && block.y + card.height >= near.top;
    within(this.#root, near, (block) => {
      if (!isLegible && block.person) {
        const isSpeck = card.width * k < 8 && block.children.length > 0 && block.children.length === block.people - 1;
        if (isSpeck || block.width * k < 3) {
          put(block.person, block.left, block.top, block.width, block.height);
          return false;
        }
        if (block.children.length && block.width * k >= 110) labels.push(block);
        put(block.person, block.x, block.y, card.width, card.height);
      } else if (block.person && isCard(block)) seen.push(block);
      if (block.lines.length) lines.push(block.lines);
      return true;
    });
    this.#plane.style.transform = `translate(${x}px, ${y}px) scale(${k})`;
    this.#plane.classList.toggle("far", !isLegible);
    const isWhole = this.#sync(seen);
    this.#paintCanvas(lines, fills, labels, seen);
    if (!isWhole) return this.paint();
    clearTimeout(this.#rest);
    this.#rest = setTimeout(() => this.#settle(seen), 220);
  }

  /** Makes the elements of the cards that are seen, and drops the others. Returns whether all are there. */
  #sync(seen) {
    const active = this.#blocks.get(this.active);
    const wanted = active && !seen.includes(active) ? [active, ...seen] : seen;
    const ids = new Set(wanted.map((block) => block.person.id));
    for (const [id, { node }] of this.#cards) {
      if (ids.has(id)) continue;
      node.remove();
      this.#cards.delete(id);
    }
    let left = perFrame;
    let previous = null;
    for (const block of wanted) {
      const { id } = block.person;
      let known = this.#cards.get(id);
      if (!known) {
        if (left === 0 && block !== active) continue;
        left = Math.max(0, left - 1);
        known = { node: cardOf(block), block, generation: -1 };
        if (id === this.active) known.node.tabIndex = 0;
        if (previous) previous.after(known.node);
        else this.#plane.prepend(known.node);
        this.#cards.set(id, known);
      }
      if (known.generation !== this.#generation) {
        fill(known.node, block, this.#look);
        known.generation = this.#generation;
      }
      previous = known.node;
    }
    return this.#cards.size === wanted.length;
  }

  #paintCanvas(lines, fills, labels, seen) {
    const pen = this.#pen;
    const { x, y, k } = this.camera;
    const { ratio } = this;
    pen.setTransform(1, 0, 0, 1, 0, 0);
    pen.clearRect(0, 0, this.#canvas.width, this.#canvas.height);
    pen.setTransform(k * ratio, 0, 0, k * ratio, x * ratio, y * ratio);
    pen.beginPath();
    for (const line of lines) {
      for (let at = 0; at < line.length; at += 4) {
        pen.moveTo(line[at], line[at + 1]);
        pen.lineTo(line[at + 2], line[at + 3]);
      }
    }
    pen.strokeStyle = this.#colours.edge;
    pen.lineWidth = Math.max(1.5, 0.7 / k);
    pen.stroke();
    for (const [colour, boxes] of fills) {
      pen.fillStyle = colour;
      for (let at = 0; at < boxes.length; at += 4) pen.fillRect(boxes[at], boxes[at + 1], boxes[at + 2], boxes[at + 3]);
    }
    // A card whose element is not made yet has its place.
    pen.fillStyle = this.#colours.mark;
    for (const block of seen) if (!this.#cards.has(block.person.id)) pen.fillRect(block.x, block.y, card.width, card.height);
    const mark = this.#blocks.get(this.#look.self);
    if (mark && this.isFar) {
      pen.fillStyle = this.#colours.accent;
      const least = Math.max(1, 10 / (card.width * k));
      pen.fillRect(mark.x, mark.y, card.width * least, card.height * least);
    }
    this.#paintLabels(labels);
  }

  /** Names the parts of the chart whose cards cannot be read. */
  #paintLabels(labels) {
    if (!labels.length) return;
    const pen = this.#pen;
    const { x, y, k } = this.camera;
    const size = 12 * this.unit;
    pen.setTransform(this.ratio, 0, 0, this.ratio, 0, 0);
    pen.font = `600 ${size}px ${this.#colours.font}`;
    pen.textAlign = "center";
    pen.textBaseline = "middle";
    const taken = [];
    labels.sort((one, other) => one.depth - other.depth);
    for (const block of labels.slice(0, 80)) {
      const { person } = block;
      const text = person.name.length > 24 ? person.name.slice(0, 23) + "…" : person.name;
      // To measure texts takes longer than to draw them.
      const wide = (person.wide ??= pen.measureText(text).width / size) * size + 10;
      if (wide > block.width * k) continue;
      const [middle, centre] = [x + (block.x + card.width / 2) * k, y + (block.y + card.height / 2) * k];
      const box = [middle - wide / 2, centre - size * 0.8, middle + wide / 2, centre + size * 0.8];
      if (taken.some((other) => box[0] < other[2] && box[2] > other[0] && box[1] < other[3] && box[3] > other[1])) continue;
      taken.push(box);
      pen.fillStyle = this.#colours.card;
      pen.fillRect(box[0], box[1], wide, size * 1.6);
      pen.fillStyle = this.#colours.ink;
      pen.fillText(text, middle, centre);
    }
  }

  #settle(seen) {
    if (!this.node.isConnected) return;
    if (this.camera.k >= 0.5) {
      for (const block of seen) {
        const known = this.#cards.get(block.person.id);
        if (known) showPhoto(known.node, block.person);
      }
    }
    this.whenStill(seen.map((block) => block.person).filter((person) => !person.rest));
  }

  // Moving what is seen

  #clamped({ x, y, k }) {
    const { width, height } = this.#room;
    const kept = 60;
    const root = this.#root;
    return {
      k,
      x: Math.max(kept - (root.left + root.width) * k, Math.min(width - kept - root.left * k, x)),
      y: Math.max(kept - (root.top + root.height) * k, Math.min(height - kept - root.top * k, y)),
    };
  }

  /** Puts the chart somewhere. Returns whether it moved. */
  put(camera) {
    if (!this.#root) return false;
    const old = this.camera;
    this.camera = this.#clamped({ ...camera, k: Math.max(scales.least, Math.min(scales.most, camera.k)) });
    this.paint();
    return old.x !== this.camera.x || old.y !== this.camera.y || old.k !== this.camera.k;
  }

  stop() {
    cancelAnimationFrame(this.#flight);
    this.#flight = 0;
  }

  /** Moves the chart there in a moment, or at once for those who want no motion. */
  fly(to) {
    this.stop();
    this.isMoved = true;
    if (isStill()) return this.put(to);
    const from = this.camera;
    const start = performance.now();
    const { width, height } = this.#room;
    // The point in the middle moves, and the scale changes by a factor.
    const centre = (camera) => [(width / 2 - camera.x) / camera.k, (height / 2 - camera.y) / camera.k];
    const [[ax, ay], [bx, by]] = [centre(from), centre(to)];
    const step = (now) => {
      const time = Math.min(1, Math.max(0, (now - start) / 260));
      const part = time < 0.5 ? 2 * time * time : 1 - 2 * (1 - time) * (1 - time);
      const k = from.k * (to.k / from.k) ** part;
      if (time < 1) this.put({ k, x: width / 2 - (ax + (bx - ax) * part) * k, y: height / 2 - (ay + (by - ay) * part) * k });
      else this.put(to);
      this.#flight = time < 1 ? requestAnimationFrame(step) : 0;
    };
    this.#flight = requestAnimationFrame(step);
    return true;
  }

  pan(across, down) {
    this.isMoved = true;
    return this.put({ ...this.camera, x: this.camera.x + across, y: this.camera.y + down });
  }

  /** Zooms by a factor, around a point of the view or its middle. */
  zoom(factor, at = [this.#room.width / 2, this.#room.height / 2], isFlight = false) {
    const { x, y, k } = this.camera;
    this.isMoved = true;
    const next = Math.max(scales.least, Math.min(scales.most, k * factor));
    const to = { k: next, x: at[0] - (at[0] - x) * (next / k), y: at[1] - (at[1] - y) * (next / k) };
    return isFlight ? this.fly(to) : this.put(to);
  }

  /** Where a part of the plane is seen as a whole. */
  cameraFor({ left, top, width, height }, most = this.unit) {
    const pad = 24;
    const k = Math.min(most, (this.#room.width - 2 * pad) / width, (this.#room.height - 2 * pad) / height);
    return { k, x: (this.#room.width - width * k) / 2 - left * k, y: Math.max(pad, (this.#room.height - height * k) / 2) - top * k };
  }

  fit() {
    this.fly(this.cameraFor(this.#root));
    this.isMoved = false;
  }

  /** Where a card is seen in the upper middle. */
  cameraAt(block, k = this.camera.k) {
    return { k, x: this.#room.width / 2 - (block.x + card.width / 2) * k, y: this.#room.height * 0.3 - (block.y + card.height / 2) * k };
  }

  /** Moves as little as needed for a card to be seen and read. */
  reveal(block) {
    const { x, y, k } = this.camera;
    if (k < 0.5) return this.fly(this.cameraAt(block, 0.8 * this.unit));
    const pad = 36;
    const [left, top, right, bottom] = [x + block.x * k, y + block.y * k, x + (block.x + card.width) * k, y + (block.y + card.height) * k];
    const across = left < pad ? pad - left : right > this.#room.width - pad ? Math.max(this.#room.width - pad - right, pad - left) : 0;
    const down = top < pad ? pad - top : bottom > this.#room.height - pad ? this.#room.height - pad - bottom : 0;
    return across || down ? this.fly({ k, x: x + across, y: y + down }) : false;
  }

  /** Makes a card the one that the keyboard is on. */
  activate(id) {
    if (!id || id === this.active) return;
    const old = this.#cards.get(this.active);
    if (old) old.node.tabIndex = -1;
    this.active = id;
    const known = this.#cards.get(id);
    if (known) known.node.tabIndex = 0;
    this.whenActive?.(id);
  }

  /** Focuses the card of somebody, and makes it seen. */
  focus(id) {
    const block = this.#blocks.get(id);
    if (!block) return;
    this.activate(id);
    this.#sync([...this.#cards.keys()].map((known) => this.#blocks.get(known)).filter(Boolean));
    this.reveal(block);
    this.#cards.get(id)?.node.focus({ preventScroll: true });
  }
}
