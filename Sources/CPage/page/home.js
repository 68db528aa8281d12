// What somebody sees first: their team, who is new or has moved, their roles, and what needs an administrator's hand.

import { to } from "./address.js";
import * as directory from "./directory.js";
import { make, moment } from "./dom.js";
import { heading } from "./frame.js";
import { link, list, roleOf } from "./person.js";

const mostShown = 8;

/** A part of the view, with a heading that names it. */
const part = (id, title, ...children) => make("section", { id, "aria-labelledby": `${id}-title` }, make("h2", { id: `${id}-title` }, title), ...children);
const soft = (text) => make("p", { class: "soft" }, text);

/** Some people of a team, and the way to all of them. */
function group(id, title, people, total, filter) {
  if (!people.length) return [];
  return [make("h3", { id }, `${title} (${total.toLocaleString()})`), list("user", people, id),
    total > people.length ? make("p", {}, make("a", { href: to("people", "", { f: filter }) }, `All ${total.toLocaleString()}`)) : null];
}

async function team(me, signal) {
  const manager = me[directory.enterprise]?.manager;
  const [peers, reports] = await Promise.all([manager?.value ? directory.team(manager.value, mostShown + 1, signal) : null, directory.team(me.id, mostShown, signal)]);
  const others = (peers?.Resources ?? []).filter((one) => one.id !== me.id).slice(0, mostShown);
  const by = (id) => `manager eq ${JSON.stringify(id)}`;
  return part("team", "My team",
    make("p", {}, make("a", { href: "#me" }, "My profile"), " · ", make("a", { href: to("chart", me.id) }, "In the chart")),
    ...(manager?.value ? [make("h3", { id: "home-manager" }, "Manager"), make("ul", { class: "list", "aria-labelledby": "home-manager" },
      make("li", {}, link("user", { id: manager.value, displayName: manager.displayName || manager.value })))] : []),
    ...group("home-peers", "Peers", others, (peers?.totalResults ?? 1) - 1, manager && by(manager.value)),
    ...group("home-reports", "Reports", reports.Resources, reports.totalResults, by(me.id)),
    !manager?.value && !reports.totalResults ? soft("You have no manager and no reports here.") : null);
}

/** What has changed of somebody, in words. */
function happened({ kind, before, after }) {
  if (kind === "new") return ["New", after.title, after.department].filter(Boolean).join(" · ");
  const name = (value) => (typeof value === "object" ? value.name || "somebody" : value);
  return ["manager", "title", "department"].filter((one) => before[one] || after[one])
    .map((one) => `${one === "manager" ? "Manager" : one === "title" ? "Title" : "Department"}: ${before[one] ? name(before[one]) : "none"} → ${after[one] ? name(after[one]) : "none"}`).join(" · ");
}

async function news(signal) {
  const found = await directory.news(signal);
  return part("news", "New and moved", found.length ? make("ul", { class: "rows", "aria-labelledby": "news-title" },
    ...found.map((one) => make("li", { class: "tall" }, make("div", {}, link("user", { id: one.id, displayName: one.name }), make("small", {}, happened(one), " · ", moment(one.time))))))
    : soft("Nobody is new, and nobody has moved lately."));
}

function roles(me) {
  const own = me.groups ?? [];
  return part("own-roles", "My roles", own.length ? make("ul", { class: "rows", "aria-labelledby": "own-roles-title" }, ...own.map((one) => make("li", {}, roleOf(one, me))))
    : soft("You are in no role."));
}

const people = (count, rest) => (count === "1" ? `1 person ${rest[0]}` : `${count} people ${rest[1]}`);
const things = (count, one, more) => (count === "1" ? `1 ${one}` : `${count} ${more}`);
/** What may need a hand, in words, and where it is seen. */
const hands = {
  without_manager: [(count) => people(count, ["has no manager", "have no manager"])],
  disabled_managers: [(count) => people(count, ["is disabled and has reports", "are disabled and have reports"])],
  without_mail: [(count) => people(count, ["has no mail address", "have no mail address"])],
  unused_apps: [(count) => things(count, "app has had no token for 30 days", "apps have had no token for 30 days"), "#admin/backends"],
  tokens: [(count) => things(count, "program's token ends within 30 days", "programs' tokens end within 30 days"), "#admin/tokens"],
  certificates: [(count) => things(count, "certificate ends within 30 days", "certificates end within 30 days"), "#admin/server"],
  keys: [(count) => things(count, "signing key is older than a year", "signing keys are older than a year"), "#admin/keys"],
  refused_sign_ins: [(count) => things(count, "sign-in was refused since yesterday", "sign-ins were refused since yesterday"), to("admin", "audit", { kind: "refused" })],
};

async function attention(signal) {
  const { version, elements } = await directory.admin("attention", "GET", undefined, signal);
  const found = elements.filter((one) => one.count && hands[one.name]);
  const row = (one) => {
    const [text, place] = hands[one.name];
    const count = `${one.more ? "More than " : ""}${one.count.toLocaleString()}`;
    return make("li", { class: "tall" }, make("div", {}, make("a", { href: place ?? to("people", "", { f: one.filter }) }, text(count)),
      one.subjects?.length ? make("small", {}, one.subjects.slice(0, mostShown).join(", ") + (one.subjects.length > mostShown ? " …" : "")) : null));
  };
  return part("attention", "What needs a hand", found.length ? make("ul", { class: "rows", "aria-labelledby": "attention-title" }, ...found.map(row)) : soft("Nothing needs a hand now."),
    make("p", { class: "soft" }, make("a", { href: "#admin/server" }, `Roster ${version}`)));
}

export async function homeView(signal) {
  const me = await directory.person(directory.who.user.id, signal);
  const [hand, own, lately] = await Promise.all([directory.may("administrator") ? attention(signal) : null, team(me, signal), news(signal)]);
  return { parts: [heading(`Hello, ${me.name?.givenName || directory.label(me)}`),
    make("div", { class: "home" }, make("div", {}, hand, own, roles(me)), make("div", {}, lately))] };
}
