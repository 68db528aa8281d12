// Attributes of people: their names in words, the texts of their values in fields, and what is wrong with a text that is to become a value.

import { labelOf } from "./attribute-texts.js";
import { counted, say } from "./texts.js";

/**
 * An attribute in a form of the server, with the value of a person and the rules for new values.
 * @typedef {{name: string, type: string, multiValued: boolean, writable: boolean, value: any, format?: string, unique?: boolean, pattern?: string,
 *   minimumLength?: number, maximumLength?: number, minimum?: number, maximum?: number}} Attribute
 */

/** @type {Record<string, string>} */
const labels = {
  displayName: say("Name shown to others"), nickName: say("Nickname"), description: say("About me"), profileUrl: say("Web page"),
  preferredLanguage: say("Language"), locale: say("Locale"), timezone: say("Time zone"), phoneNumbers: say("Telephones"),
  telephoneNumber: say("Phone"), mobile: say("Mobile phone"), homePhone: say("Home phone"), fax: say("Fax"), pager: say("Pager"),
  addresses: say("Addresses"), postalAddress: say("Office address"), street: say("Street"), locality: say("City"),
  region: say("Region"), postalCode: say("Postal code"), country: say("Country"), homeAddress: say("Home address"),
  uid: say("User name"), active: say("Account"), emails: say("Mail addresses"), ims: say("Instant messages"),
  photos: say("Photos elsewhere"), scimRoles: say("Roles in other systems"), x509Certificates: say("Certificates"),
  commonName: say("Full name"), userType: say("Kind of employment"), passwordChanged: say("Password"), from: say("From"),
  means: say("By"),
  id: say("Id"), manager: say("Manager"), memberOf: say("Member of"), created: say("Created"), modified: say("Modified"),
  version: say("Version"), externalId: say("External id"), password: say("Password"), givenName: say("Given name"),
  familyName: say("Family name"), middleName: say("Middle name"), honorificPrefix: say("Honorific prefix"),
  honorificSuffix: say("Honorific suffix"), initials: say("Initials"), maidenName: say("Maiden name"), title: say("Title"),
  employeeNumber: say("Employee number"), costCenter: say("Cost center"), organization: say("Organization"),
  organizationalUnit: say("Organizational unit"), division: say("Division"), department: say("Department"), gender: say("Gender"),
  dateOfBirth: say("Date of birth"), hireDate: say("Hire date"), activeStartDate: say("Active start date"),
  activeEndDate: say("Active end date"), postOfficeBox: say("Post office box"), mail: say("Mail"), entitlements: say("Entitlements"),
  photo: say("Photo"), name: say("Name"), members: say("Members"), category: say("Category"),
  // Kinds of changes, and what they are about.
  deleted: say("Deleted"), signedIn: say("Signed in"), refused: say("Refused"), granted: say("Granted"), exchanged: say("Exchanged"),
  revoked: say("Revoked"), user: say("User"), role: say("Role"), attribute: say("Attribute"), backend: say("Backend"),
  virtualUser: say("Virtual user"), signingKey: say("Signing key"), setting: say("Setting"), pruned: say("Pruned"), feed: say("Feed"),
};
/** The names of the labels in their order. */
export const named = Object.keys(labels);

/**
 * An attribute's label. An attribute without one is shown by its name in words: `badgeNumber` is "Badge number".
 * @param {string} name
 */
export const labelled = (name) => (Object.hasOwn(labels, name) ? labels[name] : labelOf(name))
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
  if (one.type === "integer" && !(/^[+-]?\d+$/.test(text) && Number.isSafeInteger(Number(text)))) return say("Write a whole number.");
  if (!Number.isFinite(Number(text))) return say("Write a number, such as 2.5.");
  if (one.minimum !== undefined && Number(text) < one.minimum) return say("Write {n} or more.", { n: String(one.minimum) });
  if (one.maximum !== undefined && Number(text) > one.maximum) return say("Write {n} or less.", { n: String(one.maximum) });
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
  if (one.format === "email" && !isMail(text)) return say("'{text}' is no mail address. Write one such as ada@example.com.", { text });
  if (one.format === "date" && !isDate(text)) return say("Write a date such as 2026-01-31.");
  const length = [...text].length;
  if (one.minimumLength !== undefined && length < one.minimumLength) return counted("Write at least {n} character.", "Write at least {n} characters.", one.minimumLength);
  if (one.maximumLength !== undefined && length > one.maximumLength) return counted("Write at most {n} character; these are {length}.", "Write at most {n} characters; these are {length}.", one.maximumLength, { length });
  if (one.pattern !== undefined && length <= 1000 && expression(one.pattern)?.test(text) === false) return say("'{text}' does not match the pattern {pattern}.", { text, pattern: one.pattern });
  return null;
}
