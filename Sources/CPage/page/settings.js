// The settings of the service that administrators change while it runs: issuers, certificates, providers and policies.

import * as directory from "./directory.js";
import { button, choice, field, form, json, make, moment, refresh, section, twice } from "./dom.js";

const sources = { file: "given when the server was started, so that it counts and cannot be changed here", standard: "the standard" };
const nothing = make("li", { class: "soft" }, "There is none yet. Add the first one below.");

/** What the server says of an entry besides its value. */
const state = (one) => [
  one.type, sources[one.source], one.has_secret ? "with a secret" : null, one.changed ? `changed ${moment(one.changed)}` : null,
].filter(Boolean).join(", ");

const area = (id, label, value, hint) => {
  const input = make("textarea", { id, rows: 8, spellcheck: "false", ...(hint ? { "aria-describedby": `${id}-hint` } : {}) });
  input.value = value;
  return { input, row: make("div", { class: "row" }, make("label", { for: id }, label), input,
    hint ? make("small", { id: `${id}-hint`, class: "soft" }, hint) : null) };
};

/** The entries of a collection that has types, such as issuers: each with its JSON, and a form for a new one. */
function entries(collection, all, kinds, nameOf, guarded) {
  const path = (type, name) => `${collection}/${type}/${encodeURIComponent(name)}`;
  const rows = all.map((one, index) => {
    const fixed = one.source !== "directory";
    const value = area(`${collection}-${index}`, `Entry of ${one.name}`, JSON.stringify(one.entry, null, 2));
    value.input.readOnly = fixed;
    const secret = kinds[one.type].secret && !fixed
      ? field(`${collection}-${index}-secret`, "New secret", { type: "password", autocomplete: "off" }, "Empty keeps the present one.")
      : null;
    const save = (tell) => guarded(async () => {
      const entry = json(value.input.value, tell);
      if (!entry) return false;
      if (secret?.input.value) entry[kinds[one.type].secret] = secret.input.value;
      await directory.admin(path(one.type, one.name), "PUT", entry);
      if (secret) secret.input.value = "";
      tell("Saved.");
    }, (error) => tell(error.message));
    return make("li", { class: "tall" }, make("div", {}, make("strong", {}, one.name), make("small", {}, state(one)),
      one.problem ? make("small", { class: "off" }, one.problem) : null,
      make("details", {}, make("summary", {}, "Entry"),
        fixed ? value.row : form({}, "Save", save, value.row, secret?.row))),
    fixed ? null : make("div", { class: "buttons" }, twice("Remove", async () => {
      await directory.admin(path(one.type, one.name), "DELETE");
      refresh();
    }, guarded, `Remove ${one.name}`)));
  });
  const type = choice(`new-${collection}-type`, "Kind", Object.entries(kinds).map(([key, kind]) => [key, kind.label]));
  const name = nameOf ? null : field(`new-${collection}-name`, "Name", { autocomplete: "off", required: true });
  const entry = area(`new-${collection}-entry`, "Entry", "", "As in the document that the server can be started with.");
  const secret = field(`new-${collection}-secret`, "Secret", { type: "password", autocomplete: "off" });
  const propose = () => {
    entry.input.value = JSON.stringify(kinds[type.input.value].example, null, 2);
    secret.row.hidden = !kinds[type.input.value].secret;
  };
  type.input.addEventListener("change", propose);
  propose();
  return [make("ul", { class: "rows" }, ...(rows.length ? rows : [nothing.cloneNode(true)])),
    form({ class: "fields", id: `new-${collection}` }, "Add", (tell) => guarded(async () => {
      const value = json(entry.input.value, tell);
      if (!value) return false;
      const key = nameOf ? value[nameOf] : name.input.value;
      if (typeof key !== "string" || !key) return tell(`The entry has no '${nameOf}'.`);
      if (all.some((one) => one.type === type.input.value && one.name === key)) return tell("There is such an entry already. Change it above.");
      if (kinds[type.input.value].secret && secret.input.value) value[kinds[type.input.value].secret] = secret.input.value;
      await directory.admin(path(type.input.value, key), "PUT", value);
      refresh();
    }, (error) => tell(error.message)), make("h3", {}, "New entry"), type.row, name?.row, entry.row, secret.row)];
}

const issuerKinds = {
  jwt: { label: "JSON Web Tokens", example: {
    issuerName: "https://idp.example.com", jwks: { discoveryUri: "https://idp.example.com/.well-known/openid-configuration" },
    virtualUserEnabled: true } },
  saml: { label: "SAML", example: {
    issuerName: "https://idp.example.com/saml", certificateSubjectNames: ["CN=idp.example.com"], virtualUserEnabled: true } },
};

const providerKinds = {
  oidc: { label: "OpenID Connect", secret: "validation_key", example: {
    issuer: "https://accounts.example.com", client_id: "", register: false } },
  social: { label: "Facebook", secret: "app_secret", example: { app_id: "" } },
};

