// The page for people: sign in, search as you type, a profile, the chart, the members of a group.
// What comes from the directory becomes text, never markup.

import * as directory from "./directory.js";
import { draw, most } from "./chart.js";

const at = (id) => document.getElementById(id);
const view = at("view");
let own = null;
let drawing = 0;

function make(name, attributes = {}, ...children) {
  const node = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) node.setAttribute(key, value);
  node.append(...children.filter((child) => child !== null && child !== undefined));
  return node;
}

function tell(message) {
  at("notice").textContent = message ?? "";
  at("notice").hidden = !message;
}

// Signing in and out

function showEntry(message) {
  directory.signOut();
  own = null;
  for (const id of ["search", "account", "view"]) at(id).hidden = true;
  view.replaceChildren();
  closeResults();
  at("query").value = "";
  at("enter").hidden = false;
  at("password").value = "";
  document.title = "Roster";
  tell(message);
  at("name").focus();
}

at("enter").addEventListener("submit", async (event) => {
  event.preventDefault();
  const button = event.target.querySelector("button");
  button.disabled = true;
  try {
    own = await directory.signIn(at("name").value, at("password").value);
    at("password").value = "";
    at("enter").hidden = true;
    for (const id of ["search", "account", "view"]) at(id).hidden = false;
    tell();
    if (location.hash.length > 1) await show(); else location.hash = `#user/${own.id}`;
  } catch (error) {
    tell(error.message);
    at("password").select();
  } finally {
    button.disabled = false;
  }
});

at("leave").addEventListener("click", () => {
  history.replaceState(null, "", location.pathname);
  showEntry();
});

// Views

const heading = (text) => make("h1", { tabindex: "-1" }, text);
const link = (user) => make("a", { href: `#user/${user.id}` }, directory.label(user));

function people(users) {
  return make("ul", { class: "list" }, ...users.map((user) => make("li", {}, link(user), make("small", {}, user.title ?? user.userName))));
}

function initials(name) {
  const words = name.split(/\s+/).filter(Boolean);
  return (words.length > 1 ? [words[0], words[words.length - 1]] : words).map((word) => [...word][0]).join("").toUpperCase();
}

function head(user, current) {
  const name = directory.label(user);
  const tab = (kind, text) => make("a", { href: `#${kind}/${user.id}`, ...(kind === current ? { "aria-current": "page" } : {}) }, text);
  return [
    make("div", { class: "person" },
      make("div", { class: "badge", "aria-hidden": "true" }, initials(name)),
      make("div", {}, heading(name), make("p", {}, [user.title, user[directory.enterprise]?.department].filter(Boolean).join(" · ") || user.userName))),
    make("nav", { class: "tabs", "aria-label": "Views of this person" }, tab("user", "Profile"), tab("chart", "Reporting lines")),
  ];
}

async function userView(id) {
  const [user, reports] = await Promise.all([directory.person(id), directory.reports(id)]);
  const more = user[directory.enterprise] ?? {};
  const rows = [];
  const row = (name, ...values) => {
    const kept = values.flat().filter(Boolean);
    if (kept.length) rows.push(make("dt", {}, name), ...kept.map((value) => make("dd", {}, value)));
  };
  const elements = (list, text) => (list ?? []).map((one) => [text(one), one.type].filter(Boolean).join(" · "));
  if (user.active === false) row("Account", make("span", { class: "off" }, "disabled"));
  row("User name", user.userName);
  row("Mail", (user.emails ?? []).map((mail) => make("a", { href: `mailto:${encodeURIComponent(mail.value).replace("%40", "@")}` }, mail.value)));
  row("Phone", elements(user.phoneNumbers, (phone) => phone.value));
  row("Address", elements(user.addresses, (address) => address.formatted || [address.streetAddress, address.postalCode, address.locality, address.region, address.country].filter(Boolean).join(", ")));
  row("Department", more.department);
  row("Organization", more.organization);
  row("Employee number", more.employeeNumber);
  if (more.manager) row("Manager", link({ id: more.manager.value, displayName: more.manager.displayName, userName: more.manager.value }));
  row("Roles", (user.groups ?? []).map((group) => make("span", {}, make("a", { href: `#group/${group.value}` }, group.display), group.type === "indirect" ? " · through another role" : "")));
  const parts = [...head(user, "user"), make("dl", {}, ...rows)];
  if (reports.totalResults) {
    parts.push(make("h2", { id: "reports" }, `Reports (${reports.totalResults})`), people(reports.Resources));
    if (reports.totalResults > reports.Resources.length) parts.push(make("p", {}, `The first ${reports.Resources.length} are shown.`));
  }
  return parts;
}

async function chartView(id) {
  const [user, chain, reports] = await Promise.all([directory.person(id), directory.chain(id), directory.reports(id, most)]);
  const room = at("content").clientWidth - 2 * parseFloat(getComputedStyle(at("content")).paddingLeft) - 52;
  const parts = [...head(user, "chart"), draw(user, chain, reports.Resources, reports.totalResults, room)];
  parts.push(make("p", {}, reports.totalResults === 1 ? "1 report" : `${reports.totalResults} reports`));
  const others = reports.totalResults - reports.Resources.length;
  if (others > 0) parts.push(make("p", {}, make("a", { href: `#user/${id}` }, `and ${others} more`)));
  return parts;
}

