// The administration of one person, and the form of a new one.

import { device } from "./device.js";
import * as directory from "./directory.js";
import { button, field, form, make, moment, section } from "./dom.js";
import { heading, toast } from "./frame.js";
import { head } from "./person.js";
import { picker } from "./picker.js";
import { editForm, newForm } from "./profile-form.js";

export async function newPersonView(signal) {
  const { attributes } = await directory.emptyForm(signal);
  const create = async (values) => {
    const user = await directory.createUser(values);
    location.hash = `#manage/${user.id}`;
  };
  return { parts: [heading("New person"), newForm("new-person", "form", attributes, create)] };
}

/** The powers of whoever is signed in show the sections that they are for. */
export async function manageView(id, signal, guarded) {
  const administers = directory.may("administrator");
  const [user, profile, sessions] = await Promise.all([
    directory.person(id, signal), directory.formOf(id, signal),
    directory.admin(`users/${encodeURIComponent(id)}/sessions`, "GET", undefined, signal).catch(() => null),
  ]);
  const refresh = () => dispatchEvent(new HashChangeEvent("hashchange"));
  const edited = editForm("edit-person", "form", id, profile, true);
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
      ...head(user, "manage"), edited ? section("edit", "Attributes", edited) : null, administers || directory.may("help-desk") ? access : null,
      administers ? roles : null, administers || directory.may("people-editor") ? removal : null,
    ].filter(Boolean),
  };
}
