// The field of an attribute in a form about a person: an editor for its kind, and what is wrong with what is typed beside it.

import { labelled, mistakeOf, shown, typed } from "./attributes.js";
import { descriptionOf } from "./attribute-texts.js";
import { chooser, hasChoices } from "./choices.js";
import { make, mistakeLine } from "./dom.js";
import { elementsField } from "./elements.js";
import { managerField } from "./manager.js";
import { say } from "./texts.js";

/** @typedef {import("./attributes.js").Attribute} Attribute */
/**
 * What edits a value. `input` is what gets the focus. `mistake` says what is wrong with what is typed, and null for nothing.
 * @typedef {{node: Element, input: any, isChanged: () => boolean, value: () => any, mistake: () => string | null | Promise<string | null>,
 *   show: (value: any) => void, label?: Element}} Editor
 */
/** @typedef {{one: Attribute, row: Element, editor: Editor, isChanged: () => boolean, value: () => any, check: () => Promise<string | null>, tell: (text: string | null) => void, show: (saved: Attribute) => void}} Entry */

/**
 * The attributes whose values are parts of lists, with the list.
 * @type {Record<string, string>}
 */
const partOf = {
  mail: "emails", telephoneNumber: "phoneNumbers", mobile: "phoneNumbers", homePhone: "phoneNumbers", fax: "phoneNumbers", pager: "phoneNumbers",
  postalAddress: "addresses", street: "addresses", locality: "addresses", region: "addresses", postalCode: "addresses", country: "addresses", homeAddress: "addresses",
};
const order = ["uid", "active", "givenName", "familyName", "displayName", "nickName", "commonName", "title", "department", "manager", "employeeNumber", "emails", "phoneNumbers", "addresses"];
export const isUsual = (/** @type {string} */ name) => order.includes(name);

/**
 * The attributes of a form in their order, without those that are a part of a list in it.
 * @param {Attribute[]} attributes
 */
export function inOrder(attributes) {
  const names = new Set(attributes.map(({ name }) => name));
  const place = (/** @type {Attribute} */ one) => (order.includes(one.name) ? order.indexOf(one.name) : one.type === "complex" ? 1000 : 100);
  return attributes.filter((one) => one.type !== "binary" && !names.has(partOf[one.name])).sort((one, other) => place(one) - place(other));
}

/** @param {string} id @param {[string, string][]} options @param {(text: string) => any} read @param {Attribute} one @returns {Editor} */
function list(id, options, read, one) {
  const input = /** @type {HTMLSelectElement} */ (make("select", { id }, ...options.map(([value, text]) => make("option", { value }, text))));
  let saved = "";
  const show = (/** @type {any} */ value) => {
    saved = value === null || value === undefined ? options[0][0] : String(value);
    input.value = saved;
  };
  show(one.value);
  return { node: input, input, isChanged: () => input.value !== saved, value: () => read(input.value), mistake: () => null, show };
}

/**
 * The time of a field of the browser, which is in the reader's zone.
 * @param {string | null | undefined} value
 */
function local(value) {
  const date = new Date(value ?? "");
  if (Number.isNaN(date.getTime())) return "";
  return new Date(date.getTime() - date.getTimezoneOffset() * 60_000).toISOString().slice(0, 19);
}

/**
 * A field of the browser for days or moments.
 * @param {string} id
 * @param {Attribute} one
 * @returns {Editor}
 */
function calendar(id, one) {
  const isTime = one.type === "time";
  const input = /** @type {HTMLInputElement} */ (make("input", { id, type: isTime ? "datetime-local" : "date", ...(isTime ? { step: 1 } : { max: "9999-12-31" }) }));
  let saved = "";
  const show = (/** @type {any} */ value) => {
    input.value = isTime ? local(value) : value ?? "";
    saved = input.value;
  };
  show(one.value);
  return {
    node: input, input, show,
    // A day that is not whole has no value, and yet was typed.
    isChanged: () => input.value !== saved || input.validity.badInput,
    value: () => (!input.value ? null : isTime ? new Date(input.value).toISOString() : input.value),
    mistake: () => (input.validity.badInput ? say("This is not a whole date that the calendar has. Correct it, or clear the field.") : null),
  };
}

/**
 * A field for text or numbers, in several lines for a list.
 * @param {string} id
 * @param {Attribute} one
 * @returns {Editor}
 */
