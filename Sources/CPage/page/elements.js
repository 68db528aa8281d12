// Lists whose elements have parts: mail addresses, telephones, addresses and others. Each element is a row with its parts, its type, and
// whether it is the primary one.

import { mistakeOf } from "./attributes.js";
import { chooser } from "./choices.js";
import { button, make, mistakeLine } from "./dom.js";
import { say } from "./texts.js";

/** @typedef {import("./attributes.js").Attribute} Attribute */
/** @typedef {{name: string, label: string, isLong?: boolean, wide?: boolean, mode?: string}} Part */
/** @typedef {{one: string, types?: string[], parts: Part[]}} Kind */

/** @param {string} label @param {string} [mode] @returns {Part[]} */
const single = (label, mode) => [{ name: "value", label, mode, wide: true }];

/** @type {Record<string, Kind>} */
const kinds = {
  emails: { one: say("mail address"), types: ["work", "home", "other"], parts: single(say("Mail address"), "email") },
  phoneNumbers: { one: say("telephone"), types: ["work", "mobile", "home", "fax", "pager", "other"], parts: single(say("Number"), "tel") },
  addresses: { one: say("address"), types: ["work", "home", "other"], parts: [
    { name: "streetAddress", label: say("Street and number"), isLong: true, wide: true }, { name: "postalCode", label: say("Postal code") }, { name: "locality", label: say("City") },
    { name: "region", label: say("Region") }, { name: "country", label: say("Country") }, { name: "formatted", label: say("As written on a letter"), isLong: true, wide: true }] },
  ims: { one: say("name for messages"), types: ["xmpp", "skype", "aim", "icq", "other"], parts: single(say("Name")) },
  photos: { one: say("address of a photo"), types: ["photo", "thumbnail"], parts: single(say("Address"), "url") },
  x509Certificates: { one: say("certificate"), parts: [{ name: "value", label: say("Certificate in base64"), isLong: true, wide: true }] },
};
/** @type {Kind} */
const other = { one: say("entry"), parts: [{ name: "value", label: say("Value") }, { name: "display", label: say("In words") }, { name: "type", label: say("Kind") }] };

const typeNames = new Map(Object.entries({ "": say("No type"), work: say("Work"), mobile: say("Mobile"), home: say("kind|Home"), fax: say("Fax"), pager: say("Pager"), other: say("Other"), xmpp: "XMPP", skype: "Skype", aim: "AIM", icq: "ICQ", photo: say("Photo"), thumbnail: say("Small photo") }));

/**
 * An element as the parts that it has. An element that is a text is its value.
 * @param {any} element
 * @returns {Record<string, any>}
 */
function partsOf(element) {
  const parts = typeof element === "object" && element !== null ? element : { value: element };
  return Object.fromEntries(Object.entries(parts).filter(([name, value]) => value !== "" && !(name === "primary" && !value)));
}
/**
 * The order of parts does not count.
 * @param {Record<string, any>[]} elements
 */
const textOf = (elements) => JSON.stringify(elements.map((one) => Object.fromEntries(Object.entries(one).sort())));

/** One element: its fields, and what is in them. */
class Row {
  /**
   * @param {string} id
   * @param {Kind} kind
   * @param {Record<string, any>} original its parts at first; none for a new element
   * @param {string} group the name of the choice of the primary element
   * @param {(row: Row) => void} remove
   */
  constructor(id, kind, original, group, remove) {
    this.original = original;
    this.kind = kind;
    /** @type {{part: Part, input: HTMLInputElement, chosen?: ReturnType<typeof chooser>}[]} */
    this.fields = kind.parts.map((part) => {
      const key = `${id}-${part.name}`;
      const value = original[part.name] ?? "";
      const chosen = part.name === "country" ? chooser(key, "country", value) : undefined;
      const input = /** @type {HTMLInputElement} */ (chosen?.input ?? make(part.isLong ? "textarea" : "input", { id: key, autocomplete: "off", spellcheck: "false", inputmode: part.mode, ...(part.isLong ? { rows: 2 } : {}) }));
      if (!chosen) input.value = String(value);
      return { part, input, chosen };
    });
    this.type = kind.types ? /** @type {HTMLSelectElement} */ (make("select", { id: `${id}-type` },
      ...[...new Set(["", ...kind.types, original.type ?? ""])].map((type) => make("option", { value: type }, typeNames.get(type) ?? type)))) : null;
    if (this.type) this.type.value = original.type ?? "";
    this.primary = /** @type {HTMLInputElement} */ (make("input", { type: "radio", name: group, id: `${id}-primary`, checked: Boolean(original.primary) }));
    const mistake = mistakeLine(`${id}-mistake`, () => this.fields[0].input);
    this.mistake = mistake.node;
    this.tell = mistake.tell;
    this.fields[0].input.setAttribute("aria-describedby", this.mistake.id);
    const labelled = (/** @type {Part} */ part, /** @type {HTMLElement} */ input, /** @type {HTMLElement | undefined} */ node) =>
      make("div", { class: part.wide ? "part wide-part" : "part" }, make("label", { for: input.id }, part.label), node ?? input);
    this.node = make("li", { class: "element" },
      ...this.fields.map(({ part, input, chosen }) => labelled(part, input, chosen?.node)),
      this.type ? labelled({ name: "type", label: say("Type") }, this.type, undefined) : null,
      make("div", { class: "part element-end" }, make("span", { class: "tick" }, this.primary, make("label", { for: this.primary.id }, say("Primary"))),
        button(say("Remove"), () => remove(this), { "aria-label": say("Remove this {one}", { one: kind.one }) })),
      this.mistake);
  }

