// The administration of the server: its places, programs' tokens, signing keys, and what is changed about a role.

import * as directory from "./directory.js";
import { choice, field, form, make, moment, refresh, section, twice } from "./dom.js";
import { heading, toast } from "./frame.js";
import { picker } from "./picker.js";
import { say } from "./texts.js";

/** The places of the navigation, each with its views. */
/** @type {[string, Record<string, string>][]} */
const groups = [
  [say("Apps"), { backends: say("Apps"), tokens: say("Programs") }],
  [say("Sign-in"), { providers: say("Providers"), issuers: say("Issuers"), policies: say("Policies"), keys: say("Signing keys") }],
  [say("Attributes"), { attributes: say("Attributes") }], [say("Import & export"), { files: say("Import and export") }],
  [say("Audit"), { audit: say("Audit log") }], [say("Server"), { server: say("Server"), branding: say("Look") }],
];

function head(current) {
  const [title, names] = groups.find(([, views]) => Object.hasOwn(views, current));
  const links = Object.entries(names).map(([name, text]) => make("a", { href: `#admin/${name}`, ...(name === current ? { "aria-current": "page" } : {}) }, text));
  return [heading(title), links.length > 1 ? make("nav", { class: "tabs", "aria-label": title }, ...links) : null];
}
const views = {
  async keys(signal, guarded) {
    const { keys } = await directory.admin("keys", "GET", undefined, signal);
    const algorithm = choice("key-algorithm", say("Algorithm"), ["ES256", "RS256", "EdDSA"].map((one) => [one, one]));
    return [section("keys", say("Signing keys"), make("ul", { class: "rows" }, ...(keys.length ? keys.map((one) => make("li", {}, make("div", {}, make("strong", {}, one.algorithm), make("small", {}, [one.id, say("since {time}", { time: moment(one.created) }), one.retired ? say("retired {time}", { time: moment(one.retired) }) : null].filter(Boolean).join(", "))),
      twice(say("Remove"), async () => {
        await directory.admin(`keys/${encodeURIComponent(one.id)}`, "DELETE");
        refresh();
      }, guarded, say("Remove the key {key}", { key: one.id })))) : [make("li", { class: "soft" }, say("None has signed yet."))]))),
    section("new-key-title", say("New key"), make("p", {}, say("A new key signs in five minutes, when apps know it. Remove a key only if it was stolen: what it signed is good for nothing any more.")), form({ class: "fields", id: "new-key" }, say("Make a new key"), async (tell) => guarded(async () => {
      await directory.admin("keys", "POST", { algorithm: algorithm.input.value });
      refresh();
    }, (error) => tell(error.message)), algorithm.row))];
  },
};

const operation = async (name, signal, guarded) => (await import("./operation.js"))[name](signal, guarded);
Object.assign(views, {
  branding: async (signal, guarded) => (await import("./branding-form.js")).brandingView(signal, guarded),
  attributes: async (signal, guarded, state) => (await import("./attribute-admin.js")).attributesView(signal, guarded, state),
  audit: async (signal, guarded, state) => (await import("./audit.js")).auditView(signal, guarded, state),
  backends: async (signal, guarded, state) => (await import("./apps.js")).appsView(signal, guarded, state),
  issuers: async (signal, guarded, state) => (await import("./trust.js")).issuersView(signal, guarded, state),
  providers: async (signal, guarded, state) => (await import("./trust.js")).providersView(signal, guarded, state),
  tokens: async (signal, guarded) => (await import("./tokens.js")).tokensView(signal, guarded),
  policies: async (signal, guarded) => (await import("./policies.js")).policiesView(signal, guarded),
  files: (...call) => operation("filesView", ...call),
  server: (...call) => operation("serverView", ...call),
});

export async function administrationView(name, signal, guarded, state) {
  if (!Object.hasOwn(views, name)) return null;
  const shown = await views[name](signal, guarded, state);
  return { parts: Array.isArray(shown) ? [...head(name), ...shown] : [heading(shown.title), ...shown.parts] };
}

/** What administrators and owners change about a role. */
export async function roleSections(group, guarded, administers) {
  const power = administers ? choice("role-power", say("Power over people"), [["", say("None")], ["help-desk", say("Help desk: passwords, second factors, sessions")], ["people-editor", say("People editor: people, but no roles")]]) : null;
  if (power) {
    const given = (await directory.admin(`roles/${encodeURIComponent(group.id)}/power`)).power ?? "";
    if (given === "administrator") power.input.append(make("option", { value: given }, say("Administrator")));
    power.input.value = given;
  }
  const member = picker("add-member", "user", null);
  const owner = picker("add-owner", "user", null);
  const display = field("role-display", say("Name shown to others"), { autocomplete: "off", value: group.name ?? "" });
  const text = field("role-description", say("Description"), { autocomplete: "off", value: group.description ?? "" });
  const adding = (id, title, label, picked, add) => form({ class: "fields", id }, label, (tell) => guarded(async () => {
    const chosen = await picked.resolve();
    if (!chosen) return tell(say("Choose a person first."));
    await add(group.id, chosen);
    refresh();
  }, (error) => tell(error.message)), make("div", { class: "row" }, make("label", { for: picked.field.id }, title), picked.node));
  return [section("change-role", say("Change this role"), make("p", {}, make("button", { type: "button", id: "edit-members" }, say("Remove members or owners"))),
    adding("member-form", say("New member"), say("Add the member"), member, directory.addMember), administers ? adding("owner-form", say("New owner"), say("Add the owner"), owner, directory.addOwner) : null,
    ...(administers ? [form({ class: "fields", id: "power-form" }, say("Set the power"), (tell) => guarded(async () => {
      await directory.admin(`roles/${encodeURIComponent(group.id)}/power`, "PUT", { power: power.input.value || null });
      tell(say("Saved."));
    }, (error) => tell(error.message)), power.row),
    form({ class: "fields", id: "role-form" }, say("Save the texts"), (tell) => guarded(async () => {
      await directory.changeRole(group.id, { displayname: display.input.value, description: text.input.value });
      refresh();
    }, (error) => tell(error.message)), display.row, text.row),
    make("p", { class: "actions" }, twice(say("Delete the role"), async () => {
      await directory.deleteRole(group.id);
      location.hash = "#roles";
      toast(say("The role {name} is deleted.", { name: group.name }));
    }, guarded))] : []))];
}
