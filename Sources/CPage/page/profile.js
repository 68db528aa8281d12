// The profile of a person.

import { copyButton } from "./copy.js";
import * as directory from "./directory.js";
import { kindOf, make } from "./dom.js";
import { guarded, notForYou } from "./frame.js";
import { head, link, people, roleOf, tabsOf } from "./person.js";
import { say } from "./texts.js";

/** The parts of a person's view besides the overview, by the names of their tabs. */
const others = {
  roles: async (user, state, signal) => (await import("./person-roles.js")).rolesParts(user, signal),
  access: async (user, state, signal) => (await import("./access.js")).accessParts(user, signal),
  history: async (user, state, signal) => (await import("./history.js")).historyParts(user, state, signal),
};

/** All attributes that may be read, which are asked for when somebody wants to see them. */
function everything(user, signal) {
  const list = make("dl", {});
  const node = make("details", { class: "more-fields", id: "all-attributes" }, make("summary", {}, say("All attributes")), list);
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
  const typed = (one, shown) => shown && make("span", {}, shown, one.type ? make("span", { class: "soft" }, ` · ${kindOf(one.type)}`) : null);
  const place = (one) => one.formatted
    || [one.streetAddress, one.postalCode, one.locality, one.region, one.country].filter(Boolean).join(", ");
  const mail = (value) => make("a", { href: `mailto:${encodeURIComponent(value).replace("%40", "@")}` }, value);
  const phone = (value) => make("a", { href: `tel:${value.replace(/[^+\d]/g, "")}` }, value);
  if (user.active === false) row(say("Account"), make("span", { class: "off" }, say("Disabled")));
  row(say("User name"), make("span", {}, user.userName, " ", copyButton(user.userName, say("user name"))));
  if (user.name?.formatted !== directory.label(user)) row(say("Full name"), user.name?.formatted);
  row(say("Mail"), (user.emails ?? []).map((one) => one.value && make("span", {}, typed(one, mail(one.value)), " ", copyButton(one.value, say("mail address {mail}", { mail: one.value })))));
  row(say("Phone"), (user.phoneNumbers ?? []).map((one) => typed(one, one.value && phone(one.value))));
  row(say("Address"), (user.addresses ?? []).map((one) => typed(one, place(one))));
  row(say("Department"), more.department);
  row(say("Organization"), more.organization);
  row(say("Employee number"), more.employeeNumber);
  if (more.manager?.value) row(say("Manager"), link("user", { ...more.manager, id: more.manager.value }));
  row(say("Identifier"), make("span", {}, make("code", {}, user.id), " ", copyButton(user.id, say("identifier"))));
  row(say("Roles"), (user.groups ?? []).map((group) => roleOf(group, user)));
  const parts = [...head(user, "user"), make("dl", {}, ...rows), everything(user, signal)];
  if (reports.totalResults) parts.push(...people("reports", say("Reports"), reports, ask));
  return { parts };
}
