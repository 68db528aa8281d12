// The roles of the directory: a list, a tree, and the form of a new one.

import * as directory from "./directory.js";
import { field, form } from "./dom.js";
import { guarded, heading, toast } from "./frame.js";

export function newRoleView() {
  const name = field("role-name", "Name", { autocomplete: "off", required: true }, "Apps and tokens name the role by it, such as night-shift.");
  const display = field("role-display", "Name shown to others", { autocomplete: "off" });
  const text = field("role-description", "Description", { autocomplete: "off" });
  return { parts: [heading("New role"), form({ class: "fields", id: "new-role" }, "Create", (tell) => guarded(async () => {
    const texts = { displayname: display.input.value, description: text.input.value };
    const given = Object.fromEntries(Object.entries(texts).filter(([, value]) => value));
    const role = await directory.createRole({ commonname: name.input.value, ...given });
    location.hash = `#group/${role.guid}`;
    toast("The role is created. Add its members and owners here.");
  }, (error) => tell(error.message)), name.row, display.row, text.row)] };
}
