// Draws the chart of a person: the managers above, the person, the reportees below. Links walk to each of them.

import { label } from "./directory.js";

const box = { width: 208, height: 60, across: 20, down: 36 };
const shown = 50;

function element(name, attributes, ...children) {
  const node = document.createElementNS("http://www.w3.org/2000/svg", name);
  for (const [key, value] of Object.entries(attributes)) node.setAttribute(key, value);
  node.append(...children);
  return node;
}

/** A text that fits into a box; Han and kana take twice the room of Latin letters. */
function cut(text, room) {
  let width = 0;
  let kept = "";
  for (const letter of text) {
    width += letter.codePointAt(0) > 0x2e7f ? 2 : 1;
    if (width > room) return kept.trimEnd() + "…";
    kept += letter;
  }
  return kept;
}

function node(user, x, y, note, isSelf) {
  const name = label(user);
  const spoken = [name, user.title, note].filter(Boolean).join(", ");
  return element("a", { href: `#chart/${user.id}`, "aria-label": spoken, ...(isSelf ? { class: "self", "aria-current": "true" } : {}) },
    element("title", {}, spoken),
    element("rect", { x, y, width: box.width, height: box.height, rx: 10 }),
    element("text", { x: x + 14, y: y + 25 }, cut(name, 22)),
    element("text", { x: x + 14, y: y + 45, class: "soft" }, cut(user.title ?? "", 27)));
}

/**
 * @param chain the managers, nearest first
 * @param reports the reportees to show, `total` how many there are
 * @param room how many pixels wide the place for it is
 */
export function draw(user, chain, reports, total, room) {
  const columns = Math.max(1, Math.min(5, reports.length || 1, Math.floor((room + box.across) / (box.width + box.across))));
  const below = reports.slice(0, shown);
  const width = columns * (box.width + box.across) - box.across;
  const middle = (width - box.width) / 2;
  const lines = [];
  const nodes = [];
  let y = 2;
  for (const above of [...chain].reverse()) {
    nodes.push(node(above, middle, y));
    lines.push(element("path", { d: `M${width / 2} ${y + box.height}v${box.down}` }));
    y += box.height + box.down;
  }
  nodes.push(node(user, middle, y, total === 1 ? "1 report" : `${total} reports`, true));
  const from = y + box.height;
  y = from + box.down;
  below.forEach((report, index) => {
    const column = index % columns;
    if (column === 0 && index > 0) y += box.height + box.across;
    // The last row stands in the middle as well.
    const inRow = Math.min(columns, below.length - (index - column));
    const start = (width - (inRow * (box.width + box.across) - box.across)) / 2;
    const x = start + column * (box.width + box.across);
    if (index < columns) {
      lines.push(element("path", { d: `M${width / 2} ${from}v${box.down / 2}H${x + box.width / 2}V${y}` }));
    }
    nodes.push(node(report, x, y));
  });
  const height = (below.length ? y + box.height : from) + 4;
  const svg = element("svg", {
    class: "chart", viewBox: `-2 0 ${width + 4} ${height}`, role: "group", "aria-labelledby": "chart-title",
  });
  // Never larger than life: a chart of one column is not blown up to the whole width.
  svg.setAttribute("width", Math.min(width + 4, room));
  svg.append(element("title", { id: "chart-title" }, `Reporting lines of ${label(user)}`), ...lines, ...nodes);
  svg.addEventListener("keydown", (event) => walk(event, nodes, chain.length, columns));
  return svg;
}

/** Arrow keys go up and down the lines, and along a row. */
function walk(event, nodes, self, columns) {
  const at = nodes.indexOf(document.activeElement);
  const steps = at <= self
    ? { ArrowUp: -1, ArrowDown: 1 }
    : { ArrowLeft: -1, ArrowRight: 1, ArrowDown: columns, ArrowUp: at - columns > self ? -columns : self - at };
  const step = steps[event.key];
  if (at < 0 || step === undefined) return;
  event.preventDefault();
  nodes[Math.max(0, Math.min(nodes.length - 1, at + step))].focus();
}

/** How many reportees a chart has at most. */
export const most = shown;
