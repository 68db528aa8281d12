// What happened to a person: who changed what when, from which value to which, and taking one change back by a new one.

import { to } from "./address.js";
import { labelled } from "./attributes.js";
import * as directory from "./directory.js";
import { button, make, moment, refresh, repeated } from "./dom.js";
import { dialog, guarded, toast } from "./frame.js";
import { pieces, say } from "./texts.js";
import { inWords } from "./values.js";

/** @typedef {{sequence: number, time: string, actor: string, actor_name?: string, kind: string, entity: string, id: string, before: Record<string, any>, after: Record<string, any>, count?: number}} Change */

const changeKinds = ["created", "modified", "deleted"];
/** @type {Record<string, string>} */
const happened = { created: say("Created"), modified: say("Changed"), deleted: say("Deleted"), signedIn: say("Signed in"), refused: say("Sign-in refused"), granted: say("An app got tokens"), exchanged: say("A token was exchanged"), revoked: say("Sessions or tokens ended") };

const same = (/** @type {any} */ one, /** @type {any} */ other) => JSON.stringify(one ?? null) === JSON.stringify(other ?? null);
/**
 * A value that the history keeps as its length and a checksum.
 * @param {any} value
 * @returns {boolean}
 */
const isShort = (value) => (Array.isArray(value) ? value.every(isShort) : !(typeof value === "object" && value !== null && ("fnv1a" in value || !Object.values(value).every(isShort))));
const text = async (/** @type {string} */ name, /** @type {any} */ value) => (isShort(value) ? await inWords(name, value) || say("nothing") : say("{n} bytes, not kept in the history", { n: value.bytes ?? "?" }));

/**
 * The attributes that a change changed.
 * @param {Change} change
 */
const changedBy = (change) => [...new Set([...Object.keys(change.before), ...Object.keys(change.after)])].filter((name) => !same(change.before[name], change.after[name]))
  .sort((one, other) => labelled(one).localeCompare(labelled(other)));

// Undoing

/**
 * How a change is taken back: for each attribute the value before, and whether it can be set.
 * @param {Change} change
 * @param {any} form
 */
function planOf(change, form) {
  const now = new Map(form.attributes.map((/** @type {any} */ one) => [one.name, one]));
  return changedBy(change).map((name) => {
    const present = now.get(name);
    const target = change.before[name] ?? null;
    const obstacle = !present?.writable ? say("cannot be changed here") : !isShort(target) ? say("is not kept in the history") : same(present.value, target) ? say("is so already") : null;
    return { name, target, present: present?.value ?? null, obstacle, isNewer: !obstacle && !same(present.value, change.after[name]) };
  });
}

/**
 * Shows what taking a change back would do, and does it.
 * @param {string} id
 * @param {Change} change
 */
async function undo(id, change) {
  const form = await directory.formOf(id);
  const plan = planOf(change, form);
  const result = make("p", { class: "result", role: "status" });
  const rows = await Promise.all(plan.map(async ({ name, target, present, obstacle, isNewer }) => {
    const [now, then] = await Promise.all([text(name, present), text(name, target)]);
    const box = make("input", { type: "checkbox", id: `undo-${name}`, value: name, checked: !obstacle && !isNewer, disabled: Boolean(obstacle) });
    const note = obstacle ?? (isNewer ? say("was changed again since") : null);
    return make("tr", {}, make("th", { scope: "row" }, make("span", { class: "tick" }, box, make("label", { for: box.id }, labelled(name)))),
      make("td", {}, now), make("td", {}, then, note ? make("small", { class: "soft" }, ` · ${note}`) : null));
  }));
  const go = button(say("Undo"), () => guarded(async () => {
    const chosen = plan.filter(({ name }) => node.querySelector(`#undo-${name}`).checked);
    await directory.change(id, Object.fromEntries(chosen.map(({ name, target }) => [name, target])), form.version);
    node.close();
    refresh();
    toast(say("The change is undone, by a new change."));
  }, (error) => { result.textContent = error.message; }), { class: "main" });
  const node = dialog(say("Undo this change"),
    make("p", {}, say("{time}. The values before it are set again.", { time: moment(change.time) })),
    make("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": say("What changes") }, make("table", { id: "undo" },
      make("thead", {}, make("tr", {}, ...[say("Attribute"), say("Now"), say("Then")].map((name) => make("th", { scope: "col" }, name)))), make("tbody", {}, ...rows))),
    result, make("p", { class: "actions" }, button(say("Cancel"), () => node.close()), go));
  const mark = () => { go.disabled = !node.querySelector("#undo input:checked"); };
  node.addEventListener("change", mark);
  mark();
}

