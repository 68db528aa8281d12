// The roles of the directory: a list, a tree, and the form of a new one.

import { to, write } from "./address.js";
import * as directory from "./directory.js";
import { button, field, form, make } from "./dom.js";
import { empty, guarded, heading, toast } from "./frame.js";
import { growing } from "./person.js";
import { powers } from "./powers.js";
import { counted, number, say } from "./texts.js";

const mostInTree = 500;
const link = (role) => make("a", { href: to("group", role.id) }, role.name || role.id);

/** @param parameters `q` is a part of the name, `view=tree` shows which role is in which */
export async function rolesView(signal, parameters) {
  const isTree = parameters.get("view") === "tree";
  const choice = (isOn, text, view) => make("a", { href: to("roles", "", { view }), ...(isOn ? { "aria-current": "true" } : {}) }, text);
  const parts = [
    make("div", { class: "top" }, heading(say("Roles")), directory.may("administrator") ? make("a", { class: "main", href: "#new/role" }, say("New role")) : null),
    make("nav", { class: "switch", "aria-label": say("Kind of view") }, choice(!isTree, say("List"), ""), choice(isTree, say("Tree"), "tree")),
  ];
  return { parts: [...parts, ...(isTree ? await tree(signal) : list(parameters.get("q") ?? "", signal))] };
}

// The list

function list(text, signal) {
  let asking = null;
  const search = make("input", { type: "search", id: "role-words", "aria-label": say("Part of a role's name"), placeholder: say("Part of a name …"), autocomplete: "off", spellcheck: "false" });
  search.value = text;
  const total = make("p", { class: "total soft", role: "status" });
  const place = make("div", {});
  const administers = directory.may("administrator");

  /** A row, to which the number of people and the power come later. */
  const row = (role) => make("tr", { "data-id": role.id }, make("th", { scope: "row" }, link(role)), make("td", { class: "count" }),
    administers ? make("td", { class: "power" }) : null, make("td", { class: "about", title: role.description ?? null }, role.description ?? ""));
  const complete = (rows, dropped) => guarded(() => directory.each(rows, async (node) => {
    const { id } = node.dataset;
    const [count, given] = await Promise.all([directory.memberCount(id, dropped), administers ? directory.admin(`roles/${encodeURIComponent(id)}/power`, "GET", undefined, dropped) : null]);
    node.querySelector(".count").textContent = number(count);
    if (given?.power) node.querySelector(".power").textContent = powers[given.power]?.[0] ?? given.power;
  }), () => { /* The list does without the numbers. */ });

  const load = () => guarded(async () => {
    asking?.abort();
    const control = asking = new AbortController();
    signal.addEventListener("abort", () => control.abort(), { once: true });
    const words = search.value.trim();
    let page = await directory.rolePage(words, "", control.signal);
    total.textContent = counted("{n} role", "{n} roles", page.total);
    if (!page.roles.length) return place.replaceChildren(empty(say("No role was found."), words ? button(say("Show all roles"), () => {
      search.value = "";
      change();
    }) : administers ? make("a", { class: "main", href: "#new/role" }, say("New role")) : ""));
    const body = make("tbody", {}, ...page.roles.map(row));
    complete([...body.children], control.signal);
    const [, more] = growing(body, page.next !== null, async () => {
      page = await directory.rolePage(words, page.next, control.signal);
      const rows = page.roles.map(row);
      complete(rows, control.signal);
      return { rows, hasMore: page.next !== null };
    });
    const names = [say("Name"), say("People"), ...(administers ? [say("Power")] : []), say("Description")];
    place.replaceChildren(make("div", { class: "grid scroll", tabindex: "0", role: "region", "aria-label": say("Table of roles") }, make("table", {},
      make("thead", {}, make("tr", {}, ...names.map((name) => make("th", { scope: "col" }, name)))), body)), more ?? "");
  });
  const change = () => {
    write(to("roles", "", { q: search.value.trim() }), false);
    return load();
  };
  let timer = null;
  search.addEventListener("input", () => {
    clearTimeout(timer);
    timer = setTimeout(change, 150);
  });
  load();
  return [make("div", { class: "tools" }, search), total, place];
}

// The tree

/** The roles, each below those that it is in. The relations are asked for role by role. */
async function tree(signal) {
  const all = new Map();
  let page = { next: "" };
  while (page.next !== null && all.size < mostInTree) {
    page = await directory.rolePage("", page.next, signal, 100);
    for (const role of page.roles) all.set(role.id, { ...role, inside: [] });
  }
  const within = new Set();
  await directory.each([...all.values()], async (role) => {
    role.inside = (await directory.allRelated(role.id, "groupMembers", signal)).map((one) => one.id).filter((id) => all.has(id));
    for (const id of role.inside) within.add(id);
  });
  const item = (role) => {
    if (!role.inside.length) return make("li", {}, make("span", { class: "icon" }), link(role), role.description ? make("small", { class: "soft" }, ` · ${role.description}`) : null);
    const inner = make("ul", {});
    const open = button("▸", () => {
      inner.hidden = !inner.hidden;
      open.textContent = inner.hidden ? "▸" : "▾";
      open.setAttribute("aria-expanded", String(!inner.hidden));
      // The rows come when they are first seen, so that a role in many others is not drawn for all of them at once.
      if (!inner.children.length) inner.append(...role.inside.map((id) => item(all.get(id))));
    }, { class: "icon", "aria-expanded": "false", "aria-label": say("Roles in {role}", { role: role.name }) });
    inner.hidden = true;
    return make("li", {}, open, link(role), make("small", { class: "soft" }, ` · ${counted("{n} role in it", "{n} roles in it", role.inside.length)}`), inner);
  };
  const top = [...all.values()].filter((role) => !within.has(role.id)).map(item);
  for (const node of top.slice(0, 20)) node.querySelector("button")?.click();
  return [page.next !== null ? make("p", { class: "soft" }, say("The tree shows {n} roles. The list has all of them.", { n: mostInTree })) : null,
    top.length ? make("ul", { class: "tree", "aria-label": say("Roles") }, ...top) : empty(say("There is no role yet."))];
}

export function newRoleView() {
  const name = field("role-name", say("Name"), { autocomplete: "off", required: true }, say("Apps and tokens name the role by it, such as night-shift."));
  const display = field("role-display", say("Name shown to others"), { autocomplete: "off" });
  const text = field("role-description", say("Description"), { autocomplete: "off" });
  return { parts: [heading(say("New role")), form({ class: "fields", id: "new-role" }, say("Create"), (tell) => guarded(async () => {
    const texts = { displayname: display.input.value, description: text.input.value };
    const given = Object.fromEntries(Object.entries(texts).filter(([, value]) => value));
    const role = await directory.createRole({ commonname: name.input.value, ...given });
    location.hash = `#group/${role.guid}`;
    toast(say("The role is created. Add its members and owners here."));
  }, (error) => tell(error.message)), name.row, display.row, text.row)] };
}
