// The form with attributes of a person: all mistakes are told at once beside their fields, and a change by somebody else is not overwritten.

import { labelled } from "./attributes.js";
import { save } from "./conflict.js";
import { Refusal, who } from "./directory.js";
import { form, make } from "./dom.js";
import { fields, inOrder, isUsual } from "./fields.js";
import { guarded } from "./frame.js";
import { say } from "./texts.js";
import { inWords } from "./values.js";

/** @typedef {import("./attributes.js").Attribute} Attribute */
/** @typedef {import("./fields.js").Entry} Entry */

/**
 * A list element's attribute belongs to the field of the list: a refused `mail` is shown at the mail addresses.
 * @type {Record<string, string>}
 */
const shownAt = { mail: "emails", telephoneNumber: "phoneNumbers", mobile: "phoneNumbers", country: "addresses" };

/**
 * Tells all mistakes beside their fields, and in one sentence.
 * @param {Entry[]} entries
 * @param {string[]} required the names of attributes that must have a value
 * @param {(text: string) => false} tell
 */
async function hasMistakes(entries, required, tell) {
  const found = (await Promise.all(entries.map(async (entry) => {
    let text = await entry.check();
    if (!text && required.includes(entry.one.name) && !await entry.value()) {
      text = say("This is needed.");
      entry.tell(text);
    }
    return text ? { entry, text } : null;
  }))).filter((one) => one !== null);
  if (!found.length) return false;
  const [{ entry }] = found;
  for (const one of found) one.entry.row.closest("details")?.setAttribute("open", "");
  entry.editor.input.focus();
  const told = found.map((one) => `${labelled(one.entry.one.name)}: ${one.text}`).join(" ");
  tell(found.length === 1 ? told : `${say("{n} fields need a correction.", { n: found.length })} ${told}`);
  return true;
}

/** @param {Entry[]} entries @returns {Promise<Record<string, any>>} */
const valuesOf = async (entries) => Object.fromEntries(await Promise.all(entries.map(async (entry) => [entry.one.name, await entry.value()])));

/**
 * Whether a field has what was sent, or nothing was typed meanwhile if it was not sent.
 * @param {Entry} entry
 * @param {Record<string, any>} sent
 */
async function isAsSent(entry, sent) {
  const { name } = entry.one;
  if (!(name in sent)) return !entry.isChanged();
  return JSON.stringify(await Promise.resolve().then(() => entry.value()).catch(() => undefined)) === JSON.stringify(sent[name]);
}

/**
 * Shows a refusal of the server also beside the field that it names.
 * @param {Entry[]} entries
 * @param {(text: string) => false} tell
 */
const refusing = (entries, tell) => (/** @type {any} */ error) => {
  const name = error instanceof Refusal ? error.attribute : null;
  const entry = entries.find(({ one }) => one.name === name) ?? entries.find(({ one }) => name !== null && one.name === shownAt[name]);
  if (entry) {
    entry.tell(error.message);
    entry.row.closest("details")?.setAttribute("open", "");
    entry.editor.input.focus();
  }
  tell(error.message);
};

/**
 * The rows of a form; those that are not used are folded away.
 * @param {Entry[]} entries
 * @param {boolean} folds
 * @param {Attribute[]} fixed what may only be read
 */
function rowsOf(entries, folds, fixed) {
  const isShown = (/** @type {Entry} */ { one }) => !folds || isUsual(one.name) || (one.value !== null && one.value !== undefined);
  const first = entries.filter(isShown);
  const rest = entries.filter((entry) => !first.includes(entry));
  const list = make("dl", {});
  const readOnly = fixed.length ? make("details", { class: "more-fields", id: "read-only" }, make("summary", {}, say("Attributes that you can only read ({n})", { n: fixed.length })), list) : null;
  readOnly?.addEventListener("toggle", async () => {
    if (list.children.length) return;
    const texts = await Promise.all(fixed.map((one) => inWords(one.name, one.value)));
    list.replaceChildren(...fixed.flatMap((one, index) => [make("dt", {}, labelled(one.name)), make("dd", {}, texts[index])]));
  });
  return [...first.map(({ row }) => row), rest.length ? make("details", { class: "more-fields" }, make("summary", {}, say("More attributes ({n})", { n: rest.length })), ...rest.map(({ row }) => row)) : null, readOnly];
}

/**
 * The form of a person who exists.
 * @param {string} id the form's own identifier
 * @param {string} prefix what the identifiers of its fields begin with
 * @param {string} person the person, or `~`
 * @param {{id: string, version: number, attributes: Attribute[]}} profile
 * @param {boolean} folds whether attributes that are not used are folded away
 */
export function editForm(id, prefix, person, profile, folds) {
  const entries = fields(inOrder(profile.attributes.filter((one) => one.writable)), prefix, profile.id);
  if (!entries.length) return null;
  const names = new Set(["id", "uid", ...entries.map(({ one }) => one.name)]);
  const fixed = folds ? inOrder(profile.attributes).filter((one) => !one.writable && !names.has(one.name) && one.value !== null && one.value !== undefined) : [];
  let { version } = profile;
  let known = new Map(profile.attributes.map((one) => [one.name, one.value ?? null]));
  return form({ class: "fields wide", id, novalidate: true }, say("Save"), (/** @type {(text: string) => false} */ tell) => guarded(async () => {
    const changed = entries.filter((entry) => entry.isChanged());
    if (!changed.length) {
      tell(say("Nothing was changed."));
      return;
    }
    if (await hasMistakes(entries, ["uid"], tell)) return false;
    const sent = await valuesOf(changed);
    const saved = await save(person, sent, (name) => known.get(name), version);
    if (!saved) return tell(say("Nothing is saved yet."));
    // The page speaks the reader's language from its beginning on.
    if (profile.id === who.user.id && "preferredLanguage" in sent) location.reload();
    version = saved.form.version;
    known = new Map(saved.form.attributes.map((/** @type {Attribute} */ one) => [one.name, one.value ?? null]));
    for (const entry of entries) {
      const one = saved.form.attributes.find((/** @type {Attribute} */ { name }) => name === entry.one.name) ?? entry.one;
      if (await isAsSent(entry, sent)) entry.show(one);
    }
    tell(say("Saved.") + saved.note);
  }, refusing(entries, tell)), ...rowsOf(entries, folds, fixed));
}

/**
 * The form of a new person.
 * @param {string} id
 * @param {string} prefix
 * @param {Attribute[]} attributes
 * @param {(values: Record<string, any>) => Promise<void>} create
 */
export function newForm(id, prefix, attributes, create) {
  const entries = fields(inOrder(attributes), prefix, null);
  return form({ class: "fields wide", id, novalidate: true }, say("Create"), (/** @type {(text: string) => false} */ tell) => guarded(async () => {
    if (await hasMistakes(entries, ["uid"], tell)) return false;
    const values = await valuesOf(entries);
    await create(Object.fromEntries(Object.entries(values).filter(([, value]) => value !== null)));
  }, refusing(entries, tell)), ...rowsOf(entries, true, []));
}
