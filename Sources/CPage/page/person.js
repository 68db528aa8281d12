// The parts that the views of people and of roles share.

import { to } from "./address.js";
import * as directory from "./directory.js";
import { make } from "./dom.js";
import { guarded, heading } from "./frame.js";
import { number, say } from "./texts.js";

export const link = (kind, one) => make("a", { href: to(kind, one.id) }, directory.label(one));

/** @param more says what a row has below the name */
export const list = (kind, found, labelled, more = (one) => one.title ?? one.userName) =>
  make("ul", { class: "list", "aria-labelledby": labelled }, ...found.map((one) => make("li", {}, link(kind, one), make("small", {}, more(one)))));

/**
 * A list with a button for as long as there are more of its rows.
 * @param shown the list with its first rows
 * @param ask `ask(next)` gives `{ rows, hasMore }` from the row with that number on
 */
export function growing(shown, hasMore, ask) {
  if (!hasMore) return [shown];
  const button = make("button", { type: "button" }, say("Show more"));
  button.addEventListener("click", () => guarded(async () => {
    button.disabled = true;
    try {
      const more = await ask(shown.children.length + 1);
      shown.append(...more.rows);
      more.rows[0]?.querySelector("a").focus();
      if (!more.hasMore || !more.rows.length) button.remove();
    } finally {
      button.disabled = false;
    }
  }));
  return [shown, make("p", {}, button)];
}

/** A heading and people, with a button for as long as there are more of them. */
export function people(id, text, page, ask, more) {
  const title = make("h2", { id }, `${text} (${number(page.totalResults)})`);
  if (!page.Resources.length) return [title];
  return [title, ...growing(list("user", page.Resources, id, more), page.Resources.length < page.totalResults, async (next) => {
    const found = await ask(next);
    const rows = [...list("user", found.Resources, id, more).children];
    return { rows, hasMore: next + rows.length <= found.totalResults };
  })];
}

export function initials(name) {
  const words = name.split(/\s+/).map((word) => word.match(/[\p{L}\p{N}]/u)?.[0]).filter(Boolean);
  return (words.length > 1 ? [words[0], words.at(-1)] : words).join("").toUpperCase() || "?";
}

/** The photo of somebody, or the initials as long as there is none. */
function badge(user, name) {
  const place = make("div", { class: "badge", "aria-hidden": "true" }, initials(name));
  const image = make("img", { src: directory.photo(user.id, user.meta?.version), alt: "" });
  image.addEventListener("load", () => place.replaceChildren(image));
  return place;
}

/** The views of a person that whoever is signed in may see: each with its address and its name. */
export function tabsOf(user) {
  const isOwn = user.id === directory.who.user.id;
  const show = (name) => to("user", user.id, { show: name });
  return [
    { name: "user", href: to("user", user.id), text: say("Overview"), may: true }, { name: "chart", href: to("chart", user.id), text: say("Chart"), may: true },
    { name: "roles", href: show("roles"), text: say("Roles"), may: true },
    { name: "access", href: show("access"), text: say("Access"), may: directory.may("administrator", "help-desk") },
    { name: "history", href: show("history"), text: say("History"), may: isOwn || directory.may("administrator") },
    { name: "manage", href: to("manage", user.id), text: say("Edit"), may: directory.may("administrator", "people-editor") },
  ].filter(({ may }) => may);
}

/**
 * The head of a person's views, with links to the others.
 * @param current the name of the view that is shown
 */
export function head(user, current) {
  const name = directory.label(user);
  const under = [user.title, user[directory.enterprise]?.department].filter(Boolean).join(" · ") || user.userName;
  return [
    make("div", { class: "person" },
      badge(user, name),
      make("div", {}, heading(name), make("p", {}, under))),
    make("nav", { class: "tabs", "aria-label": say("Views of this person") },
      ...tabsOf(user).map((tab) => make("a", { href: tab.href, ...(tab.name === current ? { "aria-current": "page" } : {}) }, tab.text))),
  ];
}

/** A role of somebody, who has it directly or through another one; then with what says through which. */
export function roleOf(group, user) {
  const node = make("span", {}, make("a", { href: to("group", group.value) }, group.display || group.value));
  if (group.type !== "indirect") return node;
  const why = make("details", { class: "why" }, make("summary", {}, say("Why?")));
  why.addEventListener("toggle", () => guarded(async () => {
    if (!why.open || why.children.length > 1) return;
    const { pathsTo, pathText } = await import("./role.js");
    why.append(pathText(await pathsTo(group.value, group.display, user)));
  }));
  node.append(make("span", { class: "soft" }, ` · ${say("through another role")} `), why);
  return node;
}
