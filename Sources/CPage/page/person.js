// The profile of a person, and the parts that the views of a person and of a role share.

import { to } from "./address.js";
import { copyButton } from "./copy.js";
import * as directory from "./directory.js";
import { make } from "./dom.js";
import { guarded, heading, notForYou } from "./frame.js";

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
  const button = make("button", { type: "button" }, "Show more");
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
  const title = make("h2", { id }, `${text} (${page.totalResults})`);
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
    { name: "user", href: to("user", user.id), text: "Overview", may: true }, { name: "chart", href: to("chart", user.id), text: "Chart", may: true },
    { name: "roles", href: show("roles"), text: "Roles", may: true },
    { name: "access", href: show("access"), text: "Access", may: directory.may("administrator", "help-desk") },
    { name: "history", href: show("history"), text: "History", may: isOwn || directory.may("administrator") },
    { name: "manage", href: to("manage", user.id), text: "Edit", may: directory.may("administrator", "people-editor") },
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
    make("nav", { class: "tabs", "aria-label": "Views of this person" },
      ...tabsOf(user).map((tab) => make("a", { href: tab.href, ...(tab.name === current ? { "aria-current": "page" } : {}) }, tab.text))),
  ];
}

/** A role of somebody, who has it directly or through another one; then with what says through which. */
export function roleOf(group, user) {
  const node = make("span", {}, make("a", { href: to("group", group.value) }, group.display || group.value));
  if (group.type !== "indirect") return node;
  const why = make("details", { class: "why" }, make("summary", {}, "Why?"));
  why.addEventListener("toggle", () => guarded(async () => {
    if (!why.open || why.children.length > 1) return;
    const { pathsTo, pathText } = await import("./role.js");
    why.append(pathText(await pathsTo(group.value, group.display, user)));
  }));
  node.append(make("span", { class: "soft" }, " · through another role "), why);
  return node;
}

/** The parts of a person's view besides the overview, by the names of their tabs. */
const others = {
  roles: async (user, state, signal) => (await import("./person-roles.js")).rolesParts(user, signal),
  access: async (user, state, signal) => (await import("./access.js")).accessParts(user, signal),
  history: async (user, state, signal) => (await import("./history.js")).historyParts(user, state, signal),
};

/** All attributes that may be read, which are asked for when somebody wants to see them. */
function everything(user, signal) {
  const list = make("dl", {});
  const node = make("details", { class: "more-fields", id: "all-attributes" }, make("summary", {}, "All attributes"), list);
  node.addEventListener("toggle", () => guarded(async () => {
    if (!node.open || list.children.length) return;
    const [{ attributes }, { labelled, isNothing }, { inWords }] = await Promise.all([directory.formOf(user.id, signal), import("./attributes.js"), import("./values.js")]);
    const known = attributes.filter((one) => !isNothing(one.value)).sort((one, other) => labelled(one.name).localeCompare(labelled(other.name)));
    const texts = await Promise.all(known.map((one) => inWords(one.name, one.value)));
    list.replaceChildren(...known.flatMap((one, index) => [make("dt", {}, labelled(one.name)), make("dd", {}, texts[index])]));
  }));
  return node;
}

/** @param state `show` names the part that is shown in place of the overview */
export async function userView(id, signal, state = new URLSearchParams()) {
  const part = state.get("show");
  if (part) {
    const user = await directory.person(id, signal);
    if (!Object.hasOwn(others, part)) return null;
    if (!tabsOf(user).some(({ name }) => name === part)) return notForYou();
    return { parts: [...head(user, part), ...await others[part](user, state, signal)] };
  }
  const ask = (next) => directory.reports(id, 100, next, signal);
  const [user, reports] = await Promise.all([directory.person(id, signal), ask(1)]);
  const more = user[directory.enterprise] ?? {};
  const rows = [];
  const row = (name, ...values) => {
    const kept = values.flat().filter(Boolean);
    if (kept.length) rows.push(make("dt", {}, name), ...kept.map((value) => make("dd", {}, value)));
  };
  const typed = (one, shown) => shown && make("span", {}, shown, one.type ? make("span", { class: "soft" }, ` · ${one.type}`) : null);
  const place = (one) => one.formatted
    || [one.streetAddress, one.postalCode, one.locality, one.region, one.country].filter(Boolean).join(", ");
  const mail = (value) => make("a", { href: `mailto:${encodeURIComponent(value).replace("%40", "@")}` }, value);
  const phone = (value) => make("a", { href: `tel:${value.replace(/[^+\d]/g, "")}` }, value);
  if (user.active === false) row("Account", make("span", { class: "off" }, "Disabled"));
  row("User name", make("span", {}, user.userName, " ", copyButton(user.userName, "user name")));
  if (user.name?.formatted !== directory.label(user)) row("Full name", user.name?.formatted);
  row("Mail", (user.emails ?? []).map((one) => one.value && make("span", {}, typed(one, mail(one.value)), " ", copyButton(one.value, `mail address ${one.value}`))));
  row("Phone", (user.phoneNumbers ?? []).map((one) => typed(one, one.value && phone(one.value))));
  row("Address", (user.addresses ?? []).map((one) => typed(one, place(one))));
  row("Department", more.department);
  row("Organization", more.organization);
  row("Employee number", more.employeeNumber);
  if (more.manager?.value) row("Manager", link("user", { ...more.manager, id: more.manager.value }));
  row("Identifier", make("span", {}, make("code", {}, user.id), " ", copyButton(user.id, "identifier")));
  row("Roles", (user.groups ?? []).map((group) => roleOf(group, user)));
  const parts = [...head(user, "user"), make("dl", {}, ...rows), everything(user, signal)];
  if (reports.totalResults) parts.push(...people("reports", "Reports", reports, ask));
  return { parts };
}