function texts(id, one) {
  const isLong = one.multiValued || one.name === "description";
  const isNumber = one.type === "integer" || one.type === "decimal";
  const input = /** @type {HTMLInputElement} */ (make(isLong ? "textarea" : "input", isLong ? { id, rows: 3, spellcheck: "false" } : { id, autocomplete: "off", inputmode: one.type === "integer" ? "numeric" : isNumber ? "decimal" : null }));
  let saved = one;
  input.value = shown(one);
  return {
    node: input, input,
    isChanged: () => input.value !== shown(saved),
    value: () => typed(one, input.value),
    mistake() {
      const known = new Set([saved.value].flat().map(String));
      const parts = input.value.split(one.multiValued ? "\n" : "\0").map((part) => part.trim());
      return parts.filter((part) => !known.has(part)).map((part) => mistakeOf(one, part)).find(Boolean) ?? null;
    },
    show(value) {
      saved = { ...saved, value };
      input.value = shown(saved);
    },
  };
}

/** @param {string} id @param {Attribute} one @param {string | null} person @returns {Editor} */
function editor(id, one, person) {
  if (one.name === "manager") return managerField(id, person, one.value ?? null);
  if (one.name === "active") return list(id, [[one.value === null || one.value === undefined ? "" : "true", say("Enabled")], ["false", say("Disabled")]], (text) => (text === "" ? null : text === "true"), one);
  if (one.type === "boolean" && !one.multiValued) return list(id, [["", ""], ["true", say("Yes")], ["false", say("No")]], (text) => (text === "" ? null : text === "true"), one);
  if (one.type === "complex") return elementsField(id, one, person === null && one.name === "emails");
  if (one.multiValued) return texts(id, one);
  if (one.type === "time" || (one.format === "date" && /^(\d{4}-\d\d-\d\d)?$/.test(one.value ?? ""))) return calendar(id, one);
  return hasChoices(one.name) ? chooser(id, one.name, one.value) : texts(id, one);
}

/**
 * What is to be known before one types.
 * @param {Attribute} one
 */
function hintOf(one) {
  const form = one.type === "time" ? say("In your time zone, {zone}.", { zone: Intl.DateTimeFormat().resolvedOptions().timeZone })
    : one.multiValued && one.type !== "complex" ? say("One in a line.") : null;
  return [descriptionOf(one.name), form].filter(Boolean).join(" ");
}

/**
 * The fields of a form, by the kind of each attribute.
 * @param {Attribute[]} attributes
 * @param {string} prefix what the identifiers begin with
 * @param {string | null} person the identifier of the person; null for a new one
 * @returns {Entry[]}
 */
export function fields(attributes, prefix, person) {
  return attributes.map((one) => {
    const id = `${prefix}-${one.name}`;
    const made = editor(id, one, person);
    const isList = one.type === "complex";
    const line = mistakeLine(`${id}-mistake`, () => (isList ? null : made.input));
    const mistake = line.node;
    const hint = hintOf(one);
    const text = hint ? make("small", { class: "soft", id: `${id}-hint` }, hint) : null;
    const row = isList ? make("fieldset", { class: "row many" }, make("legend", {}, labelled(one.name)), made.node, text, mistake)
      : make("div", { class: "row" }, make("label", { for: id }, labelled(one.name)), made.node, text, mistake);
    if (!isList) {
      const described = [made.input.getAttribute("aria-describedby"), text?.id, mistake.id].filter(Boolean).join(" ");
      made.input.setAttribute("aria-describedby", described);
    }
    const tell = (/** @type {string | null} */ found) => {
      line.tell(found);
      if (isList && row.querySelector(".element .mistake:not([hidden])")) mistake.hidden = true;
    };
    /** @type {Entry} */
    const entry = {
      one, row, editor: made, tell,
      isChanged: () => made.isChanged(),
      value: () => made.value(),
      async check() {
        const found = isList || made.isChanged() ? await made.mistake() : null;
        tell(found);
        return found;
      },
      show(saved) {
        entry.one = saved;
        made.show(saved.value);
        tell(null);
      },
    };
    const checkQuietly = () => entry.check().catch(() => { /* Saving tells what is wrong. */ });
    row.addEventListener("change", (event) => { if (!event.isTrusted) checkQuietly(); });
    line.checkOnLeaving(row, checkQuietly);
    return entry;
  });
}
