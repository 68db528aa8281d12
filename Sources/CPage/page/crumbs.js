// Where a view is in the page: the way from the start to it.

import { to } from "./address.js";
import { make } from "./dom.js";
import { places } from "./frame.js";
import { say } from "./texts.js";

/**
 * @param {{kind: string, id: string}} place what the address means
 * @param {string} title the heading of the view
 * @param {string | undefined} part the part of the view that is shown, if it has several
 */
export function crumbs({ kind, id }, title, part) {
  const [home] = places;
  const around = places.find((one) => one.kinds?.includes(kind) || (kind === "admin" && one.names?.includes(id))) ?? null;
  if (around === home) return null;
  const overview = say("Overview");
  const isPerson = kind === "user" || kind === "manage" || (kind === "chart" && id);
  /** @type {{text: string, href?: string}[]} */
  const steps = [home];
  if (kind === "new") steps.push(id === "role" ? { text: say("Roles"), href: "#roles" } : { text: say("People"), href: "#people" });
  else if (kind === "chart" && id) steps.push({ text: say("People"), href: "#people" });
  else if (around && around.text !== title) steps.push(around);
  if (title !== home.text) steps.push({ text: title, href: isPerson && part !== overview ? to("user", id) : undefined });
  if (part && part !== overview && part !== title) steps.push({ text: part });
  if (steps.length < 2) return null;
  return make("nav", { class: "crumbs", "aria-label": say("Where this is") }, make("ol", {}, ...steps.map(({ text, href }, index) => {
    const isLast = index === steps.length - 1;
    return make("li", {}, isLast || !href ? make("span", isLast ? { "aria-current": "page" } : {}, text) : make("a", { href }, text));
  })));
}
