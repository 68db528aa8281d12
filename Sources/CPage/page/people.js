// The administration of one person, and the form of a new one.

import { labelled, shown, typed } from "./account.js";
import { device } from "./device.js";
import * as directory from "./directory.js";
import { button, field, form, make, moment, section } from "./dom.js";
import { toast } from "./frame.js";
import { head } from "./person.js";
import { picker } from "./picker.js";

/** The fields of a form, by the kind of each attribute. */
function fields(attributes) {
  return attributes.map((one) => {
    const id = `form-${one.name}`;
    let input;
    if (one.name === "manager") input = picker(id, "user", one.value);
    else if (one.type === "boolean" && !one.multiValued) {
      input = make("select", { id }, ...[["", ""], ["true", "Yes"], ["false", "No"]].map(([value, text]) => make("option", { value }, text)));
    } else if (one.type === "complex" || one.multiValued || one.name === "description") input = make("textarea", { id, rows: 3, spellcheck: "false" });
    else input = make("input", { id, autocomplete: "off", inputmode: one.type === "integer" ? "numeric" : null });
    const text = (from) => (from.type === "complex" ? (from.value ? JSON.stringify(from.value, null, 1) : "") : shown(from));
    const hint = { complex: "A list in JSON.", time: "A time such as 2026-01-31T09:00:00Z.", integer: "A whole number." }[one.type] ?? (one.multiValued ? "One in a line." : null);
    if (input.tagName) input.value = text(one);
    const node = input.node ?? input;
    if (!one.writable) (input.field ?? input).disabled = true;
    const entry = {
      one, input,
      row: make("div", { class: "row" }, make("label", { for: id }, labelled(one.name)), node, hint ? make("small", { class: "soft" }, hint) : null),
      isChanged: () => (input.node ? input.isTouched : input.value !== text(entry.one)),
      async value() {
        if (input.node) return input.resolve();
        if (one.type !== "complex") return typed(one, input.value);
        if (!input.value.trim()) return null;
        try {
          return JSON.parse(input.value);
        } catch {
          throw new directory.Refusal(400, `'${labelled(one.name)}' is no JSON: check its quotes and commas.`);
        }
      },
      show(saved) {
        entry.one = saved;
        if (input.node) input.isTouched = false;
        else input.value = text(saved);
      },
    };
    return entry;
  });
}

/** The values of fields. All mistakes are told at once. */
async function valuesOf(entries) {
  const values = {};
  const mistakes = [];
  for (const entry of entries) {
    try {
      values[entry.one.name] = await entry.value();
    } catch (error) {
      mistakes.push(error.message);
    }
  }
  if (mistakes.length) throw new directory.Refusal(400, mistakes.join(" "));
  return values;
}

const order = ["uid", "active", "givenName", "familyName", "displayName", "commonName", "mail", "title", "department", "manager", "employeeNumber"];
const sorted = (attributes) => {
  const place = (one) => (order.includes(one.name) ? order.indexOf(one.name) : one.type === "complex" ? 1000 : 100);
  return attributes.filter((one) => one.type !== "binary").sort((one, other) => place(one) - place(other));
};

export async function newPersonView(signal, guarded) {
  const { attributes } = await directory.emptyForm(signal);
  const entries = fields(sorted(attributes));
  const first = entries.filter(({ one }) => order.includes(one.name));
  const rest = entries.filter(({ one }) => !order.includes(one.name));
  entries.find(({ one }) => one.name === "uid").input.required = true;
  return { parts: [make("h1", { tabindex: "-1" }, "New person"), form({ class: "fields wide", id: "new-person" }, "Create", (tell) => guarded(async () => {
    const values = Object.fromEntries(Object.entries(await valuesOf(entries)).filter(([, value]) => value !== null));
    const user = await directory.createUser(values);
    location.hash = `#manage/${user.id}`;
  }, (error) => tell(error.message)), ...first.map(({ row }) => row), make("details", { class: "more-fields" }, make("summary", {}, "More attributes"), ...rest.map(({ row }) => row)))] };
}

