// Whom the server trusts: the providers with whom people sign in, the issuers whose tokens are exchanged, and certificates of issuers.

import { to } from "./address.js";
import { copyButton } from "./copy.js";
import * as directory from "./directory.js";
import { button, field, form, make, moment, refresh, section, twice } from "./dom.js";
import { toast } from "./frame.js";
import { say, within } from "./texts.js";
import { typedForm } from "./typed.js";

/** @typedef {import("./typed.js").Field} Field */
/**
 * A way to add an entry. `made` gives the members that follow from what was asked.
 * @typedef {{key: string, label: string, about: string, type: string, value?: any, asks?: Field[], made?: (typed: any) => any, note?: string, metadata?: boolean}} Recipe
 */
/** @typedef {{collection: string, title: string, none: string, adding: string, twin: string, about: string, nameOf: string | null, fields: Record<string, Field[]>, recipes: Recipe[]}} Trust */

const host = (/** @type {string} */ text) => text.trim().replace(/^https?:\/\//, "").replace(/\/.*$/, "");
/** @type {Field} */
const tenant = { name: "tenant", label: say("Directory (tenant) ID"), kind: "text", required: true, placeholder: "00000000-0000-0000-0000-000000000000", effect: say("In Microsoft Entra: App registrations, Overview.") };
/** @type {Field} */
const domain = { name: "domain", label: say("Okta domain"), kind: "text", required: true, placeholder: "example.okta.com" };
const microsoft = (/** @type {any} */ { tenant: id }) => `https://login.microsoftonline.com/${id.trim()}/v2.0`;
const wellKnown = (/** @type {string} */ issuer) => `${issuer.replace(/\/$/, "")}/.well-known/openid-configuration`;
/** @param {any} value */
const lines = (value) => [value ?? []].flat();

/** @type {Trust} */
const providers = {
  collection: "providers", title: say("Identity providers"), none: say("There is no provider yet."), adding: say("Add a provider"), twin: say("There is such a provider already. Change it in the list."), nameOf: null,
  about: say("People sign in with them on the sign-in page."),
  fields: {
    oidc: [
      { name: "issuer", label: say("Issuer"), kind: "url", required: true, placeholder: "https://accounts.example.com", effect: say("As its tokens name it, to the letter.") },
      { name: "client_id", label: say("Client ID"), kind: "text", required: true, effect: say("From the provider, where this server is registered as an app.") },
      { name: "validation_key", label: say("Client secret"), kind: "secret", effect: say("It is stored encrypted, and not shown again.") },
      { name: "register", label: say("People who come for the first time get an account"), kind: "flag", standard: false, effect: say("Off lets in only people who have an account here.") },
      { name: "username_claim", label: say("Claim with the user name"), kind: "text", shownStandard: say("a name made of issuer and subject"), effect: say("Only a claim that people cannot choose themselves: it selects the account."), more: true },
      { name: "roles_claim", label: say("Claim with roles"), kind: "text", shownStandard: say("none"), placeholder: "groups", effect: say("Roles here of exactly these names are given at each sign-in."), more: true },
      { name: "user_prefix", label: say("Beginning of user names"), kind: "text", shownStandard: say("the provider's host"), effect: say("Stands before the subject, with _ between."), more: true },
      { name: "scope", label: say("Scopes"), kind: "lines", standard: ["openid", "email"], effect: say("One in a line: what the provider is asked for."), more: true },
      { name: "discovery_url", label: say("Address of the discovery document"), kind: "url", shownStandard: say("that of the standard, below the issuer"), more: true },
      { name: "callback_url", label: say("Address that browsers come back to"), kind: "url", shownStandard: say("this server's /oauth2/callback"), more: true },
      { name: "signing_method", label: say("Signature of its tokens"), kind: "choice", options: [[undefined, say("By the keys that it publishes")], ["HS256", say("By the client secret (HS256)")]], shownStandard: say("by its keys"), more: true },
      { name: "is_default", label: say("Is the provider of apps that name none"), kind: "flag", standard: false, more: true },
      { name: "disable_session", label: say("Gives tokens only, and no session"), kind: "flag", standard: false, more: true },
      { name: "include_access", label: say("The app gets the provider's access token, too"), kind: "flag", standard: false, more: true },
    ],
    social: [
      { name: "app_id", label: say("App ID"), kind: "text", required: true },
      { name: "app_secret", label: say("App secret"), kind: "secret" },
      { name: "provider", label: say("Provider"), kind: "text", shownStandard: say("the name of this entry"), more: true },
      { name: "url", label: say("Address of the Graph API"), kind: "url", shownStandard: say("Facebook's"), more: true },
    ],
  },
  recipes: [
    { key: "google", label: "Google", about: say("Accounts of Google and Workspace"), type: "oidc", value: { issuer: "https://accounts.google.com" }, note: say("Make a client at console.cloud.google.com, APIs and services, Credentials, of the type Web application.") },
    { key: "microsoft", label: "Microsoft", about: "Entra ID", type: "oidc", asks: [tenant], made: (typed) => ({ issuer: microsoft(typed) }), note: say("Register an app at entra.microsoft.com, of the platform Web.") },
    { key: "okta", label: "Okta", about: say("Okta's own authorization server"), type: "oidc", asks: [domain], made: (typed) => ({ issuer: `https://${host(typed.domain)}` }), note: say("Make an app integration of the type OIDC, Web Application.") },
    { key: "github", label: "GitHub", about: say("Through a bridge such as Dex"), type: "oidc", note: say("GitHub has no OpenID Connect for people. Run a bridge such as Dex with GitHub's connector, and give the bridge's issuer here.") },
    { key: "work", label: "OpenID Connect", about: say("Any other provider"), type: "oidc" },
    { key: "facebook", label: "Facebook", about: say("For apps that bring its tokens"), type: "social" },
  ],
};

/** @type {Field[]} */
const both = [
  { name: "enabled", label: say("Its tokens are accepted"), kind: "flag", standard: true },
  { name: "virtualUserEnabled", label: say("People need no account here"), kind: "flag", standard: false, effect: say("Off: a token counts only for somebody who is in the directory.") },
  { name: "usernameAttribute", label: say("Claim with the user name"), kind: "text", shownStandard: say("the subject") },
  { name: "userMappingAttribute", label: say("People are found by"), kind: "choice", standard: "uid", options: [["uid", say("User name")], ["mail", say("Mail address")]] },
  { name: "userMappingIgnoresCase", label: say("Capital and small letters are the same"), kind: "flag", standard: false, more: true },
  { name: "emailVerificationWaived", label: say("Addresses count that the issuer has not verified"), kind: "flag", standard: false, effect: say("Only for an issuer that gives addresses itself."), more: true },
  { name: "audience", label: say("Audiences"), kind: "lines", standard: [], shownStandard: say("the addresses of this server"), effect: say("One in a line. A token must be for one of them."), more: true },
  { name: "roleAttributes", label: say("Claims with roles"), kind: "lines", standard: [], effect: say("One in a line. Roles here of exactly these names count."), more: true },
  { name: "defaultRoles", label: say("Roles of people without one"), kind: "lines", standard: [], effect: say("One in a line."), more: true },
];
/** @type {Field} */
const certificates = { name: "certificateSubjectNames", label: say("Subjects of its certificates"), kind: "lines", placeholder: "CN=idp.example.com", effect: say("One in a line. The certificates themselves are in Issuers, or come with the metadata.") };
/** @type {Field} */
const name = { name: "issuerName", label: say("Issuer"), kind: "text", required: true, placeholder: "https://idp.example.com", effect: say("As its tokens name it, to the letter.") };
const jwks = (/** @type {string} */ issuer) => ({ issuerName: issuer, jwks: { discoveryUri: wellKnown(issuer) } });

/** @type {Trust} */
const issuers = {
  collection: "issuers", title: say("Trusted issuers"), none: say("There is no issuer yet."), adding: say("Add an issuer"), twin: say("There is such an issuer already. Change it in the list."), nameOf: "issuerName",
  about: say("Apps exchange their tokens for tokens of this server."),
  fields: {
    jwt: [name,
      { name: "jwks.discoveryUri", label: say("Address of the discovery document"), kind: "url", placeholder: "https://idp.example.com/.well-known/openid-configuration", effect: say("It names the keys.") },
      { name: "jwks.jwksUri", label: say("Address of the keys"), kind: "url", placeholder: "https://idp.example.com/keys", effect: say("In place of a discovery document.") },
      ...both,
      { ...certificates, effect: say("In place of published keys."), more: true },
      { name: "requireClientAuth", label: say("Apps must prove who they are"), kind: "flag", standard: true, more: true },
      { name: "tokenUsedOnce", label: say("Each token counts once"), kind: "flag", standard: false, more: true },
      { name: "issuerRoles", label: say("Roles of all its people"), kind: "lines", standard: [], effect: say("One in a line."), more: true },
      { name: "tokenTimeoutSeconds", label: say("Exchanged tokens are good for (seconds)"), kind: "number", min: 1, max: 31_536_000, shownStandard: say("that of the policies"), more: true },
      { name: "jwks.authorizationHeader", label: say("Authorization for the keys"), kind: "secret", effect: say("A header field that the issuer wants."), more: true }],
    saml: [name, { ...certificates, required: true }, ...both],
  },
  recipes: [
    { key: "saml", label: say("SAML by metadata"), about: say("Drop or paste the metadata of the identity provider"), type: "saml", metadata: true },
    { key: "google", label: "Google", about: say("ID tokens of Google"), type: "jwt", value: jwks("https://accounts.google.com") },
    { key: "microsoft", label: "Microsoft", about: say("Tokens of Entra ID"), type: "jwt", asks: [tenant], made: (typed) => jwks(microsoft(typed)) },
    { key: "okta", label: "Okta", about: say("Tokens of Okta"), type: "jwt", asks: [domain], made: (typed) => jwks(`https://${host(typed.domain)}`) },
    { key: "github", label: "GitHub Actions", about: say("Workflows bring their tokens"), type: "jwt", value: { ...jwks("https://token.actions.githubusercontent.com"), virtualUserEnabled: true } },
    { key: "jwt", label: "JSON Web Tokens", about: say("Any other issuer"), type: "jwt", value: { issuerName: "", jwks: { discoveryUri: "" } } },
  ],
};

const subjects = /** @type {Record<string, string>} */ ({ discovery: say("Discovery document"), endpoints: say("Addresses for the sign-in"), keys: say("Keys") });

/**
 * A button that tests what is typed, and a place for what was found.
 * @param {Trust} trust @param {string} type @param {() => any} read @param {Function} guarded @param {any[]} known
 */
function tester(trust, type, read, guarded, known) {
  const place = make("div", { role: "status", class: "test" });
  const row = (/** @type {boolean} */ isOk, /** @type {string} */ title, /** @type {string} */ text) => make("li", {}, make("div", {}, make("strong", { class: isOk ? "ok" : "off" }, isOk ? `✓ ${title}` : `✗ ${title}`), make("small", {}, text)));
  const test = () => guarded(async () => {
    place.replaceChildren(make("p", { class: "soft" }, say("Asking …")));
    const found = await directory.admin(`test/${trust.collection}/${type}`, "POST", read());
    const rows = found.findings.map((/** @type {any} */ one) => row(!one.problem, subjects[one.subject], [one.problem ?? say("All is well."), one.url].filter(Boolean).join(" ")));
    for (const subject of lines(read().certificateSubjectNames)) {
      const certificate = known.find((one) => (one.subjects ?? []).includes(subject));
      rows.push(row(Boolean(certificate), subject, certificate ? say("The certificate {name} is good until {time}.", { name: certificate.name, time: moment(certificate.expires) }) : say("No certificate is stored with this subject. Add it in Issuers, or give the metadata.")));
    }
    place.replaceChildren(make("ul", { class: "rows", "aria-label": say("What the test found") }, ...(rows.length ? rows : [row(true, say("Entry"), say("It is well-formed. There is nothing to fetch."))])));
  }, (/** @type {Error} */ error) => place.replaceChildren(make("p", { class: "off" }, error.message)));
  return { test: button(say("Test"), test, { class: "test-button" }), place };
}

/** The entity and the certificates of SAML metadata; null for any other text. @param {string} text */
function readMetadata(text) {
  const all = new DOMParser().parseFromString(text, "application/xml");
  const found = [...all.getElementsByTagNameNS("*", "IDPSSODescriptor")][0];
  const entity = found?.closest("[entityID]")?.getAttribute("entityID");
  if (!entity) return null;
  const keys = [...found.getElementsByTagNameNS("*", "KeyDescriptor")].filter((one) => one.getAttribute("use") !== "encryption");
  const pems = keys.flatMap((one) => [...one.getElementsByTagNameNS("*", "X509Certificate")]).map((one) => (one.textContent ?? "").replace(/\s/g, ""));
  const pem = [...new Set(pems)].map((one) => `-----BEGIN CERTIFICATE-----\n${one.replace(/.{64}/g, "$&\n").trim()}\n-----END CERTIFICATE-----\n`).join("");
  return pem ? { entity, pem } : null;
}

/** What takes the metadata of an identity provider over into the form. @param {ReturnType<typeof typedForm>} made @param {Function} guarded @param {any[]} known */
function metadataForm(made, guarded, known) {
  const text = make("textarea", { id: "metadata", rows: 5, spellcheck: "false", placeholder: "<EntityDescriptor …" });
  const file = make("input", { id: "metadata-file", type: "file", accept: ".xml,text/xml,application/xml,application/samlmetadata+xml" });
  const node = form({ class: "fields drop", id: "metadata-form", "data-seeks": true }, say("Read the metadata"), (/** @type {(text: string) => false} */ tell) => guarded(async () => {
    const found = readMetadata(text.value);
    if (!found) return tell(say("That is no metadata of an identity provider with a signing certificate: it has an EntityDescriptor with an IDPSSODescriptor."));
    const name = host(found.entity).replace(/[^\w.-]/g, "-").slice(0, 60) || "idp";
    const stored = await directory.admin(`certificates/${encodeURIComponent(name)}`, "PUT", { certificate: found.pem });
    known.push(stored);
    made.show({ issuerName: found.entity, certificateSubjectNames: stored.subjects });
    tell(say("The issuer {issuer} is filled in below, and its certificate is stored, good until {time}.", { issuer: found.entity, time: moment(stored.expires) }));
    made.node.querySelector("input")?.focus();
  }, (/** @type {Error} */ error) => tell(error.message)), make("div", { class: "row" }, make("label", { for: file.id }, say("A file")), file), make("div", { class: "row" }, make("label", { for: text.id }, say("Or its text")), text));
  const take = async (/** @type {File | undefined} */ one) => { if (one) text.value = await one.text(); };
  file.addEventListener("change", () => take(file.files?.[0]));
  node.addEventListener("dragover", (/** @type {DragEvent} */ event) => event.preventDefault());
  node.addEventListener("drop", (/** @type {DragEvent} */ event) => {
    event.preventDefault();
    take(event.dataTransfer?.files[0]);
  });
  return node;
}

const path = (/** @type {Trust} */ trust, /** @type {string} */ type, /** @type {string} */ name) => `${trust.collection}/${type}/${encodeURIComponent(name)}`;
const callback = async (/** @type {AbortSignal} */ signal) => `${(await directory.ask(".well-known/openid-configuration", signal)).issuer.replace(/\/$/, "")}/oauth2/callback`;

/** @param {Trust} trust @param {Recipe} recipe @param {any[]} all @param {any[]} known @param {AbortSignal} signal @param {Function} guarded */
async function add(trust, recipe, all, known, signal, guarded) {
  const asked = recipe.asks ?? [];
  const given = Object.keys({ ...recipe.value, ...recipe.made?.({ tenant: "", domain: "" }) });
  // What the recipe knows is not asked for again; the JSON shows it.
  const fields = [...asked, ...trust.fields[recipe.type].filter((one) => !(asked.length || recipe.value) || recipe.key === "jwt" || !given.includes(one.name.split(".")[0]))];
  /** @type {Field[]} */
  const named = trust.nameOf ? [] : [{ name: "name", label: say("Name"), kind: "text", required: true, effect: say("Stands on the sign-in page: 'Sign in with …'.") }];
  const entry = (/** @type {any} */ typed) => {
    const { tenant: _tenant, domain: _domain, name: _name, ...rest } = typed;
    return { ...rest, ...recipe.made?.(typed) };
  };
  const made = typedForm({
    id: `new-${trust.collection}`, fields: [...named, ...fields], value: { ...recipe.value, ...(trust.nameOf ? {} : { name: recipe.key }) }, submit: say("Add"), guarded,
    async save(typed, tell) {
      const value = entry(typed);
      const key = trust.nameOf ? value[trust.nameOf] : typed.name;
      if (all.some((one) => one.type === recipe.type && one.name === key)) return tell(trust.twin);
      await directory.admin(path(trust, recipe.type, key), "PUT", value);
      toast(say("{name} is added.", { name: key }));
      location.hash = to("admin", trust.collection);
    },
  });
  const { test, place } = tester(trust, recipe.type, () => entry(made.read()), guarded, known);
  test.addEventListener("click", (/** @type {Event} */ event) => { if (!made.check()) event.stopImmediatePropagation(); }, true);
  made.node.querySelector(".actions")?.append(test);
  made.node.append(place);
  const back = trust.collection === "providers" && recipe.type === "oidc" ? await callback(signal) : null;
  return { title: recipe.label, parts: [make("p", { class: "soft" }, recipe.about), recipe.note ? make("p", {}, recipe.note) : null,
    back ? make("p", { class: "copied" }, make("span", { class: "soft" }, `${say("Redirect address to register there:")} `), make("code", {}, back), " ", copyButton(back, within(say("Redirect address")))) : null,
    recipe.metadata ? metadataForm(made, guarded, known) : null, made.node] };
}

/** @param {Trust} trust @param {any} one @param {any[]} known @param {Function} guarded */
function change(trust, one, known, guarded) {
  const fixed = one.source === "directory" ? null : say("Given when the server was started, and changed there.");
  const fields = trust.fields[one.type].map((field) => ({ ...field, fixed: fixed ?? (field.name === trust.nameOf ? say("Add another issuer for another name.") : null),
    effect: field.kind === "secret" ? `${field.effect ?? ""} ${one.has_secret ? say("There is one; an empty field keeps it.") : say("There is none.")}` : field.effect }));
  const made = typedForm({ id: "entry", fields, value: one.entry, submit: say("Save"), guarded, async save(value) {
    await directory.admin(path(trust, one.type, one.name), "PUT", value);
    toast(say("{name} is saved.", { name: one.name }));
    refresh();
  } });
  const { test, place } = tester(trust, one.type, made.read, guarded, known);
  made.node.querySelector(".actions")?.replaceChildren(...(fixed ? [] : [/** @type {Element} */ (made.node.querySelector("[type=submit]"))]), test);
  made.node.append(place);
  return { title: one.name, parts: [make("p", { class: "soft" }, state(one)), one.problem ? make("p", { class: "off" }, one.problem) : null, made.node,
    fixed ? null : section("entry-end", say("Remove"), make("p", { class: "actions" }, twice(say("Remove"), async () => {
      await directory.admin(path(trust, one.type, one.name), "DELETE");
      toast(say("{name} is removed.", { name: one.name }));
      location.hash = to("admin", trust.collection);
    }, guarded, say("entry|Remove {name}", { name: one.name }))))] };
}

const types = /** @type {Record<string, string>} */ ({ oidc: "OpenID Connect", social: "Facebook", jwt: "JSON Web Tokens", saml: "SAML" });
/** What the server says of an entry besides its value. @param {any} one */
const state = (one) => [types[one.type], one.entry?.issuer, one.source === "file" ? say("given when the server was started") : null, one.has_secret ? say("with a secret") : null, one.changed ? say("changed {time}", { time: moment(one.changed) }) : null].filter(Boolean).join(" · ");

/** @param {Trust} trust @param {any[]} all */
function list(trust, all) {
  const rows = all.map((one) => make("li", {}, make("div", {}, make("a", { href: to("admin", trust.collection, { entry: `${one.type}/${one.name}` }) }, make("strong", {}, one.name)), make("small", {}, state(one)),
    one.problem ? make("small", { class: "off" }, one.problem) : null)));
  return section(trust.collection, trust.title, make("p", {}, trust.about), rows.length ? make("ul", { class: "rows", "aria-labelledby": trust.collection }, ...rows) : make("p", { class: "soft" }, trust.none),
    make("h3", {}, trust.adding), make("ul", { class: "list tiles" }, ...trust.recipes.map(({ key, label, about }) => make("li", {}, make("a", { href: to("admin", trust.collection, { new: key }) }, make("strong", {}, label)), make("small", { class: "soft" }, about)))));
}

/** @param {any[]} all @param {Function} guarded */
function certificateSection(all, guarded) {
  const rows = all.map((one) => make("li", {}, make("div", {}, make("strong", {}, one.name),
    make("small", {}, [...(one.subjects ?? []), one.expires ? say("until {time}", { time: moment(one.expires) }) : null, one.changed ? say("changed {time}", { time: moment(one.changed) }) : null].filter(Boolean).join(", ")),
    one.problem ? make("small", { class: "off" }, one.problem) : null),
  one.source === "directory" ? twice(say("Remove"), async () => {
    await directory.admin(`certificates/${encodeURIComponent(one.name)}`, "DELETE");
    refresh();
  }, guarded, say("Remove the certificate {name}", { name: one.name })) : null));
  const name = field("certificate-name", say("Name"), { autocomplete: "off", required: true });
  const pem = make("textarea", { id: "certificate-text", rows: 6, spellcheck: "false", "aria-describedby": "certificate-hint" });
  return section("certificates", say("Certificates of issuers"), rows.length ? make("ul", { class: "rows", "aria-labelledby": "certificates" }, ...rows) : make("p", { class: "soft" }, say("There is none yet. The metadata of SAML brings its own.")),
    form({ class: "fields", id: "new-certificate" }, say("Add the certificate"), (/** @type {(text: string) => false} */ tell) => guarded(async () => {
      await directory.admin(`certificates/${encodeURIComponent(name.input.value)}`, "PUT", { certificate: pem.value });
      refresh();
    }, (/** @type {Error} */ error) => tell(error.message)), name.row,
    make("div", { class: "row" }, make("label", { for: pem.id }, say("Certificate")), pem, make("small", { id: "certificate-hint", class: "soft" }, say("The text between BEGIN CERTIFICATE and END CERTIFICATE, with these lines.")))));
}

/** @param {Trust} trust @param {AbortSignal} signal @param {Function} guarded @param {URLSearchParams} state */
async function view(trust, signal, guarded, state) {
  const [found, { certificates: known }] = await Promise.all([directory.admin(trust.collection, "GET", undefined, signal), directory.admin("certificates", "GET", undefined, signal)]);
  const all = found[trust.collection];
  const recipe = trust.recipes.find(({ key }) => key === state.get("new"));
  if (recipe) return add(trust, recipe, all, known, signal, guarded);
  const one = all.find((/** @type {any} */ other) => `${other.type}/${other.name}` === state.get("entry"));
  if (one) return change(trust, one, known, guarded);
  return [list(trust, all), ...(trust === issuers ? [certificateSection(known, guarded)] : [])];
}

/** @param {AbortSignal} signal @param {Function} guarded @param {URLSearchParams} state */
export const providersView = (signal, guarded, state) => view(providers, signal, guarded, state);
/** @param {AbortSignal} signal @param {Function} guarded @param {URLSearchParams} state */
export const issuersView = (signal, guarded, state) => view(issuers, signal, guarded, state);
