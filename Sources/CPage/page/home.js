// What somebody sees first: their team, who is new or has moved, their roles, and what needs an administrator's hand.

import { to } from "./address.js";
import * as directory from "./directory.js";
import { make, moment } from "./dom.js";
import { heading } from "./frame.js";
import { link, list, roleOf } from "./person.js";
import { counted, number, say } from "./texts.js";

const mostShown = 8;

/** A part of the view, with a heading that names it. */
const part = (id, title, ...children) => make("section", { id, "aria-labelledby": `${id}-title` }, make("h2", { id: `${id}-title` }, title), ...children);
const soft = (text) => make("p", { class: "soft" }, text);

/** Some people of a team, and the way to all of them. */
function group(id, title, people, total, filter) {
  if (!people.length) return [];
  return [make("h3", { id }, `${title} (${number(total)})`), list("user", people, id),
    total > people.length ? make("p", {}, make("a", { href: to("people", "", { f: filter }) }, say("All {n}", { n: total }))) : null];
}

async function team(me, signal) {
  const manager = me[directory.enterprise]?.manager;
  const [peers, reports] = await Promise.all([manager?.value ? directory.team(manager.value, mostShown + 1, signal) : null, directory.team(me.id, mostShown, signal)]);
  const others = (peers?.Resources ?? []).filter((one) => one.id !== me.id).slice(0, mostShown);
  const by = (id) => `manager eq ${JSON.stringify(id)}`;
  return part("team", say("My team"),
    make("p", {}, make("a", { href: "#me" }, say("My profile")), " · ", make("a", { href: to("chart", me.id) }, say("In the chart"))),
    ...(manager?.value ? [make("h3", { id: "home-manager" }, say("Manager")), make("ul", { class: "list", "aria-labelledby": "home-manager" },
      make("li", {}, link("user", { id: manager.value, displayName: manager.displayName || manager.value })))] : []),
    ...group("home-peers", say("Peers"), others, (peers?.totalResults ?? 1) - 1, manager && by(manager.value)),
    ...group("home-reports", say("Reports"), reports.Resources, reports.totalResults, by(me.id)),
    !manager?.value && !reports.totalResults ? soft(say("You have no manager and no reports here.")) : null);
}

/** What has changed of somebody, in words. */
function happened({ kind, before, after }) {
  if (kind === "new") return [say("New"), after.title, after.department].filter(Boolean).join(" · ");
  const name = (value) => (typeof value === "object" ? value.name || say("somebody") : value);
  return ["manager", "title", "department"].filter((one) => before[one] || after[one])
    .map((one) => `${one === "manager" ? say("Manager") : one === "title" ? say("Title") : say("Department")}: ${before[one] ? name(before[one]) : say("value|none")} → ${after[one] ? name(after[one]) : say("value|none")}`).join(" · ");
}

async function news(signal) {
  const found = await directory.news(signal);
  return part("news", say("New and moved"), found.length ? make("ul", { class: "rows", "aria-labelledby": "news-title" },
    ...found.map((one) => make("li", { class: "tall" }, make("div", {}, link("user", { id: one.id, displayName: one.name }), make("small", {}, happened(one), " · ", moment(one.time))))))
    : soft(say("Nobody is new, and nobody has moved lately.")));
}

function roles(me) {
  const own = me.groups ?? [];
  return part("own-roles", say("My roles"), own.length ? make("ul", { class: "rows", "aria-labelledby": "own-roles-title" }, ...own.map((one) => make("li", {}, roleOf(one, me))))
    : soft(say("You are in no role.")));
}

/** What may need a hand, in words, and where it is seen. */
const hands = {
  without_manager: [(n) => counted("{n} person has no manager", "{n} people have no manager", n)],
  disabled_managers: [(n) => counted("{n} person is disabled and has reports", "{n} people are disabled and have reports", n)],
  without_mail: [(n) => counted("{n} person has no mail address", "{n} people have no mail address", n)],
  unused_apps: [(n) => counted("{n} app has had no token for 30 days", "{n} apps have had no token for 30 days", n), "#admin/backends"],
  unused_tokens: [(n) => counted("{n} program's token was not used for 30 days", "{n} programs' tokens were not used for 30 days", n), "#admin/tokens"],
  tokens: [(n) => counted("{n} program's token ends within 30 days", "{n} programs' tokens end within 30 days", n), "#admin/tokens"],
  certificates: [(n) => counted("{n} certificate ends within 30 days", "{n} certificates end within 30 days", n), "#admin/server"],
  keys: [(n) => counted("{n} signing key is older than a year", "{n} signing keys are older than a year", n), "#admin/keys"],
  refused_sign_ins: [(n) => counted("{n} sign-in was refused since yesterday", "{n} sign-ins were refused since yesterday", n), to("admin", "audit", { kind: "refused" })],
};

async function attention(signal) {
  const { version, elements } = await directory.admin("attention", "GET", undefined, signal);
  const found = elements.filter((one) => one.count && hands[one.name]);
  const row = (one) => {
    const [text, place] = hands[one.name];
    return make("li", { class: "tall" }, make("div", {}, make("a", { href: place ?? to("people", "", { f: one.filter }) }, one.more ? say("More than {text}", { text: text(one.count) }) : text(one.count)),
      one.subjects?.length ? make("small", {}, one.subjects.slice(0, mostShown).join(", ") + (one.subjects.length > mostShown ? " …" : "")) : null));
  };
  return part("attention", say("What needs a hand"), found.length ? make("ul", { class: "rows", "aria-labelledby": "attention-title" }, ...found.map(row)) : soft(say("Nothing needs a hand now.")),
    make("p", { class: "soft" }, make("a", { href: "#admin/server" }, `Roster ${version}`)));
}

export async function homeView(signal) {
  const me = await directory.person(directory.who.user.id, signal);
  const [hand, own, lately] = await Promise.all([directory.may("administrator") ? attention(signal) : null, team(me, signal), news(signal)]);
  return { parts: [heading(say("Hello, {name}", { name: me.name?.givenName || directory.label(me) })),
    make("div", { class: "home" }, make("div", {}, hand, own, roles(me)), make("div", {}, lately))] };
}
