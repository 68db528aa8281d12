// The attributes that the directory knows: who reads and writes them, their rules, how many use them; and declared ones: make, rename, remove.

import { to } from "./address.js";
import { learn } from "./attribute-texts.js";
import { labelled } from "./attributes.js";
import * as directory from "./directory.js";
import { button, field, make, refresh, section } from "./dom.js";
import { question, toast } from "./frame.js";
import { counted, languages, locale, say } from "./texts.js";
import { same, typedForm } from "./typed.js";

/** @typedef {import("./typed.js").Field} Field */

/** @type {[string, string][]} */
const readers = [["nobody", say("Nobody: it is a secret")], ["administrators", say("Administrators")], ["person", say("Administrators and the person")], ["managers", say("Administrators, the person and the managers above")], ["signedIn", say("Everybody who is signed in")]];
/** @type {[string, string][]} */
const writers = [["nobody", say("Nobody but the server")], ["administrators", say("Administrators")], ["person", say("Administrators and the person")]];
/** @type {[string, string][]} */
const types = [["string", say("Text")], ["integer", say("Whole number")], ["decimal", say("Number")], ["boolean", say("Yes or no")], ["time", say("Time")], ["binary", say("Bytes")]];
const allTypes = /** @type {[string, string][]} */ ([...types, ["complex", say("List with parts")]]);
const said = (/** @type {[string, string][]} */ options, /** @type {string} */ value) => options.find(([one]) => one === value)?.[1] ?? value;

/** @type {Field[]} */
const rights = [
  { name: "readers", label: say("Who reads it"), kind: "choice", options: readers, standard: "signedIn", effect: say("Also what searches, lists and apps may use.") },
  { name: "writers", label: say("Who writes it"), kind: "choice", options: writers, standard: "administrators", effect: say("People change their own values in 'My account'.") },
];
/** @type {Field[]} */
const rules = [
  { name: "indexed", label: say("Searches by it are fast"), kind: "flag", standard: true, effect: say("An index takes space, and some time with each change.") },
  { name: "unique", label: say("No two people have the same value"), kind: "flag", standard: false, effect: say("A second person with the value is refused.") },
  { name: "pattern", label: say("Pattern"), kind: "text", placeholder: "[A-Z]{2}[0-9]{4}", shownStandard: say("any text"), effect: say("A regular expression (RFC 9485) that the whole value matches.") },
  { name: "minimumLength", label: say("Fewest characters"), kind: "number", max: 100_000, shownStandard: say("no limit"), more: true },
  { name: "maximumLength", label: say("Most characters"), kind: "number", max: 100_000, shownStandard: say("no limit"), more: true },
  { name: "minimum", label: say("Smallest number"), kind: "json", shownStandard: say("no limit"), more: true },
  { name: "maximum", label: say("Largest number"), kind: "json", shownStandard: say("no limit"), more: true },
  { name: "multiValued", label: say("Has several values"), kind: "flag", standard: false, effect: say("Cannot be taken back."), more: true },
  { name: "caseExact", label: say("Capital and small letters differ"), kind: "flag", standard: false, effect: say("Cannot be taken back."), more: true },
];
/** @type {Field} */
const kind = { name: "type", label: say("Type"), kind: "choice", options: types, standard: "string", effect: say("A type can be widened later, such as whole numbers to text.") };
const languageNames = new Intl.DisplayNames([locale], { type: "language" });
/** The fields for the label and the description in each language of the page. */
const texts = languages.flatMap((one) => {
  const values = { language: languageNames.of(one) ?? one };
  return [
    { name: `labels.${one}`, label: say("Name in {language}", values), effect: one === "en" ? say("Also for languages without one.") : "" },
    { name: `descriptions.${one}`, label: say("Description in {language}", values) },
  ].map((field) => /** @type {Field} */ ({ ...field, kind: "text", more: true }));
});
/** What a change sends to make one object of another: the members that differ, and null for those that are gone. @param {any} before @param {any} after @returns {any} */
const changed = (before = {}, after = {}) => Object.fromEntries([...new Set([...Object.keys(before), ...Object.keys(after)])].filter((name) => !same(before[name], after[name])).map((name) => [name, after[name] ?? null]));
const renewTexts = async () => learn(await directory.attributeTexts());
const path = (/** @type {string} */ name) => `attributes/${encodeURIComponent(name)}`;

