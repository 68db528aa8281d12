// Attributes of people: their names in words, the texts of their values in fields, and what is wrong with a text that is to become a value.

/**
 * An attribute in a form of the server, with the value of a person and the rules for new values.
 * @typedef {{name: string, type: string, multiValued: boolean, writable: boolean, value: any, format?: string, unique?: boolean, pattern?: string,
 *   minimumLength?: number, maximumLength?: number, minimum?: number, maximum?: number}} Attribute
 */

/** @type {Record<string, string>} */
const labels = {
  displayName: "Name shown to others", nickName: "Nickname", description: "About me", profileUrl: "Web page",
  preferredLanguage: "Language", locale: "Locale", timezone: "Time zone", phoneNumbers: "Telephones", telephoneNumber: "Phone", mobile: "Mobile phone",
  homePhone: "Home phone", fax: "Fax", pager: "Pager", addresses: "Addresses", postalAddress: "Office address", street: "Street", locality: "City",
  region: "Region", postalCode: "Postal code", country: "Country", homeAddress: "Home address",
  uid: "User name", active: "Account", emails: "Mail addresses", ims: "Instant messages", photos: "Photos elsewhere", scimRoles: "Roles in other systems",
  x509Certificates: "Certificates", commonName: "Full name", userType: "Kind of employment", passwordChanged: "Password", from: "From", means: "By",
};
/** The names of the labels in their order. */
export const named = Object.keys(labels);

/**
 * An attribute's name as words: `badgeNumber` is "Badge number".
 * @param {string} name
 */
export const labelled = (name) => labels[name]
  ?? name.replace(/([a-z\d])([A-Z])/g, "$1 $2").replace(/^./, (letter) => letter.toUpperCase()).replace(/ [A-Z](?![A-Z])/g, (part) => part.toLowerCase());

/** @param {any} value */
export const isNothing = (value) => value === null || value === undefined || value === "" || (Array.isArray(value) && !value.length);

/**
 * The text of a value in a field.
 * @param {Attribute} one
 */
export const shown = (one) => (isNothing(one.value) ? "" : one.multiValued ? [one.value].flat().join("\n") : String(one.value));

/**
 * The value of a text in a field; null clears the attribute.
 * @param {Attribute} one
 * @param {string} text
 */
export function typed(one, text) {
  /** @param {string} part */
  const value = (part) => (one.type === "integer" || one.type === "decimal" ? (Number.isNaN(Number(part)) ? part : Number(part))
    : one.type === "boolean" ? part === "true" : part);
  const parts = text.split(one.multiValued ? "\n" : "\0").map((part) => part.trim()).filter(Boolean);
  if (!parts.length) return null;
  return one.multiValued ? parts.map(value) : value(parts[0]);
}

// Mistakes

/**
 * A pattern of the server (RFC 9485) as an expression of the browser; null where the browser cannot tell, or could take long. The server decides then.
 * @param {string} pattern
 */
function expression(pattern) {
  // Repeated groups, and several repetitions without an end, can take a browser very long.
  if (/\)[*+{]/.test(pattern) || (pattern.match(/[*+]|\{\d*,\}/g) ?? []).length > 2) return null;
  // The signs of a beginning and an end are ordinary characters there.
  const escaped = pattern.replace(/\\.|\[(?:\\.|[^\]])*\]|[$^]/gsu, (part) => (part === "$" || part === "^" ? `\\${part}` : part));
  try {
    return new RegExp(`^(?:${escaped})$`, "u");
  } catch {
    return null;
  }
}

/** @param {Attribute} one @param {string} text @returns {string | null} */
function numberMistake(one, text) {
  if (one.type === "integer" && !(/^[+-]?\d+$/.test(text) && Number.isSafeInteger(Number(text)))) return "Write a whole number.";
  if (!Number.isFinite(Number(text))) return "Write a number, such as 2.5.";
  if (one.minimum !== undefined && Number(text) < one.minimum) return `Write ${one.minimum} or more.`;
  if (one.maximum !== undefined && Number(text) > one.maximum) return `Write ${one.maximum} or less.`;
  return null;
}

/** @param {string} text */
const isMail = (text) => /^[^\s@]+@[^\s@.]+(\.[^\s@.]+)*$/u.test(text) || /^".*"@[^\s@]+$/.test(text);
/** @param {string} text */
const isDate = (text) => /^\d{4}(-\d\d(-\d\d(T.+)?)?)?$|^\d{10}/.test(text) && (text.length > 10 || !Number.isNaN(Date.parse(text)));

/**
 * What is wrong with one text for an attribute; null for nothing.
 * @param {Attribute} one
 * @param {string} text
 * @returns {string | null}
 */
export function mistakeOf(one, text) {
  if (!text) return null;
  if (one.type === "integer" || one.type === "decimal") {
    const mistake = numberMistake(one, text);
    if (mistake) return mistake;
  }
  if (one.format === "email" && !isMail(text)) return `'${text}' is no mail address. Write one such as ada@example.com.`;
  if (one.format === "date" && !isDate(text)) return "Write a date such as 2026-01-31.";
  const length = [...text].length;
  if (one.minimumLength !== undefined && length < one.minimumLength) return `Write at least ${one.minimumLength} characters.`;
  if (one.maximumLength !== undefined && length > one.maximumLength) return `Write at most ${one.maximumLength} characters; these are ${length}.`;
  if (one.pattern !== undefined && length <= 1000 && expression(one.pattern)?.test(text) === false) return `'${text}' does not match the pattern ${one.pattern}.`;
  return null;
}
