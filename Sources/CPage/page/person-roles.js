// The roles of a person: those that the person has directly, those through other roles with the way there, and those that the person owns.

import { to } from "./address.js";
import * as directory from "./directory.js";
import { button, form, make, refresh, section } from "./dom.js";
import { guarded } from "./frame.js";
import { picker } from "./picker.js";
import { say } from "./texts.js";

const mostRoles = 500;

/**
 * The roles around those that somebody has directly, level by level: each with the role inside it through which it was found first.
 * @param {{id: string, name: string}[]} direct
 * @param {AbortSignal} signal
 */
async function rolesAround(direct, signal) {
  /** @type {Map<string, {id: string, name: string, inside: string | null}>} */
  const known = new Map(direct.map((one) => [one.id, { ...one, inside: null }]));
  let level = direct.map(({ id }) => id);
  while (level.length && known.size < mostRoles) {
    const found = await Promise.all(level.map(async (id) => ({ id, around: await directory.allRelated(id, "groupMemberOf", signal) })));
    level = [];
    for (const { id, around } of found) {
      for (const role of around.filter((/** @type {any} */ one) => !known.has(one.id))) {
        known.set(role.id, { id: role.id, name: directory.label(role), inside: id });
        level.push(role.id);
      }
    }
  }
  return known;
}

const link = (/** @type {{id: string, name: string}} */ role) => make("a", { href: to("group", role.id) }, role.name);

/** @param {any} user @param {AbortSignal} signal */
export async function rolesParts(user, signal) {
  const all = (user.groups ?? []).map((/** @type {any} */ one) => ({ id: one.value, name: one.display || one.value, isDirect: one.type !== "indirect" }));
  const direct = all.filter((/** @type {any} */ one) => one.isDirect);
  const indirect = all.filter((/** @type {any} */ one) => !one.isDirect);
  const [around, owned] = await Promise.all([indirect.length ? rolesAround(direct, signal) : new Map(), directory.owned(user.id, signal)]);
  const administers = directory.may("administrator");
  /**
   * The roles from a direct one up to a role.
   * @param {string} id
   */
  const way = (id) => {
    const steps = [];
    for (let role = around.get(id); role; role = around.get(role.inside)) steps.unshift(role);
    return steps.length ? steps.flatMap((role, index) => [index ? " → " : "", link(role)]) : [say("The roles between are not known.")];
  };
  const rows = (/** @type {Element[]} */ found, /** @type {string} */ id, /** @type {string} */ none) => make("ul", { class: "rows", "aria-labelledby": id }, ...(found.length ? found : [make("li", { class: "soft" }, none)]));
  const directRow = (/** @type {any} */ one) => make("li", {}, make("div", {}, link(one)), administers ? button(say("Remove"), () => guarded(async () => {
    await directory.removeMember(one.id, user.id);
    refresh();
  }), { "aria-label": say("Remove from {role}", { role: one.name }) }) : null);
  const parts = [section("roles", say("Directly"), rows(direct.map(directRow), "roles", say("In no role directly.")))];
  if (administers) {
    const role = picker("add-role", "group", null);
    parts[0].append(form({ class: "fields", id: "add-to-role" }, say("Add to the role"), (/** @type {(text: string) => false} */ tell) => guarded(async () => {
      const chosen = await role.resolve();
      if (!chosen) return tell(say("Choose a role first."));
      await directory.addMember(chosen, user.id);
      refresh();
    }, (/** @type {Error} */ error) => tell(error.message)), make("div", { class: "row" }, make("label", { for: "add-role" }, say("Role")), role.node)));
  }
  if (indirect.length) {
    parts.push(section("indirect-roles", say("Through other roles"), rows(indirect.map((/** @type {any} */ one) => make("li", {}, make("div", {}, link(one), make("small", { class: "path" }, say("Why: "), ...way(one.id))))), "indirect-roles", "")));
  }
  if (owned.length) {
    parts.push(section("owned-roles", say("Owner of"), rows(owned.map((/** @type {any} */ one) => make("li", {}, link({ id: one.id, name: directory.label(one) }))), "owned-roles", "")));
  }
  return parts;
}