/** How many people have a value; null where that cannot be asked. @param {any} one @param {AbortSignal | undefined} signal */
async function uses(one, signal) {
  if (one.of !== "user" || one.type === "binary") return null;
  try {
    return (await directory.pageOf("Users", { filter: `${one.name} pr`, attributes: ["id"], count: 0, cursor: undefined, sort: /** @type {any} */ (null) }, signal)).totalResults;
  } catch (error) {
    if (error instanceof directory.Refusal && error.status === 400) return null;
    throw error;
  }
}
const people = (/** @type {number} */ count) => counted("{n} person has a value.", "{n} people have a value.", count);

/** Asks before more people may read or write. @param {any} before @param {any} after */
async function mayWiden(before, after) {
  const wider = [["readers", readers], ["writers", writers]].filter(([name, options]) => {
    const place = (/** @type {string} */ value) => /** @type {[string, string][]} */ (options).findIndex(([one]) => one === value);
    return after[/** @type {string} */ (name)] !== undefined && place(after[/** @type {string} */ (name)]) > place(before[/** @type {string} */ (name)]);
  });
  if (!wider.length) return true;
  const text = wider.map(([name, options]) => {
    const [now, then] = [before, after].map((one) => said(/** @type {any} */ (options), one[/** @type {string} */ (name)]));
    return name === "readers" ? say("{who} can read it then, in place of: {before}.", { who: then, before: now }) : say("{who} can write it then, in place of: {before}.", { who: then, before: now });
  }).join(" ");
  return question(say("Let more people see or change {attribute}?", { attribute: labelled(before.name) }), text, say("Let them"), say("Leave it"));
}

/** @param {any} one @param {AbortSignal} signal @param {Function} guarded */
async function change(one, signal, guarded) {
  const count = await uses(one, signal);
  /** @type {Field[]} */
  const fields = [...(one.declared ? [/** @type {Field} */ ({ name: "name", label: say("Name"), kind: "text", required: true, effect: say("A new name is in force for people, filters, apps and files at once; all of them must use it.") }), kind] : []),
    ...rights.map((right) => ({ ...right, shownStandard: "" })), ...(one.declared || one.name === "mail" ? rules.filter(({ name }) => one.declared || !["multiValued", "caseExact", "indexed"].includes(name)) : []),
    ...(one.declared ? texts : [])];
  const names = fields.map(({ name }) => name.split(".")[0]);
  const value = Object.fromEntries(Object.entries(one).filter(([name]) => names.includes(name)));
  const made = typedForm({ id: "attribute", fields, value, submit: say("Save"), guarded, async save(wanted, tell) {
    const changes = changed(value, wanted);
    /** @type {any} */
    const back = {};
    // Only the languages that were changed are sent, so that those that others change meanwhile stay.
    for (const name of ["labels", "descriptions"]) if (name in changes) [changes[name], back[name]] = [changed(value[name], wanted[name]), changed(wanted[name], value[name])];
    for (const name of ["readers", "writers"]) if (name in changes) back[name] = one[name];
    if (!Object.keys(changes).length) return tell(say("Nothing was changed."));
    if (!await mayWiden(one, changes)) return tell(say("Nothing was saved."));
    if (changes.name && count && !await question(say("Rename {name}?", { name: one.name }), `${people(count)} ${say("Apps, files and saved addresses that say {before} must say {after} from now on.", { before: one.name, after: changes.name })}`, say("Rename it"), say("Leave it"))) return tell(say("Nothing was saved."));
    await directory.admin(path(one.name), "PUT", { of: one.of, ...changes });
    await renewTexts();
    toast(say("{name} is saved.", { name: changes.name ?? one.name }), Object.keys(back).length ? () => guarded(async () => {
      await directory.admin(path(changes.name ?? one.name), "PUT", { of: one.of, ...back });
      await renewTexts();
      refresh();
    }) : null);
    made.node.isChanged = false;
    if (changes.name) location.hash = to("admin", "attributes", { name: changes.name, of: one.of });
    else refresh();
  } });
  const remove = button(say("Remove"), () => guarded(async () => {
    const now = await uses(one, undefined);
    const lost = now ? `${people(now)} ${say("All these values are lost, and cannot be brought back.")}` : now === 0 ? say("Nobody has a value.") : say("Its values are lost, and cannot be brought back.");
    if (!await question(say("Remove the attribute {name}?", { name: one.name }), lost, say("Remove it"), say("Keep it"))) return;
    await directory.ask(`admin/${path(one.name)}?of=${one.of}&removing_values=true`, undefined, "DELETE");
    toast(say("{name} is removed.", { name: one.name }));
    location.hash = "#admin/attributes";
  }), { class: "danger", "aria-label": say("Remove {name} with its values", { name: one.name }) });
  const list = to("people", "", { f: `${one.name} pr`, columns: `name,${one.name}` });
  return { title: labelled(one.name), parts: [
    make("p", { class: "soft" }, [one.of === "user" ? say("{name}, of people", { name: one.name }) : say("{name}, of roles", { name: one.name }), said(allTypes, one.type), one.multiValued ? say("several values") : null, one.declared ? say("declared here") : say("built in")].filter(Boolean).join(" · ")),
    count === null ? null : make("p", {}, count ? make("a", { href: list }, people(count)) : say("Nobody has a value.")), made.node,
    one.declared ? section("attribute-end", say("Remove"), make("p", {}, say("The attribute goes with all its values.")), make("p", { class: "actions" }, remove)) : null] };
}

