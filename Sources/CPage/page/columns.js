// The columns of the table of people: what each shows, what the server is asked for, and by what it sorts.

import { labelled } from "./attributes.js";
import { to } from "./address.js";
import * as directory from "./directory.js";
import { button, make, moment } from "./dom.js";
import { dialog } from "./frame.js";
import { say } from "./texts.js";

const { enterprise } = directory;
const own = "urn:roster:params:scim:schemas:extension:directory:2.0:User";
const typed = (list, type) => (list ?? []).find((one) => one.type === type)?.value;
const text = (value) => (value === null || value === undefined ? "" : [value].flat().map(String).join("; "));
/** A column of an attribute that stands in the user itself, or in an extension. */
const simple = (name, title, at = null) => ({ name, title, reads: at ? `${at}:${name}` : name, sort: at ? `${at}:${name}` : name, value: (user) => text((at ? user[at] : user)?.[name]) });
const inName = (name, title) => ({ name, title, reads: "name", sort: `name.${name}`, value: (user) => text(user.name?.[name]) });
const inAddress = (name, title) => ({ name, title, reads: "addresses", sort: null, value: (user) => text((user.addresses ?? []).find((one) => one.type !== "home")?.[name]) });
const time = (name, title, of) => ({ name, title, reads: "meta", sort: `meta.${name}`, isTime: true, value: (user) => text(user.meta?.[name]), node: (user) => moment(of(user)) });

/** The columns that every directory has. `isFree` says that many may be set to one value of text. */
const builtIn = [
  { name: "name", title: say("Name"), reads: "displayName,name", sort: directory.byName, value: directory.label,
    node: (user) => make("a", { href: to("user", user.id) }, directory.label(user)) },
  simple("userName", say("User name")),
  { ...simple("title", say("Title")), isFree: true }, { ...simple("department", say("Department"), enterprise), isFree: true },
  { name: "manager", title: say("Manager"), reads: `${enterprise}:manager`, sort: null, value: (user) => user[enterprise]?.manager?.displayName ?? user[enterprise]?.manager?.value ?? "",
    node(user) {
      const manager = user[enterprise]?.manager;
      return manager?.value ? make("a", { href: to("user", manager.value) }, manager.displayName ?? manager.value) : "";
    } },
  { name: "mail", title: say("Mail"), reads: "emails", sort: "emails", value: (user) => text((user.emails?.find((one) => one.primary) ?? user.emails?.[0])?.value) },
  { name: "active", title: say("Account"), reads: "active", sort: "active", value: (user) => (user.active === false ? say("Disabled") : say("Enabled")),
    node: (user) => (user.active === false ? make("span", { class: "off" }, say("Disabled")) : say("Enabled")) },
  { name: "roles", title: say("Roles"), reads: "groups", sort: null, value: (user) => text((user.groups ?? []).filter((one) => one.type !== "indirect").map((one) => one.display ?? one.value)) },
  inName("givenName", say("Given name")), inName("familyName", say("Family name")), simple("displayName", say("Name shown to others")),
  { name: "telephoneNumber", title: say("Phone"), reads: "phoneNumbers", sort: null, value: (user) => text(typed(user.phoneNumbers, "work") ?? user.phoneNumbers?.[0]?.value) },
  { name: "mobile", title: say("Mobile phone"), reads: "phoneNumbers", sort: null, value: (user) => text(typed(user.phoneNumbers, "mobile")) },
  inAddress("locality", say("City")), inAddress("country", say("Country")),
  simple("employeeNumber", say("Employee number"), enterprise),
  ...["costCenter", "organization", "division"].map((name) => ({ ...simple(name, labelled(name), enterprise), isFree: true })),
  ...["userType", "preferredLanguage", "locale", "timezone"].map((name) => ({ ...simple(name, labelled(name)), isFree: true })), simple("nickName", say("Nickname")),
  time("lastModified", say("Changed"), (user) => user.meta?.lastModified), time("created", say("Created"), (user) => user.meta?.created),
];

/** The columns of this directory, with those of the attributes that it has declared. */
export async function columns(signal) {
  const { Resources } = await directory.schemas(signal);
  const declared = (Resources.find(({ id }) => id === own)?.attributes ?? []).filter(({ type, name }) => type !== "complex" && type !== "binary" && name !== "photo");
  return [...builtIn, ...declared.map((one) => ({ ...simple(one.name, labelled(one.name), own), type: one.type, isFree: !one.multiValued, ...(one.multiValued ? { sort: null } : {}) }))];
}

export const usual = ["name", "title", "department", "manager", "mail", "active"];

/** What the server is asked for, for columns. */
export const reads = (shown) => [...new Set(["id", "userName", "displayName", "name", "active", "meta", ...shown.flatMap((one) => one.reads.split(","))])];

/** Asks which columns are shown, and in which order. */
export function chooseColumns(columns, names, use) {
  const list = make("ul", { class: "order" });
  const item = (column) => {
    const input = make("input", { type: "checkbox", id: `column-${column.name}` });
    input.checked = names.includes(column.name);
    const row = make("li", { "data-name": column.name }, make("label", {}, input, " ", column.title),
      button("↑", () => {
        row.previousElementSibling?.before(row);
        row.querySelector("button").focus();
      }, { class: "icon", "aria-label": say("Move up: {column}", { column: column.title }) }),
      button("↓", () => {
        row.nextElementSibling?.after(row);
        row.querySelectorAll("button")[1].focus();
      }, { class: "icon", "aria-label": say("Move down: {column}", { column: column.title }) }));
    return row;
  };
  const byName = (name) => columns.find((one) => one.name === name);
  list.append(...names.map(byName).map(item), ...columns.filter((one) => !names.includes(one.name)).map(item));
  const node = dialog(say("Columns"), list, make("p", { class: "actions" },
    button(say("Cancel"), () => node.close()), button(say("Usual columns"), () => {
      node.close();
      use([...usual]);
    }), button(say("Show these"), () => {
      const chosen = [...list.children].filter((row) => row.querySelector("input").checked).map((row) => row.dataset.name);
      node.close();
      use(chosen.length ? chosen : [...usual]);
    }, { class: "main" })));
}

// CSV

/** A cell of CSV (RFC 4180). An apostrophe stands before what a spreadsheet would run as a formula. */
const cell = (value) => {
  const safe = /^[=+\-@\t\r]/.test(value) ? `'${value}` : value;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
};
const line = (cells) => `${cells.map(cell).join(",")}\r\n`;

/** The rows of people as a file. The mark at its beginning says to spreadsheets that the text is UTF-8. */
export const csv = (shown, people) => new Blob(["\ufeff", line(shown.map((one) => one.title)), ...people.map((user) => line(shown.map((one) => one.value(user))))], { type: "text/csv" });
