// The labels and descriptions of declared attributes. The page learns them before the reader's language is known, so this module says no text.

import { locale } from "./texts.js";

/**
 * The labels and descriptions of a declared attribute, by language tag.
 * @typedef {{name: string, labels: Record<string, string>, descriptions: Record<string, string>}} Texts
 */
/**
 * The texts of declared attributes, by the names of the attributes.
 * @type {Map<string, Texts>}
 */
let own = new Map();
/** Replaces the known texts by those that the server has sent. */
export const learn = (/** @type {Texts[]} */ attributes) => { own = new Map(attributes.map((one) => [one.name, one])); };
/**
 * Finds the text in the reader's language, or in a less specific one, or in English.
 * @param {Record<string, string>} [texts]
 */
function inLanguage(texts = {}) {
  const known = Object.fromEntries(Object.entries(texts).map(([tag, text]) => [tag.toLowerCase(), text]));
  const parts = locale.toLowerCase().split("-");
  return parts.map((_, index) => known[parts.slice(0, parts.length - index).join("-")]).find(Boolean) ?? known.en;
}
export const labelOf = (/** @type {string} */ name) => inLanguage(own.get(name)?.labels);
export const descriptionOf = (/** @type {string} */ name) => inLanguage(own.get(name)?.descriptions);
