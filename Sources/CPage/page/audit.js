// The audit log as a table: who did what to whom, when and from where, by filters; details, and a file.

import { to, write } from "./address.js";
import { labelled } from "./attributes.js";
import { csv } from "./columns.js";
import * as directory from "./directory.js";
import { button, choice, field, form, make, moment, repeated, section } from "./dom.js";
import { dialog, toast } from "./frame.js";
import { counted, say } from "./texts.js";

const kinds = ["created", "modified", "deleted", "signedIn", "refused", "granted", "exchanged", "revoked", "pruned"];
const entities = ["user", "role", "attribute", "backend", "virtualUser", "signingKey", "setting", "feed"];
const most = 10_000;

const text = (/** @type {any} */ value) => (value === undefined || value === null ? "" : typeof value === "string" ? value : JSON.stringify(value));
const who = (/** @type {any} */ one) => one.actor_name ?? one.actor;
const from = (/** @type {any} */ one) => text(one.after.from ?? one.before.from);

/** Where the person or the role of an entry is. @param {any} one */
function subject(one) {
  const href = one.kind === "deleted" || !one.id || !one.name ? null : one.entity === "user" ? to("user", one.id) : one.entity === "role" ? to("group", one.id) : one.entity === "attribute" ? to("admin", "attributes", { name: one.name }) : null;
  return href ? make("a", { href }, one.name) : one.name || "–";
}

/** What an entry changed, at its side. @param {any} one */
function details(one) {
  const names = [...new Set([...Object.keys(one.before), ...Object.keys(one.after)])];
  const facts = [[say("Number"), one.sequence], [say("Time"), moment(one.time) + repeated(one)], [say("By"), `${who(one)}${who(one) === one.actor ? "" : ` (${one.actor})`}`], [say("To what"), `${labelled(one.entity)} ${one.name} (${one.id})`], [say("Batch"), one.batch]].filter(([, value]) => value);
  const node = dialog(`${labelled(one.kind)}: ${one.name}`, make("dl", {}, ...facts.flatMap(([name, value]) => [make("dt", {}, name), make("dd", {}, String(value))])),
    names.length ? make("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": say("What changed") }, make("table", { class: "changes" }, make("thead", {}, make("tr", {}, ...[say("What"), say("Before"), say("After")].map((title) => make("th", { scope: "col" }, title)))),
      make("tbody", {}, ...names.map((name) => make("tr", {}, make("th", { scope: "row" }, labelled(name)), make("td", {}, text(one.before[name])), make("td", {}, text(one.after[name]))))))) : null,
    make("p", { class: "actions" }, button(say("Close"), () => node.close(), { autofocus: true })));
}

/**
 * The number before which all entries are older than a moment, found in some twenty short requests: numbers and times grow together.
 * @param {number} time @param {AbortSignal} signal
 */
async function numberAt(time, signal) {
  const newest = async (/** @type {string} */ query) => (await directory.admin(`changes?limit=1${query}`, "GET", undefined, signal)).elements[0];
  const last = await newest("");
  if (!last || Date.parse(last.time) < time) return null;
  let older = 1;
  let newer = last.sequence + 1;
  while (newer - older > 1) {
    const middle = Math.floor((older + newer) / 2);
    const found = await newest(`&before=${middle}`);
    if (!found || Date.parse(found.time) < time) older = middle; else newer = middle;
  }
  return older;
}

