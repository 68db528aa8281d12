// The names and descriptions that declared attributes have for people. They are learned before the language is known, and chosen when shown.

import { locale } from "./texts.js";

/**
 * The names and descriptions of attributes that the directory has declared, by language.
 * @typedef {{name: string, labels: Record<string, string>, descriptions: Record<string, string>}} Texts
 */
/** @type {Map<string, Texts>} */
let own = new Map();
export const learn = (/** @type {Texts[]} */ attributes) => { own = new Map(attributes.map((one) => [one.name, one])); };
/**
 * The text in the reader's language, or in a wider one, or in English.
 * @param {Record<string, string>} [texts]
 */
function inLanguage(texts = {}) {
  const known = Object.fromEntries(Object.entries(texts).map(([tag, text]) => [tag.toLowerCase(), text]));
  const parts = locale.toLowerCase().split("-");
  return parts.map((_, index) => known[parts.slice(0, parts.length - index).join("-")]).find(Boolean) ?? known.en;
}
export const nameOf = (/** @type {string} */ name) => inLanguage(own.get(name)?.labels);
export const descriptionOf = (/** @type {string} */ name) => inLanguage(own.get(name)?.descriptions);
