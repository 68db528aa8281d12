// The view of a role: who is in it, and why; what it is in; who owns it; what it may.

import { to } from "./address.js";
import * as directory from "./directory.js";
import { button, make } from "./dom.js";
import { guarded, heading } from "./frame.js";
import { growing, list, people } from "./person.js";
import { explained } from "./powers.js";
import { pieces, say } from "./texts.js";

const mostRoles = 500;

/** The roles inside a role, level by level: each with the role through which it is inside. */
async function rolesInside(id, name, signal) {
  const known = new Map([[id, { id, name, around: null }]]);
  let level = [id];
  while (level.length && known.size < mostRoles) {
    const found = await Promise.all(level.map(async (around) => [around, await directory.allRelated(around, "groupMembers", signal)]));
    level = [];
    for (const [around, roles] of found) {
      for (const role of roles.filter((one) => !known.has(one.id))) {
        known.set(role.id, { id: role.id, name: directory.label(role), around: known.get(around) });
        level.push(role.id);
      }
    }
  }
  return known;
}

/** The shortest way from a role that somebody has directly to a role; empty where it is not known. */
function way(inside, user) {
  const own = new Set((user.groups ?? []).filter((one) => one.type !== "indirect").map((one) => one.value));
  // The roles are known level by level, so that the first one is nearest.
  let role = [...inside.values()].find((one) => own.has(one.id));
  const steps = [];
  for (; role; role = role.around) steps.push(role);
  return steps;
}

/** Why somebody is in a role: the roles from one that the person has directly up to it. */
export const pathsTo = async (id, name, user, signal) => way(await rolesInside(id, name, signal), user);
export const pathText = (steps) => make("span", { class: "path" }, ...(steps.length
  ? steps.flatMap((role, index) => [index ? " → " : null, make("a", { href: to("group", role.id) }, role.name)]) : [say("The roles between are not known.")]));

/** A heading and what a role is related to, a hundred at a time. */
function related(key, text, kind, found, note, id, relation, signal) {
  if (!found.length) return [];
  const ask = async (next) => {
    const more = await directory.related(id, relation, signal, Math.ceil(next / directory.relatedCount));
    return { rows: [...list(kind, more, key).children], hasMore: more.hasMore };
  };
  return [make("h2", { id: key }, text), note ? make("p", { class: "soft" }, note) : null, ...growing(list(kind, found, key), found.hasMore, ask)];
}

/** @param state `members=all` shows those through other roles, too */
export async function groupView(id, signal, state, refresh) {
  const isAll = state.get("members") === "all";
  const ask = (next) => directory.members(id, next, signal, isAll);
  const [group, members, inside, around, owners, owningRoles] = await Promise.all([
    directory.group(id, signal), ask(1),
    ...["groupMembers", "groupMemberOf", "personOwner", "groupOwner"].map((name) => directory.related(id, name, signal)),
  ]);
  const name = group.name || group.id;
  const rolesWithin = isAll ? await rolesInside(id, name, signal) : null;
  const why = (one) => {
    const steps = way(rolesWithin, one);
    return steps.length === 1 ? say("directly") : make("span", {}, ...pieces("through {roles}", { roles: pathText(steps.slice(0, -1)) }));
  };
  const choice = (isOn, text, value) => make("a", { href: to("group", id, { members: value }), ...(isOn ? { "aria-current": "true" } : {}) }, text);
  const isOwner = owners.some((one) => one.id === directory.who.user.id);
  const mayChange = directory.may("administrator") || isOwner;
  const parts = [
    make("p", { class: "kind" }, say("Role")), heading(name),
    group.description ? make("p", { class: "soft" }, group.description) : null,
    ...await explained(id, signal),
    inside.length ? make("nav", { class: "switch", "aria-label": say("Which members") }, choice(!isAll, say("Direct members"), ""), choice(isAll, say("Also through other roles"), "all")) : null,
    ...people("members", isAll ? say("All members") : inside.length ? say("Direct members") : say("Members"), members, ask, isAll ? why : undefined),
    members.totalResults ? make("p", {}, make("a", { href: to("people", "", { f: `groups.effective eq ${JSON.stringify(id)}` }) }, say("Show them as a table"))) : null,
    ...related("inside", say("Roles in this role"), "group", inside, say("Their members are members of this role as well."), id, "groupMembers", signal),
    ...related("around", say("In other roles"), "group", around, null, id, "groupMemberOf", signal),
    ...related("owners", say("Owners"), "user", owners, null, id, "personOwner", signal),
    ...related("owning", say("Owners through a role"), "group", owningRoles, null, id, "groupOwner", signal),
  ];
  if (!mayChange) return { parts };
  const administration = await import("./administration.js");
  return {
    parts: [...parts, ...await administration.roleSections(group, guarded, directory.may("administrator"))],
    done() { offerRemoval(group, refresh); },
  };
}

/** Puts a button for removal beside each member and owner, once somebody asks for them. */
function offerRemoval(group, refresh) {
  const start = document.getElementById("edit-members");
  start.addEventListener("click", () => {
    start.remove();
    for (const [key, remove] of Object.entries({ members: directory.removeMember, owners: directory.removeOwner })) {
      for (const item of document.querySelectorAll(`#view [aria-labelledby=${key}] li`)) {
        const one = item.querySelector("a");
        item.append(button(say("Remove"), () => guarded(async () => {
          await remove(group.id, decodeURIComponent(one.hash.split("/")[1]));
          await refresh();
        }), { "aria-label": say("Remove {name}", { name: one.textContent }) }));
      }
    }
  });
}