/** The powers of whoever is signed in show the sections that they are for. */
export async function manageView(id, signal, guarded) {
  const administers = directory.may("administrator");
  const [user, profile, sessions] = await Promise.all([
    directory.person(id, signal), directory.formOf(id, signal),
    directory.admin(`users/${encodeURIComponent(id)}/sessions`, "GET", undefined, signal).catch(() => null),
  ]);
  const refresh = () => dispatchEvent(new HashChangeEvent("hashchange"));
  let version = profile.version;
  const entries = fields(sorted(profile.attributes.filter((one) => one.writable)));
  const first = entries.filter(({ one }) => order.includes(one.name) || (one.value !== null && one.value !== undefined));
  const rest = entries.filter((entry) => !first.includes(entry));
  const edit = section("edit", "Attributes", form({ class: "fields wide", id: "edit-person" }, "Save", (tell) => guarded(async () => {
    const changed = entries.filter((entry) => entry.isChanged());
    if (!changed.length) {
      tell("Nothing was changed.");
      return;
    }
    const saved = await directory.change(id, await valuesOf(changed), version);
    version = saved.version;
    for (const entry of entries) entry.show(saved.attributes.find(({ name }) => name === entry.one.name) ?? entry.one);
    tell("Saved.");
  }, (error) => tell(error.message)), ...first.map(({ row }) => row), rest.length ? make("details", { class: "more-fields" }, make("summary", {}, "More attributes"), ...rest.map(({ row }) => row)) : null));
  const result = make("p", { class: "result", role: "status" });
  const act = (text, work, message, attributes) => button(text, () => guarded(async () => {
    result.textContent = "";
    await work();
    result.textContent = message;
  }, (error) => { result.textContent = error.message; }), attributes);
  const password = field("set-password", "New password", { type: "password", autocomplete: "new-password", required: true });
  const access = section("access", "Signing in",
    form({ class: "fields" }, "Set the password", (tell) => guarded(async () => {
      await directory.setPassword(id, password.input.value);
      password.input.value = "";
      tell("The password is set. Whatever was signed in with the old one is signed out.");
    }, (error) => tell(error.message)), make("input", { type: "text", autocomplete: "username", value: profile.uid, hidden: true, readonly: true, tabindex: "-1", "aria-hidden": "true" }), password.row),
    make("p", { class: "actions" },
      button("Make a password link", () => guarded(async () => {
        const made = await directory.admin(`users/${encodeURIComponent(id)}/password-link`, "POST");
        result.replaceChildren("Give this link to the person. It sets a password once, until ", moment(made.expires), ": ", make("code", { id: "password-link" }, made.url));
      }, (error) => { result.textContent = error.message; })), " ",
      act("Remove the second factor", () => directory.admin(`users/${encodeURIComponent(id)}/second-factor`, "DELETE"), "The second factor is removed."), " ",
      act("Sign out everywhere", () => directory.signOutUser(id), "Every session and every token is ended.")),
    result,
    sessions?.sessions.length ? make("ul", { class: "rows" }, ...sessions.sessions.map((one) => make("li", {}, make("div", {}, device(one.agent), make("small", {}, `last used ${moment(one.used)}`)),
      button("End this one", () => guarded(async () => {
        await directory.admin(`users/${encodeURIComponent(id)}/sessions/${one.id}`, "DELETE");
        refresh();
      }), { "aria-label": `End this one, last used ${moment(one.used)}` })))) : null);
  const role = picker("add-role", "group", null);
  const roles = section("roles", "Roles", make("ul", { class: "rows" }, ...(user.groups ?? []).map((one) => make("li", {},
    make("div", {}, make("a", { href: `#group/${one.value}` }, one.display), one.type === "indirect" ? make("span", { class: "soft" }, " · through another role") : null),
    one.type === "indirect" ? null : button("Remove", () => guarded(async () => {
      await directory.removeMember(one.value, id);
      refresh();
    }), { "aria-label": `Remove from ${one.display}` })))),
  form({ class: "fields" }, "Add to the role", (tell) => guarded(async () => {
    const chosen = await role.resolve();
    if (!chosen) return tell("Choose a role first.");
    await directory.addMember(chosen, id);
    refresh();
  }, (error) => tell(error.message)), make("div", { class: "row" }, make("label", { for: "add-role" }, "Role"), role.node)));
  const policy = make("select", { id: "reportees-policy" }, ...[["refuse", "Do not delete a person with reports"], ["reassign", "Reports go to the person's manager"], ["leave", "Reports have no manager"]].map(([value, text]) => make("option", { value }, text)));
  const sure = field("delete-name", `Write ${profile.uid} to confirm`, { autocomplete: "off", required: true });
  const removal = section("removal", "Delete", form({ class: "fields dangerous" }, "Delete this person", (tell) => guarded(async () => {
    if (sure.input.value !== profile.uid) return tell("That is another name.");
    await directory.deleteUser(id, policy.value);
    location.hash = "#people";
    toast(`${directory.label(user)} is deleted.`);
  }, (error) => tell(error.message)), make("div", { class: "row" }, make("label", { for: "reportees-policy" }, "What becomes of the reports"), policy), sure.row));
  return {
    parts: [
      ...head(user, "manage"), entries.length ? edit : null, administers || directory.may("help-desk") ? access : null,
      administers ? roles : null, administers || directory.may("people-editor") ? removal : null,
    ].filter(Boolean),
  };
}
