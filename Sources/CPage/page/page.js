// The page for people: search as you type, a profile, the chart, the members of a role, one's own account.

import * as directory from "./directory.js";
import { at, make } from "./dom.js";
import * as search from "./search.js";

const view = at("view");
let own = null;
/** The powers that the roles of whoever is signed in give. The server decides about each change. */
let powers = [];
/** Drops what the view asks for when another takes its place. */
let showing = new AbortController();

function tell(...parts) {
  at("notice").replaceChildren(...parts);
  at("notice").hidden = !parts.length;
}

const fragment = () => location.hash.slice(1);

/** Does something that asks the server; tells people where it cannot. What was dropped meanwhile is no failure. */
async function guarded(work, refused = (error) => tell(error.message)) {
  try {
    await work();
  } catch (error) {
    if (error.name === "AbortError") return;
    if (error.needsPassword) {
      tell("This needs your password once more. ", make("a", { href: directory.entrance(fragment(), true) }, "Confirm your password"), ", then repeat it.");
      scrollTo(0, 0);
    } else if (error.status === 401) showEntry(error.message); else refused(error);
  }
}

// Signing in and out

function showEntry(message) {
  directory.forget();
  showing.abort();
  own = null;
  search.clear();
  for (const id of ["search", "account", "view"]) at(id).hidden = true;
  view.replaceChildren();
  view.removeAttribute("aria-busy");
  at("own").textContent = "";
  at("enter").hidden = false;
  at("sign-in").href = directory.entrance(fragment());
  document.title = "Sign in – Roster";
  tell(...(message ? [message] : []));
  at("sign-in").focus();
}
directory.onLeaving((message) => {
  history.replaceState(null, "", location.pathname);
  showEntry(message);
});

async function enter() {
  try {
    let account;
    [own, account] = await Promise.all([directory.me(), directory.account()]);
    powers = account.powers;
    const administers = powers.includes("administrator");
    at("administration").hidden = !administers && !powers.includes("people-editor");
    at("administration").href = administers ? "#admin/people" : "#new/person";
    at("administration").textContent = administers ? "Administration" : "New person";
  } catch (error) {
    if (error.status === 401) return showEntry();
    at("again").hidden = false;
    return tell(error.status === 404 || error.status === 403 ? "Whoever signed in is no user of this directory. " : error.message + " ",
      make("a", { href: "oauth2/logout" }, "Sign out"));
  }
  at("again").hidden = true;
  at("own").textContent = directory.label(own);
  for (const id of ["search", "account", "view"]) at(id).hidden = false;
  if (fragment()) await show(); else location.replace("#me");
}

at("again").addEventListener("click", () => {
  tell();
  enter();
});

at("leave").addEventListener("click", () => guarded(async () => {
  await directory.signOut();
  directory.leave("You are signed out.");
}));

// A fragment that is not a view must not become the address.
document.querySelector(".skip").addEventListener("click", (event) => {
  event.preventDefault();
  at("content").focus();
});

// Views. Each gives what to show, and what is to be done once it is there.

const to = (kind, id) => `#${kind}/${encodeURIComponent(id)}`;
const heading = (text) => make("h1", { tabindex: "-1" }, text);
const link = (kind, one) => make("a", { href: to(kind, one.id) }, directory.label(one));

const list = (kind, found, labelled) =>
  make("ul", { class: "list", "aria-labelledby": labelled },
    ...found.map((one) => make("li", {}, link(kind, one), make("small", {}, one.title ?? one.userName))));

/** A heading and people, with a button for as long as there are more of them. */
function people(id, text, page, ask) {
  const shown = list("user", page.Resources, id);
  const title = make("h2", { id }, `${text} (${page.totalResults})`);
  if (!page.Resources.length) return [title];
  const parts = [title, shown];
  let next = page.Resources.length + 1;
  if (next > page.totalResults) return parts;
  const button = make("button", { type: "button" }, "Show more");
  button.addEventListener("click", () => guarded(async () => {
    button.disabled = true;
    try {
      const more = await ask(next);
      const rows = [...list("user", more.Resources, id).children];
      shown.append(...rows);
      next += rows.length;
      rows[0]?.querySelector("a").focus();
      if (next > more.totalResults || !rows.length) button.remove();
    } finally {
      button.disabled = false;
    }
  }));
  return [...parts, make("p", {}, button)];
}