// The list

/**
 * Who did something: a person with a link, a program by its name.
 * @param {Change} change
 */
const actorOf = (change) => (change.actor_name ? make("a", { href: to("user", change.actor) }, change.actor_name) : change.actor || say("somebody else"));

/** @param {Change} change @param {string} id @param {boolean} mayUndo */
async function entry(change, id, mayUndo) {
  const names = changedBy(change);
  const head = make("div", {}, make("strong", {}, change.kind === "modified" && names.length ? say("Changed: {attributes}", { attributes: names.map(labelled).join(", ") }) : happened[change.kind] ?? labelled(change.kind)),
    make("small", {}, make("time", { datetime: change.time }, moment(change.time)), ...(changeKinds.includes(change.kind) ? [" · ", ...pieces("by {actor}", { actor: actorOf(change) })] : []), repeated(change)));
  if (names.length) {
    const rows = await Promise.all(names.map(async (name) => make("tr", {}, make("th", { scope: "row" }, labelled(name)),
      change.kind === "created" ? null : make("td", {}, await text(name, change.before[name])), make("td", {}, await text(name, change.after[name])))));
    const columns = change.kind === "created" ? [say("Attribute"), say("Value")] : changeKinds.includes(change.kind) ? [say("Attribute"), say("Before"), say("After")] : [say("Detail"), say("Before"), say("Value")];
    const table = make("table", { class: "changes" }, make("thead", {}, make("tr", {}, ...columns.map((name) => make("th", { scope: "col" }, name)))), make("tbody", {}, ...rows));
    head.append(change.kind === "modified" ? table : make("details", {}, make("summary", {}, change.kind === "created" ? say("First values") : say("Details")), table));
  }
  return make("li", { class: "tall" }, head, mayUndo && change.kind === "modified" && names.some((name) => name !== "passwordChanged")
    ? button(say("Undo"), () => guarded(() => undo(id, change)), { "aria-label": say("Undo the change of {attributes}, {time}", { attributes: names.map(labelled).join(", "), time: moment(change.time) }) }) : null);
}

/**
 * A change of a person's roles.
 * @param {any} change
 */
function roleEntry(change) {
  const name = change.role_display ?? change.role_name;
  const role = !name ? say("(deleted)") : change.role_exists ? make("a", { href: to("group", change.role) }, name) : name;
  const parts = change.relation === "owner" ? change.kind === "added" ? pieces("Became an owner of the role {role}", { role }) : pieces("Is no owner of the role {role} any more", { role })
    : change.kind === "added" ? pieces("Added to the role {role}", { role }) : pieces("Removed from the role {role}", { role });
  return make("li", { class: "tall" }, make("div", {}, make("strong", {}, ...parts),
    make("small", {}, make("time", { datetime: change.time }, moment(change.time)), " · ", ...pieces("by {actor}", { actor: actorOf(change) }), change.role_deleted ? ` · ${say("the role was deleted")}` : null)));
}

const isSignIn = (/** @type {Change} */ one) => !changeKinds.includes(one.kind);

/**
 * Asks for the entries about a person page by page, newest first. Administrators read the feed; others read about themselves what their own data has.
 * @param {string} id
 * @param {boolean} isSignIns whether sign-ins are asked for, in place of changes
 * @param {AbortSignal} signal
 * @returns {Source}
 */
