// The texts of the page in the reader's language. The English text is the key, so that the modules can be read; each other language has
// a table of its own, which is asked for only if the language is chosen. The server sends a table with four characters in place of each
// English text. The server's messages stay in English.

export const languages = ["en", "de", "es", "ja"];

/**
 * The texts by the characters that stand for the English ones; nothing in English. A text about a number has a form for each plural category of its language.
 * @type {Map<string, string | Record<string, string>> | null}
 */
let table = null;
const characters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
/**
 * The four characters that stand for an English text: its FNV-1a, folded to 24 bits, as the server calculates it.
 * @param {string} text
 */
function keyOf(text) {
  let hash = 0x811c9dc5;
  for (let index = 0; index < text.length; index += 1) hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193);
  hash ^= hash >>> 24;
  return [18, 12, 6, 0].map((bits) => characters[hash >>> bits & 63]).join("");
}
const translated = (/** @type {string} */ text) => table?.get(keyOf(text));
let language = "en";
/** The reader's language and region, for dates, numbers and the order of names. */
export let locale = "en";
let numbers = new Intl.NumberFormat(locale);
let plurals = new Intl.PluralRules(language);

/** A number in the reader's language. */
export const number = (/** @type {number} */ count) => numbers.format(count);

/**
 * A text with values in its places. Numbers are written in the reader's language.
 * @param {string} text
 * @param {Record<string, any>} values
 */
const filled = (text, values) => text.replace(/\{(\w+)\}/g, (place, name) => {
  const value = name in values ? values[name] : place;
  return typeof value === "number" ? number(value) : String(value);
});
/**
 * A text in the reader's language, without values. What stands before a bar tells texts apart that are the same in English only.
 * @param {string} text
 */
const found = (text) => /** @type {string} */ (translated(text) ?? text.replace(/^\w+\|/, ""));

/**
 * A text in the reader's language.
 * @param {string} text the text in English, with places such as `{name}`
 * @param {Record<string, any>} values the values of the places
 */
export const say = (text, values = {}) => filled(found(text), values);

/**
 * A text about a number, which stands at `{n}`.
 * @param {string} one the English text for 1
 * @param {string} several the English text for other numbers, by which the tables have it
 * @param {number} n
 * @param {Record<string, any>} values
 */
export function counted(one, several, n, values = {}) {
  const forms = translated(several) ?? { one, other: several };
  return filled(typeof forms === "string" ? forms : forms[plurals.select(n)] ?? forms.other, { n, ...values });
}

/**
 * A text some of whose places hold elements: its pieces in their order.
 * @param {string} text
 * @param {Record<string, Node | string>} values
 * @returns {(Node | string)[]}
 */
export const pieces = (text, values) => found(text).split(/\{(\w+)\}/)
  .map((piece, index) => (index % 2 ? values[piece] ?? "" : piece)).filter((piece) => piece !== "");

/** A text in the middle of another one: in German its nouns keep their capitals. */
export const within = (/** @type {string} */ text) => (language === "de" ? text : text.toLowerCase());

// The language

/**
 * The first of some tags of languages that the page has.
 * @param {readonly string[]} tags
 */
function suited(tags) {
  for (const tag of tags) {
    try {
      const [known] = Intl.getCanonicalLocales(tag.split(";")[0].trim().replaceAll("_", "-"));
      const one = languages.find((name) => name === known.split("-")[0]);
      if (one) return { one, known };
    } catch { /* Other text is no language. */ }
  }
  return { one: "en", known: "en" };
}

/**
 * The texts that stand in the HTML, with what puts others in their place.
 * @type {[string, (text: string) => void][]}
 */
const standing = [];
for (const node of document.querySelectorAll("body *:not(noscript)")) {
  for (const name of ["aria-label", "title", "placeholder"]) {
    const text = node.getAttribute(name);
    if (text) standing.push([text, (other) => node.setAttribute(name, other)]);
  }
  for (const child of node.childNodes) {
    if (!(child instanceof Text && child.data.trim())) continue;
    standing.push([child.data.trim(), (other) => { child.data = child.data.replace(/\S(.*\S)?/s, () => other); }]);
  }
}

/**
 * A table as the server sends it: all keys as one text, and the texts in their order.
 * @param {[string, ...any[]]} list
 */
const tableOf = ([keys, ...texts]) => new Map(texts.map((text, index) => [keys.slice(4 * index, 4 * index + 4), text]));

/**
 * Chooses the language: that of a person, if the page has it, else the first of the browser's that it has, else English. It has to be
 * known before anything is shown that has words.
 * @param {string} preferred the person's languages, most wanted first, separated by commas
 */
export async function choose(preferred = "") {
  const { one, known } = suited([...preferred.split(","), ...navigator.languages]);
  if (one !== language) {
    try {
      table = one === "en" ? null : tableOf(await (await fetch(`texts-${one}.json`)).json());
    } catch {
      // English texts are better than none.
      return;
    }
    language = one;
    plurals = new Intl.PluralRules(one);
    document.documentElement.lang = one;
    for (const [text, put] of standing) put(found(text));
  }
  locale = known;
  numbers = new Intl.NumberFormat(known);
}