  get isEmpty() { return this.fields.every(({ input }) => !input.value.trim()); }

  /**
   * The parts of the element; null for an element without any.
   * @returns {Record<string, any> | null}
   */
  get value() {
    const had = this.kind.parts.some(({ name }) => this.original[name] !== undefined);
    // An element that never had a value, such as a mere type, stays as it is.
    if (this.isEmpty) return had || !Object.keys(this.original).length ? null : this.original;
    const parts = { ...this.original };
    for (const { part, input, chosen } of this.fields) parts[part.name] = chosen ? chosen.value() ?? "" : input.value.trim();
    if (this.type) parts.type = this.type.value;
    parts.primary = this.primary.checked;
    return partsOf(parts);
  }
}

/**
 * A list of rows for an attribute.
 * @param {string} id
 * @param {Attribute} one
 * @param {boolean} hasRow whether an empty list shows an empty row, to type into at once
 */
export function elementsField(id, one, hasRow) {
  const kind = kinds[one.name] ?? other;
  const list = make("ul", { class: "elements" });
  /** @type {Row[]} */
  let rows = [];
  let count = 0;
  let saved = "";
  const values = () => rows.map((row) => row.value).filter((value) => value !== null);
  const node = make("div", {});
  const changed = () => node.dispatchEvent(new Event("input", { bubbles: true }));
  const add = button(/^[aeiou]/.test(kind.one) ? say("Add an {one}", { one: kind.one }) : say("Add a {one}", { one: kind.one }), () => {
    append({}).fields[0].input.focus();
  });
  add.id = id;
  /** @param {Record<string, any>} original */
  const append = (original) => {
    count += 1;
    const row = new Row(`${id}-${count}`, kind, original, `${id}-primary`, (gone) => {
      rows = rows.filter((other) => other !== gone);
      gone.node.remove();
      add.focus();
      changed();
    });
    rows.push(row);
    list.append(row.node);
    return row;
  };
  /** @param {any} value */
  const show = (value) => {
    list.replaceChildren();
    rows = [];
    count = 0;
    const elements = [value ?? []].flat().map(partsOf);
    elements.forEach(append);
    saved = textOf(elements);
    if (hasRow && !elements.length) append({});
  };
  show(one.value);
  node.append(list, add);
  /** @param {Row} row @returns {string | null} */
  const mistakeIn = (row) => {
    for (const { part, input, chosen } of row.fields) {
      const mistake = chosen ? chosen.mistake() : part.name === "value" && input.value.trim() !== row.original.value ? mistakeOf(one, input.value.trim()) : null;
      if (mistake) return mistake;
    }
    const text = row.value && textOf([{ ...row.value, primary: false }]);
    const isTwice = text && rows.some((other) => other !== row && rows.indexOf(other) < rows.indexOf(row) && other.value && textOf([{ ...other.value, primary: false }]) === text);
    return isTwice ? say("This {one} is there twice. Remove one of them.", { one: kind.one }) : null;
  };
  return {
    node, add,
    isChanged: () => textOf(values()) !== saved,
    value: () => (values().length ? values() : null),
    /**
     * Shows what is wrong beside each row.
     * @returns {string | null} the first mistake
     */
    mistake() {
      const mistakes = rows.map((row) => {
        const text = mistakeIn(row);
        row.tell(text);
        return text;
      });
      return mistakes.find(Boolean) ?? null;
    },
    /** The field with the first mistake, or the first one. */
    get input() { return (rows.find((row) => !row.mistake.hidden) ?? rows[0])?.fields[0].input ?? add; },
    show,
  };
}
