// The form of one person, and that of a new one.

import * as directory from "./directory.js";
import { choice, field, form, section } from "./dom.js";
import { heading, toast } from "./frame.js";
import { head } from "./person.js";
import { editForm, newForm } from "./profile-form.js";
import { say } from "./texts.js";

export async function newPersonView(signal) {
  const { attributes } = await directory.emptyForm(signal);
  const create = async (values) => {
    const user = await directory.createUser(values);
    location.hash = `#manage/${user.id}`;
  };
  return { parts: [heading(say("New person")), newForm("new-person", "form", attributes, create)] };
}

/** The form of a person, and the end of the account. */
export async function manageView(id, signal, guarded) {
  const [user, profile] = await Promise.all([directory.person(id, signal), directory.formOf(id, signal)]);
  const edited = editForm("edit-person", "form", id, profile, true);
  const policy = choice("reportees-policy", say("What becomes of the reports"), [["refuse", say("Do not delete a person with reports")], ["reassign", say("Reports go to the person's manager")], ["leave", say("Reports have no manager")]]);
  const sure = field("delete-name", say("Write {name} to confirm", { name: profile.uid }), { autocomplete: "off", required: true });
  const removal = section("removal", say("Delete"), form({ class: "fields dangerous" }, say("Delete this person"), (tell) => guarded(async () => {
    if (sure.input.value !== profile.uid) return tell(say("That is another name."));
    await directory.deleteUser(id, policy.input.value);
    location.hash = "#people";
    toast(say("{name} is deleted.", { name: directory.label(user) }));
  }, (error) => tell(error.message)), policy.row, sure.row));
  return { parts: [...head(user, "manage"), edited ? section("edit", say("Attributes"), edited) : null, removal].filter(Boolean) };
}