/** @param {any[]} all */
function table(all) {
  const words = field("attribute-words", say("Find"), { type: "search", autocomplete: "off" });
  const rows = all.map((one) => ({ text: `${one.name} ${labelled(one.name)}`.toLowerCase(), node: make("tr", {},
    make("th", { scope: "row" }, make("a", { href: to("admin", "attributes", { name: one.name, of: one.of }) }, labelled(one.name)), make("small", { class: "soft" }, ` ${one.name}`)),
    make("td", {}, [one.of === "role" ? say("Roles") : null, said(allTypes, one.type), one.multiValued ? say("several") : null].filter(Boolean).join(", ")),
    make("td", {}, said(readers, one.readers)), make("td", {}, said(writers, one.writers)), make("td", {}, one.declared ? say("Declared") : say("Built in"))) }));
  words.input.addEventListener("input", () => {
    const text = words.input.value.trim().toLowerCase();
    for (const row of rows) row.node.hidden = !row.text.includes(text);
  });
  return [words.row, make("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": say("Table of attributes") }, make("table", {},
    make("thead", {}, make("tr", {}, ...[say("Attribute"), say("Type"), say("Read by"), say("Written by"), say("Origin")].map((text) => make("th", { scope: "col" }, text)))), make("tbody", {}, ...rows.map(({ node }) => node))))];
}

/** @param {Function} guarded */
function declare(guarded) {
  const fields = [/** @type {Field} */ ({ name: "name", label: say("Name"), kind: "text", required: true, placeholder: "badgeNumber", effect: say("Letters and digits. People see it in words: Badge number.") }), kind, ...rights, ...rules, ...texts];
  const made = typedForm({ id: "new-attribute", fields, value: { readers: "administrators" }, submit: say("Declare"), guarded, async save(value) {
    await directory.admin("attributes", "POST", value);
    await renewTexts();
    toast(say("{name} is declared.", { name: value.name }));
    location.hash = "#admin/attributes";
  } });
  return { title: say("New attribute"), parts: [make("p", { class: "soft" }, say("A further attribute of people. It is read by administrators until you let others.")), made.node] };
}

/** @param {AbortSignal} signal @param {Function} guarded @param {URLSearchParams} state */
export async function attributesView(signal, guarded, state) {
  if (state.get("new")) return declare(guarded);
  const { attributes: all } = await directory.admin("attributes", "GET", undefined, signal);
  const one = all.find((/** @type {any} */ other) => other.name === state.get("name") && other.of === (state.get("of") ?? "user"));
  if (one) return change(one, signal, guarded);
  const sorted = [...all].sort((one, other) => Number(other.declared) - Number(one.declared) || Number(one.of === "role") - Number(other.of === "role") || labelled(one.name).localeCompare(labelled(other.name)));
  return [section("attributes", say("Attributes"), make("p", { class: "actions" }, make("a", { href: to("admin", "attributes", { new: "1" }), class: "button main" }, say("New attribute"))), ...table(sorted))];
}
