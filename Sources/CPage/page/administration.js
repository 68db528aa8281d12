// The administration of the server: its places, programs' tokens, signing keys, and what is changed about a role.

import { copyButton } from "./copy.js";
import * as directory from "./directory.js";
import { choice, field, form, make, moment, refresh, section, twice } from "./dom.js";
import { heading, toast } from "./frame.js";
import { picker } from "./picker.js";

/** The places of the navigation, each with its views. */
/** @type {[string, Record<string, string>][]} */
const groups = [
  ["Apps", { backends: "Apps", tokens: "Programs" }],
  ["Sign-in", { providers: "Providers", issuers: "Issuers", policies: "Policies", keys: "Signing keys" }],
  ["Attributes", { attributes: "Attributes" }], ["Import & export", { files: "Import and export" }],
  ["Audit", { audit: "Audit log" }], ["Server", { server: "Server" }],
];

function head(current) {
  const [title, names] = groups.find(([, views]) => Object.hasOwn(views, current));
  const links = Object.entries(names).map(([name, text]) => make("a", { href: `#admin/${name}`, ...(name === current ? { "aria-current": "page" } : {}) }, text));
  return [heading(title), links.length > 1 ? make("nav", { class: "tabs", "aria-label": title }, ...links) : null];
}
/** A secret that is shown once. */
const once = (label, value) => make("p", { class: "note", role: "status" }, `${label}, shown only now: `, make("code", {}, value), " ", copyButton(value, label.toLowerCase()));

const views = {
  async tokens(signal, guarded) {
    const { tokens } = await directory.admin("tokens", "GET", undefined, signal);
    const shownOnce = make("div", {});
    const name = field("token-name", "Name of the program", { autocomplete: "off", required: true });
    const role = choice("token-role", "Rights", [["provisioning", "Provisioning: synchronizes people and roles"], ["monitoring", "Monitoring: reads the metrics"], ["administrator", "Administrator"]]);
    const days = field("token-days", "Days until it ends", { inputmode: "numeric", autocomplete: "off" }, "Without a number it does not end.");
    const source = field("token-source", "Source of external identifiers", { autocomplete: "off" }, "Such as entra. Programs of one source share them, so that a new token takes the place of an old one.");
    return [section("tokens", "Programs' tokens", make("ul", { class: "rows" }, ...(tokens.length ? tokens.map((one) => make("li", {}, make("div", {}, make("strong", {}, one.name), make("small", {}, [one.role, one.source ? `source ${one.source}` : null, `since ${moment(one.created)}`, one.expires ? `until ${moment(one.expires)}` : null, one.maker ? `made by ${one.maker}` : null].filter(Boolean).join(", "))),
      twice("End", async () => {
        await directory.admin(`tokens/${encodeURIComponent(one.id)}`, "DELETE");
        refresh();
      }, guarded, `End the token ${one.name}`))) : [make("li", { class: "soft" }, "No program has a token yet. Create one below, such as for a system that provisions people.")]))),
    section("new-token-title", "New token", shownOnce, form({ class: "fields", id: "new-token" }, "Create", (tell) => guarded(async () => {
      const made = await directory.admin("tokens", "POST", { name: name.input.value, role: role.input.value, ...(source.input.value ? { source: source.input.value } : {}), ...(days.input.value ? { days: Number.isNaN(Number(days.input.value)) ? days.input.value : Number(days.input.value) } : {}) });
      shownOnce.replaceChildren(once("Token", made.token));
      tell("Created.");
    }, (error) => tell(error.message)), name.row, role.row, source.row, days.row))];
  },

  async keys(signal, guarded) {
    const { keys } = await directory.admin("keys", "GET", undefined, signal);
    const algorithm = choice("key-algorithm", "Algorithm", ["ES256", "RS256", "EdDSA"].map((one) => [one, one]));
    return [section("keys", "Signing keys", make("ul", { class: "rows" }, ...(keys.length ? keys.map((one) => make("li", {}, make("div", {}, make("strong", {}, one.algorithm), make("small", {}, `${one.id}, since ${moment(one.created)}${one.retired ? `, retired ${moment(one.retired)}` : ""}`)),
      twice("Remove", async () => {
        await directory.admin(`keys/${encodeURIComponent(one.id)}`, "DELETE");
        refresh();
      }, guarded, `Remove the key ${one.id}`))) : [make("li", { class: "soft" }, "None has signed yet.")]))),
    section("new-key-title", "New key", make("p", {}, "A new key signs in five minutes, when apps know it. Remove a key only if it was stolen: what it signed is good for nothing any more."), form({ class: "fields", id: "new-key" }, "Make a new key", async (tell) => guarded(async () => {
      await directory.admin("keys", "POST", { algorithm: algorithm.input.value });
      refresh();
    }, (error) => tell(error.message)), algorithm.row))];
  },
};

const operation = async (name, signal, guarded) => (await import("./operation.js"))[name](signal, guarded);
Object.assign(views, {
  attributes: async (signal, guarded, state) => (await import("./attribute-admin.js")).attributesView(signal, guarded, state),
  audit: async (signal, guarded, state) => (await import("./audit.js")).auditView(signal, guarded, state),
  backends: async (signal, guarded, state) => (await import("./apps.js")).appsView(signal, guarded, state),
  issuers: async (signal, guarded, state) => (await import("./trust.js")).issuersView(signal, guarded, state),
  providers: async (signal, guarded, state) => (await import("./trust.js")).providersView(signal, guarded, state),
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
  const power = administers ? choice("role-power", "Power over people", [["", "None"], ["help-desk", "Help desk: passwords, second factors, sessions"], ["people-editor", "People editor: people, but no roles"]]) : null;
  if (power) {
    const given = (await directory.admin(`roles/${encodeURIComponent(group.id)}/power`)).power ?? "";
    if (given === "administrator") power.input.append(make("option", { value: given }, "Administrator"));
    power.input.value = given;
  }
  const member = picker("add-member", "user", null);
  const owner = picker("add-owner", "user", null);
  const display = field("role-display", "Name shown to others", { autocomplete: "off", value: group.name ?? "" });
  const text = field("role-description", "Description", { autocomplete: "off", value: group.description ?? "" });
  const adding = (id, title, label, picked, add) => form({ class: "fields", id }, label, (tell) => guarded(async () => {
    const chosen = await picked.resolve();
    if (!chosen) return tell("Choose a person first.");
    await add(group.id, chosen);
    refresh();
  }, (error) => tell(error.message)), make("div", { class: "row" }, make("label", { for: picked.field.id }, title), picked.node));
  return [section("change-role", "Change this role", make("p", {}, make("button", { type: "button", id: "edit-members" }, "Remove members or owners")),
    adding("member-form", "New member", "Add the member", member, directory.addMember), administers ? adding("owner-form", "New owner", "Add the owner", owner, directory.addOwner) : null,
    ...(administers ? [form({ class: "fields", id: "power-form" }, "Set the power", (tell) => guarded(async () => {
      await directory.admin(`roles/${encodeURIComponent(group.id)}/power`, "PUT", { power: power.input.value || null });
      tell("Saved.");
    }, (error) => tell(error.message)), power.row),
    form({ class: "fields", id: "role-form" }, "Save the texts", (tell) => guarded(async () => {
      await directory.changeRole(group.id, { displayname: display.input.value, description: text.input.value });
      refresh();
    }, (error) => tell(error.message)), display.row, text.row),
    make("p", { class: "actions" }, twice("Delete the role", async () => {
      await directory.deleteRole(group.id);
      location.hash = "#roles";
      toast(`The role ${group.name} is deleted.`);
    }, guarded))] : []))];
}