export async function issuersView(signal, guarded) {
  const [{ issuers }, { certificates }] = await Promise.all([
    directory.admin("issuers", "GET", undefined, signal), directory.admin("certificates", "GET", undefined, signal)]);
  const rows = certificates.map((one) => make("li", {}, make("div", {}, make("strong", {}, one.name),
    make("small", {}, [...(one.subjects ?? []), one.expires ? `until ${moment(one.expires)}` : null, state(one)].filter(Boolean).join(", ")),
    one.problem ? make("small", { class: "off" }, one.problem) : null),
  one.source === "directory" ? twice("Remove", async () => {
    await directory.admin(`certificates/${encodeURIComponent(one.name)}`, "DELETE");
    refresh();
  }, guarded, `Remove the certificate ${one.name}`) : null));
  const name = field("certificate-name", "Name", { autocomplete: "off", required: true });
  const pem = area("certificate-text", "Certificate", "", "The text between BEGIN CERTIFICATE and END CERTIFICATE, with these lines.");
  return [
    section("issuers", "Trusted issuers", make("p", {}, "Their tokens are exchanged for tokens of this server."),
      ...entries("issuers", issuers, issuerKinds, "issuerName", guarded)),
    section("certificates", "Certificates of issuers", make("ul", { class: "rows" }, ...(rows.length ? rows : [nothing.cloneNode(true)])),
      form({ class: "fields", id: "new-certificate" }, "Add the certificate", (tell) => guarded(async () => {
        await directory.admin(`certificates/${encodeURIComponent(name.input.value)}`, "PUT", { certificate: pem.input.value });
        refresh();
      }, (error) => tell(error.message)), name.row, pem.row))];
}

export async function providersView(signal, guarded) {
  const { providers } = await directory.admin("providers", "GET", undefined, signal);
  return [section("providers", "Identity providers", make("p", {}, "People sign in with them on the sign-in page."),
    ...entries("providers", providers, providerKinds, null, guarded))];
}

const policies = {
  Security_AllowOrigin: { label: "Web pages that may call the server",
    hint: "disallow, or addresses such as https://*.example.com, with commas between." },
  Security_TokenExchangeTimeoutSecs: { label: "Lifetime of exchanged tokens in seconds", number: true },
  Security_TokenExchangeTimeoutPolicy: { label: "Which lifetime exchanged tokens have", options: [
    ["FromTimeoutSecs", "That number of seconds"], ["FromExternalToken", "That of the issuer's token"],
    ["FromExternalTokenLimitedByTimeoutSecs", "That of the issuer's token, and at most that number"]] },
  token_settings: { label: "Tokens of apps that have no settings of their own", object: true,
    hint: "As JSON, such as {\"access_token_expiry\": 15}. The article Backends names the settings." },
  allow_private_addresses: { label: "Addresses that apps register may be in private networks", options: [["false", "Refused"], ["true", "Allowed"]], boolean: true,
    hint: "The server calls such an address when somebody signs out of an app." },
  dynamic_registration: { label: "Who may register apps by a request", options: [["off", "Nobody"], ["administrators", "Administrators and their programs"],
    ["everyone", "Everyone"]] },
  client_metadata_hosts: { label: "Hosts whose documents describe apps", object: true, hint: "As JSON, such as [\"apps.example.com\"]." },
  allow_bare_basic: { label: "Name and password with each request (HTTP Basic)", options: [["true", "Allowed"], ["false", "Refused"]], boolean: true },
};

/** A form for a policy, which reads its value as the policy's type. */
function policy(one, guarded) {
  const { label, hint, number, options, object, boolean } = policies[one.name] ?? { label: one.name, object: true };
  const id = `policy-${one.name}`;
  const shown = object ? JSON.stringify(one.value, null, 2) : String(one.value);
  const control = options ? choice(id, label, options) : object ? area(id, label, shown, hint) : field(id, label, { autocomplete: "off", ...(number ? { inputmode: "numeric" } : {}) }, hint);
  control.input.value = shown;
  const remarks = make("small", { class: "soft" }, `${state(one)}.`.replace(/^./, (letter) => letter.toUpperCase()));
  if (one.source === "file") {
    control.input.disabled = true;
    return make("div", { class: "fields" }, control.row, make("p", {}, remarks));
  }
  return form({ class: "fields", id: `${id}-form` }, "Save", (tell) => guarded(async () => {
    const text = control.input.value;
    const value = object ? json(text, tell) : boolean ? text === "true" : number && /^\d+$/.test(text) ? Number(text) : text;
    if (value === null) return false;
    await directory.admin(`policies/${one.name}`, "PUT", { value });
    refresh();
  }, (error) => tell(error.message)), control.row, make("p", {}, remarks, " ",
    one.source === "directory" ? button("Back to the standard", () => guarded(async () => {
      await directory.admin(`policies/${one.name}`, "DELETE");
      refresh();
    }), { "aria-label": `Back to the standard: ${label}` }) : null),
  one.problem ? make("p", { class: "off" }, one.problem) : null);
}

export async function policiesView(signal, guarded) {
  const { policies: all } = await directory.admin("policies", "GET", undefined, signal);
  const order = Object.keys(policies);
  const known = [...all].sort((one, other) => order.indexOf(one.name) - order.indexOf(other.name));
  return [section("policies", "Policies", make("p", {}, "A change acts at once, and stays after a restart."), ...known.map((one) => policy(one, guarded)))];
}