async function groupView(id) {
  const [group, found] = await Promise.all([directory.group(id), directory.members(id)]);
  const list = people(found.Resources);
  const parts = [heading(group.name), make("p", {}, group.description ?? "A role"), make("h2", {}, `Members (${found.totalResults})`), list];
  let next = found.Resources.length + 1;
  if (next <= found.totalResults) {
    const button = make("button", { type: "button" }, "Show more");
    button.addEventListener("click", () => guarded(async () => {
      const page = await directory.members(id, next);
      list.append(...people(page.Resources).children);
      next += page.Resources.length;
      if (next > found.totalResults || !page.Resources.length) button.remove();
    }));
    parts.push(make("p", {}, button));
  }
  return parts;
}

const views = { user: userView, chart: chartView, group: groupView };

/** Does something that asks the server, and tells people where it cannot. */
async function guarded(work) {
  try {
    await work();
  } catch (error) {
    if (error.name === "AbortError") return;
    if (error.status === 401) showEntry(error.message); else tell(error.message);
  }
}

/** Shows what the address says. What was asked before, and comes later, is dropped. */
async function show() {
  if (!directory.isSignedIn()) return;
  const number = ++drawing;
  const [kind, id] = location.hash === "#me" ? ["user", own.id] : location.hash.slice(1).split("/");
  await guarded(async () => {
    tell();
    const parts = views[kind] && id ? await views[kind](decodeURIComponent(id)) : [heading("There is nothing here.")];
    if (number !== drawing) return;
    const card = make("article", { class: "card" }, ...parts);
    view.replaceChildren(card);
    const title = card.querySelector("h1");
    document.title = `${title.textContent} – Roster`;
    // In the chart the focus goes on with the person who was walked to.
    (card.querySelector(".chart .self") ?? title).focus({ preventScroll: true });
    scrollTo(0, 0);
  });
}
addEventListener("hashchange", show);
let width = innerWidth;
addEventListener("resize", () => {
  if (innerWidth !== width && location.hash.startsWith("#chart")) show();
  width = innerWidth;
});

// Search

const query = at("query");
const results = at("results");
let asking = null;
let timer = null;
let selected = -1;
let foundSoFar = 0;

function closeResults() {
  asking?.abort();
  clearTimeout(timer);
  at("panel").hidden = true;
  query.setAttribute("aria-expanded", "false");
  query.removeAttribute("aria-activedescendant");
  results.replaceChildren();
  at("count").textContent = "";
  selected = -1;
}

function select(index) {
  const options = [...results.children];
  if (!options.length) return;
  selected = (index + options.length) % options.length;
  options.forEach((option, position) => option.setAttribute("aria-selected", String(position === selected)));
  query.setAttribute("aria-activedescendant", options[selected].id);
  options[selected].scrollIntoView({ block: "nearest" });
}

function open(option) {
  const id = option?.dataset.user;
  if (!id) return;
  query.value = "";
  closeResults();
  if (location.hash === `#user/${id}`) show(); else location.hash = `#user/${id}`;
}

async function ask(isMore) {
  asking?.abort();
  const control = new AbortController();
  asking = control;
  const text = query.value.trim();
  if (!text) return closeResults();
  await guarded(async () => {
    const page = await directory.search(text, isMore ? foundSoFar + 1 : 1, control.signal);
    if (control.signal.aborted) return;
    if (!isMore) {
      results.replaceChildren();
      selected = -1;
      foundSoFar = 0;
    }
    for (const user of page.Resources) {
      const option = make("li", { id: `option-${foundSoFar++}`, role: "option", "aria-selected": "false", "data-user": user.id },
        directory.label(user), make("small", {}, [user.title, user.userName].filter(Boolean).join(" · ")));
      option.addEventListener("click", () => open(option));
      results.append(option);
    }
    at("panel").hidden = !foundSoFar;
    at("more").hidden = foundSoFar >= page.totalResults;
    query.setAttribute("aria-expanded", String(foundSoFar > 0));
    at("count").textContent = page.totalResults === 1 ? "1 person found" : `${page.totalResults} people found`;
  });
}

query.addEventListener("input", () => {
  clearTimeout(timer);
  timer = setTimeout(() => ask(false), 150);
});
query.addEventListener("keydown", (event) => {
  if (event.key === "ArrowDown") select(selected + 1);
  else if (event.key === "ArrowUp") select(selected - 1);
  else if (event.key === "Enter") open(results.children[Math.max(selected, 0)]);
  else if (event.key === "Escape") closeResults();
  else return;
  event.preventDefault();
});
at("more").addEventListener("click", () => ask(true));
document.addEventListener("click", (event) => {
  if (!at("search").contains(event.target)) closeResults();
});

showEntry();
