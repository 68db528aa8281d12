// Values of attributes in words, for people.

import { isNothing } from "./attributes.js";
import * as directory from "./directory.js";
import { kindOf, moment } from "./dom.js";
import { say } from "./texts.js";

const addressParts = ["streetAddress", "postalCode", "locality", "region", "country"];

/**
 * An element of a list such as `emails`, in words.
 * @param {any} element
 * @returns {string}
 */
function elementText(element) {
  if (typeof element !== "object" || element === null) return String(element);
  const { value, display, type, primary, ...rest } = element;
  const address = element.formatted || addressParts.map((part) => element[part]).filter(Boolean).join(", ");
  const main = display ?? value ?? (address || Object.values(rest).join(", "));
  const notes = [type && kindOf(type), primary ? say("primary") : null].filter(Boolean).join(", ");
  return notes ? `${main} (${notes})` : String(main);
}

/**
 * A value in words; empty for no value.
 * @param {string} name
 * @param {any} value
 * @returns {string}
 */
export function wordsOf(name, value) {
  if (isNothing(value)) return "";
  if (Array.isArray(value)) return value.map(elementText).join("; ");
  if (name === "active") return value ? say("Enabled") : say("Disabled");
  if (typeof value === "boolean") return value ? say("Yes") : say("No");
  if (typeof value === "string" && /^\d{4}-\d\d-\d\dT[\d:.]+Z$/.test(value)) return moment(value);
  return elementText(value);
}

/** @type {Map<string, Promise<string>>} */
const names = new Map();

/**
 * The name of a person by the identifier, or what stands in its place.
 * @param {string} id
 * @returns {Promise<string>}
 */
export function nameOf(id) {
  if (!names.has(id)) names.set(id, directory.person(id).then(directory.label, () => id));
  return names.get(id) ?? Promise.resolve(id);
}

/**
 * A value in words, with the name of a manager; empty for no value.
 * @param {string} name
 * @param {any} value
 */
export const inWords = async (name, value) => (name === "manager" && typeof value === "string" && value ? nameOf(value) : wordsOf(name, value));
