// Draws the chart of a person: the managers above, the person, the reports below. Links walk to each of them.

import { label } from "./directory.js";

/** How many reports a chart has at most. */
export const most = 50;

const box = { width: 208, height: 60, inset: 14 };
const gap = { across: 20, down: 40 };
/** Where the line to the rows below stands, left of the first column. */
const spine = 16;
const edge = 3;

function element(name, attributes, ...children) {
  const node = document.createElementNS("http://www.w3.org/2000/svg", name);
  for (const [key, value] of Object.entries(attributes)) node.setAttribute(key, value);
  node.append(...children);
  return node;
}

const pen = document.createElement("canvas").getContext("2d");

/** A text that fits into a box, with an ellipsis where it was cut. */
function cut(text, font) {
  pen.font = `${font} ${getComputedStyle(document.body).fontFamily}`;
  const room = box.width - 2 * box.inset;
  if (pen.measureText(text).width <= room) return text;
  const letters = [...text].slice(0, 80);
  while (letters.length && pen.measureText(letters.join("").trimEnd() + "…").width > room) letters.pop();
  return letters.join("").trimEnd() + "…";
}

/** A box that links to a person's chart. */
class Node {
  constructor(user, x, y, isSelf) {
    this.user = user;
    this.title = element("title", {});
    this.number = element("text", { x: x + box.width / 2, y: y + box.height + 4.5, class: "number" });
    this.pill = element("rect", { y: y + box.height - 9, height: 18, rx: 9, class: "pill" });
    this.middle = x + box.width / 2;
    this.link = element("a", { href: `#chart/${encodeURIComponent(user.id)}`, ...(isSelf ? { class: "self", "aria-current": "true" } : {}) },
      element("g", {}, this.title,
        element("rect", { x, y, width: box.width, height: box.height, rx: 10 }),
        element("text", { x: x + box.inset, y: y + 25 }, cut(label(user), "600 14px")),
        element("text", { x: x + box.inset, y: y + 44, class: "soft" }, cut(user.title || user.userName || "", "400 12.5px")),
        this.pill, this.number));
    this.tell(undefined);
  }

  /** Says how many reports the person has; undefined while that is not known. */
  tell(count) {
    const note = count ? `${count} ${count === 1 ? "report" : "reports"}` : count === 0 ? "no reports" : undefined;
    const spoken = [label(this.user), this.user.title, note].filter(Boolean).join(", ");
    this.link.setAttribute("aria-label", spoken);
    this.title.textContent = spoken;
    this.number.textContent = count || "";
    const width = Math.max(26, 12 + 7.5 * String(count).length);
    this.pill.setAttribute("x", this.middle - width / 2);
    this.pill.setAttribute("width", count ? width : 0);
  }
}

/**
 * @param chart `user`, `chain` (the managers, nearest first), `reports` to show, `counts` (how many reports people have,
 *   by identifier, as far as is known)
 * @param room how many pixels wide the place for it is
 * @returns the picture, and a function that takes how many reports somebody has
 */
export function draw(chart, room) {
  const { user, chain, counts } = chart;
  const below = chart.reports.slice(0, most);
  // Those who read with larger letters get a larger chart.
  const scale = parseFloat(getComputedStyle(document.documentElement).fontSize) / 16;
  const step = box.width + gap.across;
  const fit = Math.floor((room / scale - 2 * edge - spine + gap.across) / step);
  const columns = Math.max(1, Math.min(5, below.length || 1, fit));
  const rows = Math.ceil(below.length / columns);
  const left = rows > 1 ? spine : 0;
  const width = left + columns * step - gap.across;
  // In one column the others are indented below the person; else the person stands in the middle.
  const x = columns === 1 ? 0 : left + (width - left - box.width) / 2;
  const nodes = [];
  let lines = "";
  let y = 0;
  for (const above of [...chain].reverse()) {
    nodes.push(new Node(above, x, y));
    lines += `M${x + box.width / 2} ${y + box.height}v${gap.down}`;
    y += box.height + gap.down;
  }
  const self = nodes.length;
  nodes.push(new Node(user, x, y, true));
  let bottom = y + box.height;
  below.forEach((report, index) => {
    const column = index % columns;
    const first = bottom + (Math.floor(index / columns) + 1) * gap.down + Math.floor(index / columns) * box.height;
    nodes.push(new Node(report, left + column * step, first));
  });
  for (let row = 0; row < rows; row += 1) {
    const top = bottom + (row + 1) * gap.down + row * box.height;
    if (columns === 1 && rows > 1) {
      lines += `M2 ${row ? top - gap.down - box.height / 2 : bottom}V${top + box.height / 2}H${left}`;
      continue;
    }
    const bar = top - gap.down / 2 + 4;
    const inRow = Math.min(columns, below.length - row * columns);
    for (let column = 0; column < inRow; column += 1) lines += `M${left + column * step + box.width / 2} ${bar}V${top}`;
    const ends = [left + box.width / 2, left + (inRow - 1) * step + box.width / 2];
    if (row === 0) {
      ends.push(x + box.width / 2);
      lines += `M${x + box.width / 2} ${bottom}V${bar}`;
    }
    if (rows > 1) ends.push(2);
    lines += `M${Math.min(...ends)} ${bar}H${Math.max(...ends)}`;
    if (row > 0) lines += `M2 ${bar}v${-(box.height + gap.down)}`;
  }
  bottom += rows * (box.height + gap.down) + 10;
  const whole = width + 2 * edge;
  const svg = element("svg", {
    class: "chart", viewBox: `${-edge} ${-edge} ${whole} ${bottom + 2 * edge}`, width: Math.min(whole * scale, room),
    role: "group", "aria-labelledby": "chart-title", "aria-describedby": "chart-help",
  },
  element("title", { id: "chart-title" }, `Reporting lines of ${label(user)}`),
  element("desc", { id: "chart-help" }, "Managers are above, reports below. Arrow keys go from one to the next, Enter opens."),
  element("path", { d: lines }), ...nodes.map((node) => node.link));
  const tell = (id, count) => nodes.filter((node) => node.user.id === id).forEach((node) => node.tell(count));
  for (const [id, count] of counts) tell(id, count);
  svg.addEventListener("keydown", (event) => walk(event, nodes.map((node) => node.link), self, columns));
  return { svg, tell };
}

/** Arrow keys go up and down the lines, and along a row. */
function walk(event, links, self, columns) {
  if (event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) return;
  const at = links.indexOf(document.activeElement);
  const steps = at <= self
    ? { ArrowUp: -1, ArrowDown: 1 }
    : { ArrowLeft: -1, ArrowRight: 1, ArrowDown: columns, ArrowUp: at - columns > self ? -columns : self - at };
  const step = steps[event.key];
  if (at < 0 || step === undefined) return;
  event.preventDefault();
  links[Math.max(0, Math.min(links.length - 1, at + step))].focus();
}
