// A card of the chart: an item of a tree, with the photo, the name, the title and the number of reports.

import * as directory from "./directory.js";
import { make } from "./dom.js";
import { initials } from "./person.js";
import { counted, number, say } from "./texts.js";

/** How many people report to somebody, in words; empty while it is not known. */
export function reportsOf(person) {
  if (person.direct === undefined) return "";
  if (!person.direct) return say("no reports");
  const reports = counted("{n} report", "{n} reports", person.direct);
  return person.all > person.direct ? say("{reports}, {n} in all", { reports, n: person.all }) : reports;
}

/** The element of a block. `fill` gives it what it shows. */
export function cardOf(block) {
  const node = make("div", { role: "treeitem", tabindex: "-1", class: "node" },
    make("span", { class: "face", "aria-hidden": "true" }), make("span", { class: "name" }), make("span", { class: "post" }), make("span", { class: "pill", "aria-hidden": "true" }));
  node.dataset.id = block.person.id;
  return node;
}

/** @param look `self`, the identifier of the person in the middle, and `colour`, which gives the colour of a person or nothing */
export function fill(node, block, look) {
  const { person } = block;
  const [face, name, post, pill] = node.children;
  const peers = block.parent?.children ?? [block];
  node.style.transform = `translate(${block.x}px, ${block.y}px)`;
  node.setAttribute("aria-level", block.depth);
  node.setAttribute("aria-setsize", peers.length);
  node.setAttribute("aria-posinset", peers.indexOf(block) + 1);
  const isSelf = person.id === look.self;
  node.classList.toggle("self", isSelf);
  if (isSelf) node.setAttribute("aria-current", "true");
  if (person.rest) {
    node.classList.add("rest");
    name.textContent = person.name;
    post.textContent = person.title;
    return;
  }
  if (person.direct) node.setAttribute("aria-expanded", String(block.isOpen));
  else node.removeAttribute("aria-expanded");
  node.setAttribute("aria-label", [person.name, person.title, reportsOf(person), person.isActive ? "" : say("disabled")].filter(Boolean).join(", "));
  node.classList.toggle("disabled", !person.isActive);
  name.textContent = person.name;
  post.textContent = person.title || person.uid;
  pill.textContent = person.direct ? `${block.isOpen ? "−" : "+"} ${number(person.direct)}${person.all > person.direct ? ` · ${number(person.all)}` : ""}` : "";
  pill.title = person.direct ? block.isOpen ? say("Hide: {reports}", { reports: reportsOf(person) }) : say("Show: {reports}", { reports: reportsOf(person) }) : "";
  const colour = look.colour(person);
  node.style.setProperty("--stripe", colour ?? "transparent");
  if (!face.textContent && !face.firstChild) face.textContent = initials(person.name);
}

/** Asks for the photo of a card, once. */
export function showPhoto(node, person) {
  const face = node.firstChild;
  if (person.rest || person.photo === null || face.querySelector("img")) return;
  const image = make("img", { src: directory.photo(person.id, person.version), alt: "" });
  image.addEventListener("load", () => face.replaceChildren(image));
  image.addEventListener("error", () => { person.photo = null; });
}