function entriesOf(id, isSignIns, signal) {
  const fits = (/** @type {Change} */ one) => one.entity === "user" && one.id === id && isSignIn(one) === isSignIns;
  return async (next) => {
    if (!directory.may("administrator")) return { found: (await directory.ownChanges(signal)).filter(fits), next: null };
    const page = await directory.admin(`changes?${new URLSearchParams({ subject: id, limit: "50", ...(next ? { before: String(next) } : {}) })}`, "GET", undefined, signal);
    return { found: page.elements.filter(fits), next: page.next ?? null, after: page.next };
  };
}

/**
 * Asks for the changes of a person's roles page by page, newest first.
 * @param {string} id
 * @param {AbortSignal} signal
 * @returns {Source}
 */
const roleChangesOf = (id, signal) => async (next) => {
  const page = await directory.admin(`users/${encodeURIComponent(id)}/role-changes?${new URLSearchParams({ count: "20", ...(next ? { before: String(next) } : {}) })}`, "GET", undefined, signal);
  return { found: page.elements, next: page.next ?? null };
};

/**
 * A source of entries, newest first: a page of them, what asks for the next page, and the number after which entries of it are still to come.
 * @typedef {(next: any) => Promise<{found: any[], next: any, after?: number}>} Source
 */

/**
 * Puts the entries of several sources in their order, a page at a time.
 * @param {Source[]} sources
 */
function pages(...sources) {
  const states = sources.map((source) => ({ source, found: /** @type {any[]} */ ([]), next: /** @type {any} */ (undefined), after: Infinity }));
  return async () => {
    /** @type {any[]} */
    const changes = [];
    // A page can be short, or empty, although there are more.
    for (let turn = 0; changes.length < 20;) {
      const empty = states.find((one) => !one.found.length && one.next !== null);
      if (empty && turn < 20) {
        turn += 1;
        const page = await empty.source(empty.next);
        Object.assign(empty, { found: page.found, next: page.next, after: page.next === null ? -1 : page.after ?? page.found.at(-1)?.sequence ?? empty.after });
        continue;
      }
      const first = states.filter((one) => one.found.length).sort((one, other) => other.found[0].sequence - one.found[0].sequence)[0];
      // What a source still has may be newer than what the other one has.
      if (!first || states.some((one) => !one.found.length && one.next !== null && one.after > first.found[0].sequence)) break;
      changes.push(first.found.shift());
    }
    return { changes, hasMore: states.some((one) => one.found.length || one.next !== null) };
  };
}

/**
 * The history of a person.
 * @param {any} user
 * @param {URLSearchParams} state `of=sign-ins` for sign-ins in place of changes
 * @param {AbortSignal} signal
 */
export async function historyParts(user, state, signal) {
  const isSignIns = state.get("of") === "sign-ins";
  const more = isSignIns ? pages(entriesOf(user.id, true, signal)) : pages(entriesOf(user.id, false, signal), roleChangesOf(user.id, signal));
  const mayUndo = !isSignIns && directory.may("administrator", "people-editor");
  const choice = (/** @type {boolean} */ isOn, /** @type {string} */ name, /** @type {string} */ of) => make("a", { href: to("user", user.id, { show: "history", of }), ...(isOn ? { "aria-current": "true" } : {}) }, name);
  const list = make("ul", { class: "rows", id: "history", "aria-label": isSignIns ? say("Sign-ins") : say("Changes") });
  const next = button(say("Show more"), () => guarded(load));
  const load = async () => {
    const { changes, hasMore } = await more();
    list.append(...await Promise.all(changes.map((change) => ("relation" in change ? roleEntry(change) : entry(change, user.id, mayUndo)))));
    next.hidden = !hasMore;
    if (!list.children.length && !hasMore) list.append(make("li", { class: "soft" }, isSignIns ? say("No sign-in is kept.") : say("No change is kept.")));
  };
  await load();
  return [make("nav", { class: "switch", "aria-label": say("What is shown") }, choice(!isSignIns, say("Changes"), ""), choice(isSignIns, say("Sign-ins"), "sign-ins")), list, make("p", { class: "actions" }, next)];
}
