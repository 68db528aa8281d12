// The chart as a file: a picture in SVG, a table in CSV, and a page to print.

import { reportsOf } from "./chart-card.js";
import { card } from "./chart-layout.js";
import { make } from "./dom.js";
import { say } from "./texts.js";

const escaped = (text) => text.replace(/[&<>"']/g, (letter) => `&#${letter.codePointAt(0)};`)
  // XML has no way to write these.
  .replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g, "\ufffd");
const pen = document.createElement("canvas").getContext("2d");
const inset = 54;

/** A text that fits into a card, with an ellipsis where it was cut. */
function cut(text, font) {
  pen.font = `${font} sans-serif`;
  const room = card.width - inset - 12;
  if (pen.measureText(text).width <= room) return text;
  const letters = [...text].slice(0, 60);
  while (letters.length && pen.measureText(letters.join("").trimEnd() + "…").width > room) letters.pop();
  return letters.join("").trimEnd() + "…";
}

/** The blocks of a chart, those above before those below. */
function blocks(root) {
  const all = [];
  const add = (block) => {
    if (block.person && !block.person.rest) all.push(block);
    block.children.forEach(add);
  };
  add(root);
  return all;
}

/**
 * The picture of what is expanded, as text.
 * @param colour gives the colour of a person, or nothing
 */
export function svg(root, title, colour) {
  const edge = 12;
  const lines = [];
  const addLines = (block) => {
    for (let at = 0; at < block.lines.length; at += 4) lines.push(`M${block.lines[at]} ${block.lines[at + 1]}L${block.lines[at + 2]} ${block.lines[at + 3]}`);
    block.children.forEach(addLines);
  };
  addLines(root);
  const cards = blocks(root).map(({ person, x, y }) => {
    const stripe = colour(person);
    return `<g><title>${escaped([person.name, person.title, person.department, reportsOf(person)].filter(Boolean).join(", "))}</title>`
      + `<rect x="${x}" y="${y}" width="${card.width}" height="${card.height}" rx="10" fill="#ffffff" stroke="#b3bac6"/>`
      + (stripe ? `<rect x="${x}" y="${y + 8}" width="5" height="${card.height - 16}" rx="2" fill="${stripe}"/>` : "")
      + `<text x="${x + 16}" y="${y + 27}" font-size="14" font-weight="600" fill="#1b1f27">${escaped(cut(person.name, "600 14px"))}</text>`
      + `<text x="${x + 16}" y="${y + 46}" font-size="12" fill="#59616f">${escaped(cut(person.title || person.uid, "12px"))}</text>`
      + (person.direct ? `<text x="${x + card.width - 12}" y="${y + 27}" font-size="12" fill="#59616f" text-anchor="end">${person.direct}</text>` : "")
      + "</g>";
  });
  const [left, top, width, height] = [root.left - edge, root.top - edge, root.width + 2 * edge, root.height + 2 * edge];
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="${left} ${top} ${width} ${height}" width="${width}" height="${height}" font-family="sans-serif">`
    + `<title>${escaped(title)}</title><path d="${lines.join("")}" fill="none" stroke="#8c95a4" stroke-width="1.5"/>${cards.join("")}</svg>`;
}

const cell = (value) => {
  const text = value === undefined || value === null ? "" : String(value);
  // A spreadsheet takes such a text for a formula.
  const safe = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
};

/** The people who are shown, as a table. It begins with a byte order mark, by which spreadsheets know UTF-8. */
export function csv(root) {
  const rows = blocks(root).map(({ person, depth, parent }) => [
    depth, person.uid, person.name, person.title, person.department, parent?.person?.uid, parent?.person?.name, person.direct, person.all,
    person.isActive ? say("yes") : say("no"),
  ]);
  const head = [say("level"), say("user name"), say("name"), say("title"), say("department"), say("manager's user name"), say("manager"), say("reports"), say("people below"), say("active")];
  return "\ufeff" + [head, ...rows].map((row) => row.map(cell).join(",") + "\r\n").join("");
}

/** Gives a text to whoever looks at the page, as a file. */
export function save(name, type, text) {
  const address = URL.createObjectURL(new Blob([text], { type }));
  const link = make("a", { href: address, download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(address), 10_000);
}

/** Prints the picture of what is expanded on one page. */
export function print(text) {
  const picture = new DOMParser().parseFromString(text, "image/svg+xml").documentElement;
  picture.removeAttribute("width");
  picture.removeAttribute("height");
  const sheet = make("div", { class: "chart-print", "aria-hidden": "true" }, document.importNode(picture, true));
  document.body.append(sheet);
  document.documentElement.classList.add("prints-chart");
  addEventListener("afterprint", () => {
    sheet.remove();
    document.documentElement.classList.remove("prints-chart");
  }, { once: true });
  window.print();
}