/** @param {AbortSignal} signal @param {Function} guarded @param {URLSearchParams} state */
export async function auditView(signal, guarded, state) {
  const chosen = {
    from: field("audit-from", say("time|From"), { type: "date", max: "9999-12-31" }), to: field("audit-to", say("time|To"), { type: "date", max: "9999-12-31" }),
    kind: choice("audit-kind", say("What happened"), [["", say("Anything")], ...kinds.map((one) => [one, labelled(one)])]),
    entity: choice("audit-entity", say("To what"), [["", say("Anything")], ...entities.map((one) => [one, labelled(one)])]),
    subject: field("audit-subject", say("Whose name or identifier"), { autocomplete: "off" }),
    actor: field("audit-actor", say("By whom"), { autocomplete: "off" }, say("As the entries show it; for people their identifier.")),
    batch: field("audit-batch", say("Number of the batch"), { autocomplete: "off", inputmode: "numeric" }),
  };
  for (const [name, { input }] of Object.entries(chosen)) input.value = state.get(name) ?? "";
  const values = () => Object.fromEntries(Object.entries(chosen).map(([name, { input }]) => [name, input.value.trim()]));
  const body = make("tbody", {});
  const none = make("p", { class: "soft", hidden: true }, say("Nothing was found."));
  const more = button(say("Show more"), () => guarded(() => load(next)));
  /** @type {number | null} */
  let next = null;
  let count = 0;
  /** A page of entries that the filters find. @param {number | null} before @param {number} limit */
  const page = async (before, limit) => {
    const { from: first, to: last, ...filters } = values();
    let start = before;
    if (!start && last) {
      const day = new Date(`${last}T00:00`);
      day.setDate(day.getDate() + 1);
      start = await numberAt(day.getTime(), signal);
    }
    const query = new URLSearchParams(Object.entries({ before: start ? String(start) : "", limit: String(limit), ...filters }).filter(([, value]) => value));
    const answer = await directory.admin(`changes?${query}`, "GET", undefined, signal);
    const begin = first ? new Date(`${first}T00:00`).getTime() : -Infinity;
    const found = answer.elements.filter((/** @type {any} */ one) => Date.parse(one.last_time ?? one.time) >= begin);
    return { found, next: found.length < answer.elements.length ? null : answer.next ?? null };
  };
  const row = (/** @type {any} */ one) => make("tr", {}, make("td", {}, moment(one.time), repeated(one)), make("td", { class: one.kind === "refused" ? "off" : null }, `${labelled(one.kind)} · ${labelled(one.entity)}`), make("th", { scope: "row" }, subject(one)),
    make("td", {}, who(one)), make("td", {}, from(one)), make("td", {}, one.batch ? make("a", { href: to("admin", "audit", { batch: String(one.batch) }) }, String(one.batch)) : ""),
    make("td", {}, button(say("Details"), () => details(one), { "aria-label": say("Details of {change}", { change: `${labelled(one.kind)}, ${one.name}, ${one.sequence}` }) })));
  const load = async (/** @type {number | null} */ before) => {
    const answer = await page(before, 50);
    if (!before) {
      body.replaceChildren();
      count = 0;
    }
    body.append(...answer.found.map(row));
    count += answer.found.length;
    ({ next } = answer);
    more.hidden = !next;
    none.hidden = count > 0;
  };
  const save = button(say("Save as CSV"), () => guarded(async () => {
    const all = [];
    for (let before = null, isFirst = true; (isFirst || before) && all.length < most; isFirst = false) {
      const answer = await page(before, 1_000);
      all.push(...answer.found);
      before = answer.next;
    }
    /** @type {[string, (one: any) => any][]} */
    const titles = [[say("Number"), (/** @type {any} */ one) => one.sequence], [say("Time"), (/** @type {any} */ one) => one.time], [say("Kind"), (/** @type {any} */ one) => one.kind], [say("Entity"), (/** @type {any} */ one) => one.entity], [say("Name"), (/** @type {any} */ one) => one.name], [say("Identifier"), (/** @type {any} */ one) => one.id],
      [say("By"), who], [say("From"), from], [say("Batch"), (/** @type {any} */ one) => one.batch], [say("Before"), (/** @type {any} */ one) => JSON.stringify(one.before)], [say("After"), (/** @type {any} */ one) => JSON.stringify(one.after)]];
    const link = make("a", { href: URL.createObjectURL(csv(titles.map(([title, value]) => ({ title, value: (/** @type {any} */ one) => text(value(one) ?? "") })), all)), download: "audit.csv" });
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
    toast(all.length >= most ? say("The newest {n} entries are saved. Choose a shorter time for the others.", { n: most }) : counted("{n} entry is saved.", "{n} entries are saved.", all.length));
  }));
  await load(null);
  return [section("audit", say("Audit log"), form({ class: "fields wide", id: "audit-filter", "data-seeks": true }, say("Filter"), () => {
    write(to("admin", "audit", values()));
    return guarded(() => load(null));
  }, ...Object.values(chosen).map(({ row }) => row)),
  make("p", { class: "actions" }, save), make("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": say("Entries") }, make("table", { id: "audit-rows", class: "log" },
    make("thead", {}, make("tr", {}, ...[say("Time"), say("What"), say("Name"), say("By"), say("From"), say("Batch"), ""].map((title) => (title ? make("th", { scope: "col" }, title) : make("td", {}))))), body)), none, make("p", { class: "actions" }, more))];
}