function initials(name) {
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

function head(user, current) {
  const name = directory.label(user);
  const under = [user.title, user[directory.enterprise]?.department].filter(Boolean).join(" · ") || user.userName;
  const tab = (kind, text) => make("a", { href: to(kind, user.id), ...(kind === current ? { "aria-current": "page" } : {}) }, text);
  return [
    make("div", { class: "person" },
      badge(user, name),
      make("div", {}, heading(name), make("p", {}, under))),
    make("nav", { class: "tabs", "aria-label": "Views of this person" }, tab("user", "Profile"), tab("chart", "Reporting lines"),
      powers.length ? tab("manage", "Administration") : null),
  ];
}

async function userView(id, signal) {
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
  row("User name", user.userName);
  if (user.name?.formatted !== directory.label(user)) row("Full name", user.name?.formatted);
  row("Mail", (user.emails ?? []).map((one) => typed(one, one.value && mail(one.value))));
  row("Phone", (user.phoneNumbers ?? []).map((one) => typed(one, one.value && phone(one.value))));
  row("Address", (user.addresses ?? []).map((one) => typed(one, place(one))));
  row("Department", more.department);
  row("Organization", more.organization);
  row("Employee number", more.employeeNumber);
  if (more.manager?.value) row("Manager", link("user", { ...more.manager, id: more.manager.value }));
  row("Roles", (user.groups ?? []).map((group) => make("span", {},
    make("a", { href: to("group", group.value) }, group.display || group.value),
    group.type === "indirect" ? make("span", { class: "soft" }, " · through another role") : null)));
  const parts = [...head(user, "user"), make("dl", {}, ...rows)];
  if (reports.totalResults) parts.push(...people("reports", "Reports", reports, ask));
  return { parts };
}

async function groupView(id, signal) {
  const ask = (next) => directory.members(id, next, signal);
  const [group, members, inside, around, owners, owningRoles] = await Promise.all([
    directory.group(id, signal), ask(1),
    ...["groupMembers", "groupMemberOf", "personOwner", "groupOwner"].map((name) => directory.related(id, name, signal)),
  ]);
  const parts = [
    make("p", { class: "kind" }, "Role"), heading(group.name || group.id),
    group.description ? make("p", { class: "soft" }, group.description) : null,
    ...people("members", inside.length ? "Direct members" : "Members", members, ask),
  ];
  const section = (key, text, kind, found, note) => {
    if (!found.length) return;
    parts.push(make("h2", { id: key }, text), note ? make("p", { class: "soft" }, note) : null, list(kind, found, key));
  };
  section("inside", "Roles in this role", "group", inside, "Their members are members of this role as well.");
  section("around", "In other roles", "group", around);
  section("owners", "Owners", "user", owners);
  section("owning", "Owners through a role", "group", owningRoles);
  const mayChange = powers.includes("administrator") || owners.some((one) => one.id === own.id);
  if (!mayChange) return { parts };
  const administration = await import("./administration.js");
  return {
    parts: [...parts, ...await administration.roleSections(group, guarded, powers.includes("administrator"))],
    done() {
      at("edit-members").addEventListener("click", () => {
        at("edit-members").remove();
        for (const [key, remove] of [["members", directory.removeMember], ["owners", directory.removeOwner]]) {
          for (const item of view.querySelectorAll(`[aria-labelledby=${key}] li`)) {
            const one = item.querySelector("a");
            const node = make("button", { type: "button", "aria-label": `Remove ${one.textContent}` }, "Remove");
            node.addEventListener("click", () => guarded(async () => {
              await remove(group.id, decodeURIComponent(one.hash.split("/")[1]));
              await show();
            }));
            item.append(node);
          }
        }
      });
    },
  };
}

const views = new Map([
  ["user", userView], ["group", groupView],
  ["chart", async (place, signal) => (await import("./chart.js")).chartView(place, signal, { guarded, head, powers, own })],
  ["manage", async (id, signal) => (await import("./people.js")).manageView(id, signal, guarded, head, powers)],
  ["new", async (_, signal) => (await import("./people.js")).newPersonView(signal, guarded)],
  ["admin", async (name, signal) => (await import("./administration.js")).administrationView(name, signal, guarded)],
  ["account", async (_, signal) => (await import("./account.js")).accountView(signal, guarded)],
]);

function fillView(parts) {
  const card = make("article", { class: "card" }, ...parts);
  view.replaceChildren(card);
  document.title = `${card.querySelector("h1").textContent} – Roster`;
  return card;
}

/** Shows what the address says. What was asked before, and comes later, is dropped. */
async function show() {
  if (!own) return;
  showing.abort();
  showing = new AbortController();
  const { signal } = showing;
  const [kind, id] = location.hash === "#me" ? ["user", own.id] : location.hash === "#account" ? ["account", own.id] : fragment().split("/");
  // Who walks the chart stays in it; elsewhere the heading says where one is.
  const inChart = kind === "chart" && document.activeElement?.closest?.(".chart");
  const land = (card) => {
    ((inChart && card.querySelector(".chart .self")) || card.querySelector("h1")).focus({ preventScroll: true });
    scrollTo(0, 0);
  };
  tell();
  view.setAttribute("aria-busy", "true");
  await guarded(async () => {
    const render = views.get(kind);
    const shown = render && (id || kind === "chart") ? await render(unescaped(id ?? ""), signal) : { parts: [heading("There is nothing here.")] };
    signal.throwIfAborted();
    const card = fillView(shown.parts);
    shown.done?.();
    land(card);
  }, (error) => {
    if (signal.aborted) return;
    const again = make("button", { type: "button" }, "Try again");
    again.addEventListener("click", show);
    const isMissing = error.status === 403 || error.status === 404;
    land(fillView([heading(isMissing ? "There is nothing here." : "This cannot be shown now."), isMissing ? null : make("p", {}, again)]));
    tell(error.message);
  });
  if (!signal.aborted) view.removeAttribute("aria-busy");
}

function unescaped(text) {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

addEventListener("hashchange", show);

search.begin({
  guarded,
  open(kind, id) {
    if (location.hash === to(kind, id)) show(); else location.hash = to(kind, id);
  },
});
enter();
