// The administration of the server: backends, programs' tokens, signing keys, attributes, and the audit log.

import { labelled } from "./attributes.js";
import { to, write } from "./address.js";
import * as directory from "./directory.js";
import { button, choice, field, form, json, make, moment, refresh, repeated, section, twice } from "./dom.js";
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
const once = (label, value) => make("p", { class: "note", role: "status" }, `${label}, shown only now: `, make("code", {}, value));

const views = {
  async backends(signal, guarded) {
    const { backends } = await directory.admin("backends", "GET", undefined, signal);
    const shownOnce = make("div", {});
    const secrets = (one) => shownOnce.replaceChildren(...[["client_secret", "Client secret"], ["secret", "Secret"], ["anonymous_key", "Anonymous key"]].filter(([key]) => one[key]).map(([key, label]) => once(label, one[key])));
    const row = (one) => {
      const settings = make("textarea", { rows: 10, spellcheck: "false", "aria-label": `Settings of ${one.name}` });
      const known = Object.fromEntries(Object.entries(one).filter(([key]) => !["id", "client_id", "backend_id", "created", "modified", "maker", "advice"].includes(key)));
      settings.value = JSON.stringify(known, null, 2);
      return make("li", { class: "tall" }, make("div", {}, make("strong", {}, `${one.name} ${one.version ?? ""}`), make("small", {}, `client_id ${one.client_id}`),
        ...(one.advice ?? []).map((text) => make("small", { class: "soft" }, text)),
        make("details", {}, make("summary", {}, "Settings"), form({}, "Save", (tell) => guarded(async () => {
          const body = json(settings.value, tell);
          if (!body) return false;
          await directory.admin(`backends/${one.id}`, "PUT", body);
          tell("Saved.");
        }, (error) => tell(error.message)), make("div", { class: "row" }, settings)))),
      make("div", { class: "buttons" }, twice("New secrets", async () => secrets(await directory.admin(`backends/${one.id}/secret`, "POST")), guarded, `New secrets for ${one.name}`),
        twice("Delete", async () => {
          await directory.admin(`backends/${one.id}`, "DELETE");
          refresh();
        }, guarded, `Delete ${one.name}`)));
    };
    const list = make("ul", { class: "rows" });
    const show = (all) => list.replaceChildren(...(all.length ? all.map(row) : [make("li", { class: "soft" }, "There is no app yet. Create the first one below.")]));
    show(backends);
    const name = field("backend-name", "Name", { autocomplete: "off", required: true });
    const redirect = field("backend-redirect", "Redirect address", { autocomplete: "off", type: "url" }, "Where browsers come back to after signing in, such as https://app.example.com/callback.");
    const isPublic = choice("backend-public", "Kind", [["", "With a secret, on a server"], ["true", "Without a secret, on people's devices"]]);
    return [section("backends", "Apps", shownOnce, list),
      section("new-backend-title", "New app", form({ class: "fields", id: "new-backend" }, "Create", (tell) => guarded(async () => {
        const made = await directory.admin("backends", "POST", { name: name.input.value, ...(redirect.input.value ? { redirect_uris: [redirect.input.value] } : {}), ...(isPublic.input.value ? { public: true } : {}) });
        secrets(made);
        tell(`Created. Its client_id is ${made.client_id}.`);
        show((await directory.admin("backends")).backends);
      }, (error) => tell(error.message)), name.row, redirect.row, isPublic.row))];
  },

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

  async attributes(signal, guarded) {
    const { attributes } = await directory.admin("attributes", "GET", undefined, signal);
    const readers = ["nobody", "administrators", "person", "managers", "signedIn"];
    const writers = ["nobody", "administrators", "person"];
    const chooser = (label, options, value) => {
      const node = make("select", { "aria-label": label }, ...options.map((one) => make("option", { value: one }, one)));
      node.value = value;
      return node;
    };
    const result = make("p", { class: "result", role: "status" });
    /** Changes the readers or the writers of an attribute, and offers to change them back. */
    const set = (one, part, node, value) => guarded(async () => {
      const before = one[part];
      await directory.admin(`attributes/${encodeURIComponent(one.name)}`, "PUT", { of: one.of, [part]: value });
      one[part] = value;
      node.value = value;
      result.replaceChildren();
      toast(`The ${part} of ${one.name} are changed.`, () => set(one, part, node, before));
    }, (error) => {
      node.value = one[part];
      result.textContent = error.message;
    });
    /** Asks before more people may read or write an attribute: a select is changed by a turn of the wheel. */
    const choose = (one, part, node, options) => {
      if (options.indexOf(node.value) <= options.indexOf(one[part])) return set(one, part, node, node.value);
      const wanted = node.value;
      result.replaceChildren(`More people could ${part === "readers" ? "read" : "write"} '${one.name}': ${wanted} in place of ${one[part]}. `,
        button(`Let ${wanted}`, () => set(one, part, node, wanted)), " ",
        button("Leave it", () => {
          node.value = one[part];
          result.textContent = "Nothing was changed.";
        }));
    };
    const rows = attributes.map((one) => {
      const reading = chooser(`Readers of ${one.name}`, readers, one.readers);
      const writing = chooser(`Writers of ${one.name}`, writers, one.writers);
      reading.addEventListener("change", () => choose(one, "readers", reading, readers));
      writing.addEventListener("change", () => choose(one, "writers", writing, writers));
      return make("tr", {}, make("th", { scope: "row" }, one.name), make("td", {}, `${one.of}, ${one.type}${one.multiValued ? ", several" : ""}`), make("td", {}, reading), make("td", {}, writing),
        make("td", {}, one.declared ? twice("Remove", async () => {
          await directory.ask(`admin/attributes/${encodeURIComponent(one.name)}?of=${one.of}&removing_values=true`, undefined, "DELETE");
          refresh();
        }, guarded, `Remove ${one.name} with its values`) : null));
    });
    const name = field("attribute-name", "Name", { autocomplete: "off", required: true });
    const type = choice("attribute-type", "Type", ["string", "integer", "decimal", "boolean", "time", "binary"].map((one) => [one, one]));
    const several = choice("attribute-several", "Values", [["", "One"], ["true", "Several"]]);
    return [section("new-attribute-title", "New attribute", form({ class: "fields wide", id: "new-attribute" }, "Declare", (tell) => guarded(async () => {
      await directory.admin("attributes", "POST", { name: name.input.value, type: type.input.value, ...(several.input.value ? { multiValued: true } : {}) });
      refresh();
    }, (error) => tell(error.message)), name.row, type.row, several.row)),
    section("attributes", "Attributes", result, make("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": "Table of attributes" }, make("table", {}, make("thead", {}, make("tr", {}, ...["Name", "Type", "Readers", "Writers", ""].map((text) => (text ? make("th", { scope: "col" }, text) : make("td", {}))))), make("tbody", {}, ...rows))))];
  },

  async audit(signal, guarded, state) {
    const kind = choice("audit-kind", "What happened", [["", "Anything"], ...["created", "modified", "deleted", "signedIn", "refused", "granted", "exchanged", "revoked"].map((one) => [one, labelled(one)])]);
    const entity = choice("audit-entity", "To what", [["", "Anything"], ...["user", "role", "attribute", "backend", "virtualUser", "signingKey", "setting"].map((one) => [one, labelled(one)])]);
    const subject = field("audit-subject", "Whose name or identifier", { autocomplete: "off" });
    const batch = field("audit-batch", "Number of the batch", { autocomplete: "off", inputmode: "numeric" });
    const chosen = { kind, entity, subject, batch };
    for (const [name, { input }] of Object.entries(chosen)) input.value = state.get(name) ?? "";
    const values = () => Object.fromEntries(Object.entries(chosen).map(([name, { input }]) => [name, input.value.trim()]));
    const list = make("ul", { class: "rows", id: "audit-rows", "aria-labelledby": "audit" });
    const more = button("Show more", () => guarded(() => load(next)));
    let next = null;
    const texts = (changed) => Object.entries(changed).map(([key, value]) => `${key}: ${typeof value === "string" ? value : JSON.stringify(value)}`).join(", ");
    const load = async (before) => {
      const query = new URLSearchParams(Object.entries({ before, limit: 50, ...values() }).filter(([, value]) => value));
      const page = await directory.admin(`changes?${query}`);
      if (!before) list.replaceChildren();
      list.append(...page.elements.map((one) => make("li", {}, make("div", {}, make("strong", {}, `${labelled(one.kind)} · ${labelled(one.entity)} ${one.name}`),
        make("small", {}, [moment(one.time), one.actor_name ?? one.actor].filter(Boolean).join(" · by ") + repeated(one) + (one.batch ? ` · batch ${one.batch}` : "")),
        Object.keys(one.before).length || Object.keys(one.after).length ? make("details", {}, make("summary", {}, "Details"), make("small", {}, `before: ${texts(one.before) || "nothing"}`), make("small", {}, `after: ${texts(one.after) || "nothing"}`)) : null))));
      if (!list.children.length) list.append(make("li", { class: "soft" }, "Nothing was found."));
      next = page.next ?? null;
      more.hidden = !next;
    };
    await load(null);
    return [section("audit", "Audit log", form({ class: "fields wide", id: "audit-filter", "data-seeks": true }, "Filter", () => {
      write(to("admin", "audit", values()));
      return guarded(() => load(null));
    }, kind.row, entity.row, subject.row, batch.row), list, make("p", { class: "actions" }, more))];
  },
};

const settings = async (name, signal, guarded) => (await import("./settings.js"))[name](signal, guarded);
const operation = async (name, signal, guarded) => (await import("./operation.js"))[name](signal, guarded);
Object.assign(views, {
  issuers: (...call) => settings("issuersView", ...call),
  providers: (...call) => settings("providersView", ...call),
  policies: (...call) => settings("policiesView", ...call),
  files: (...call) => operation("filesView", ...call),
  server: (...call) => operation("serverView", ...call),
});

export async function administrationView(name, signal, guarded, state) {
  if (!Object.hasOwn(views, name)) return null;
  return { parts: [...head(name), ...await views[name](signal, guarded, state)] };
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
