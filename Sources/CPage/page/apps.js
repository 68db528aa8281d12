// The apps that people sign in with and the programs that get tokens: their list, one of them, and a guide to connect a new one.

import { to } from "./address.js";
import { copyButton } from "./copy.js";
import * as directory from "./directory.js";
import { button, field, form, make, moment, refresh, section, twice } from "./dom.js";
import { empty, question, toast } from "./frame.js";
import { kinds, known, recipeOf } from "./recipes.js";
import { say, within } from "./texts.js";
import { typedForm } from "./typed.js";

/** @typedef {import("./typed.js").Field} Field */
/** @typedef {import("./recipes.js").Recipe} Recipe */

const scopes = [["openid", say("Sign-in (openid)")], ["profile", say("Names and picture")], ["email", say("Mail address")], ["phone", say("Telephone")], ["address", say("Address")], ["roles", say("Roles, as roles")],
  ["groups", say("Roles, as groups")], ["offline_access", say("Stays signed in")], ["directory", say("The directory, with the person's rights")]];
const grants = [["authorization_code", say("Browser")], ["refresh_token", say("Refresh tokens")], ["client_credentials", say("Its own secret, without a person")], ["password", say("Name and password in the app")],
  ["urn:ietf:params:oauth:grant-type:device_code", say("Approval on another device")], ["urn:ietf:params:oauth:grant-type:jwt-bearer", say("Token of a trusted issuer")],
  ["urn:ietf:params:oauth:grant-type:token-exchange", say("Exchange of tokens")]];
const programRoles = [[undefined, say("Nothing")], ["provisioning", say("Synchronizes people and roles")], ["monitoring", say("Reads the metrics")], ["administrator", say("Everything")]];
const lifetime = { shownStandard: say("that of the policies"), more: true };

/** @type {Field[]} */
const fields = /** @type {any} */ ([
  { name: "name", label: say("Name"), kind: "text", required: true, effect: say("People see it when they are asked for consent.") },
  { name: "enabled", label: say("May be used"), kind: "flag", standard: true, effect: say("Off ends its tokens at once.") },
  { name: "redirect_uris", label: say("Redirect addresses"), kind: "lines", standard: [], placeholder: "https://app.example.com/callback", effect: say("One in a line. Browsers come back to these addresses only; each character counts.") },
  { name: "scope", label: say("What it may ask for"), kind: "ticks", joined: true, options: scopes, standard: "openid profile email roles groups offline_access", shownStandard: say("all but telephone, address and directory"), effect: say("An app gets of these what it asks for.") },
  { name: "consent", label: say("People are asked before it gets tokens"), kind: "flag", standard: false, effect: say("Apps on people's devices ask in any case.") },
  { name: "pkce", label: say("Proof key (PKCE)"), kind: "choice", standard: "or_nonce", options: [["or_nonce", say("A proof key or a nonce")], ["required", say("Required")]], effect: say("Required is safer, if the app supports it.") },
  { name: "post_logout_redirect_uris", label: say("Addresses after signing out"), kind: "lines", standard: [], placeholder: "https://app.example.com/", effect: say("One in a line."), more: true },
  { name: "backchannel_logout_uri", label: say("Address that is told when a session ends"), kind: "url", effect: say("Back-channel logout: the app ends its own session then."), more: true },
  { name: "auth_request_origins", label: say("Addresses behind nginx"), kind: "lines", placeholder: "https://app.example.com", effect: say("For auth_request: nginx asks for each request who sends it."), more: true },
  { name: "grant_types", label: say("How it gets tokens"), kind: "ticks", options: grants, effect: say("Leave out what the app does not use."), more: true },
  { name: "directory_role", label: say("What it may do without a person"), kind: "choice", options: programRoles, shownStandard: say("nothing"), effect: say("The rights of tokens that it gets by its own secret."), more: true },
  { name: "sso", label: say("May exchange tokens of trusted issuers"), kind: "flag", standard: false, effect: say("See Sign-in, Issuers."), more: true },
  { name: "http_basic", label: say("Takes names and passwords with each request"), kind: "flag", standard: true, effect: say("HTTP Basic and the anonymous key."), more: true },
  { name: "audience", label: say("APIs that its tokens are for"), kind: "lines", standard: [], effect: say("One in a line, as the API names itself. None: this server."), more: true },
  { name: "access_token_expiry", label: say("Access tokens are good for (minutes)"), kind: "number", min: 1, max: 10_080, ...lifetime },
  { name: "id_token_expiry", label: say("ID tokens are good for (minutes)"), kind: "number", min: 1, max: 10_080, ...lifetime },
  { name: "refresh_token_expiry", label: say("Stays signed in for (minutes)"), kind: "number", min: 1, max: 525_600, ...lifetime },
  { name: "groups_claim", label: say("Form of the claim groups"), kind: "choice", standard: "names", options: [["names", say("Names")], ["identifiers", say("Identifiers")], ["objects", say("Both")]], effect: say("How the app is told roles."), more: true },
  { name: "subject_type", label: say("How people are called (sub)"), kind: "choice", standard: "public", options: [["public", say("The same for all apps")], ["pairwise", say("Different for each site")]], effect: say("Different names keep apps from comparing people."), more: true },
  { name: "id_token_signed_response_alg", label: say("Signature of its tokens"), kind: "choice", standard: "ES256", options: ["ES256", "RS256", "EdDSA", "HS256"].map((one) => [one, one]), effect: say("Old apps may want RS256."), more: true },
  { name: "dpop_bound_access_tokens", label: say("Tokens are bound to a key of the app (DPoP)"), kind: "flag", standard: false, effect: say("A stolen token is of no use then."), more: true },
  { name: "require_pushed_authorization_requests", label: say("Requests are pushed first (PAR)"), kind: "flag", standard: false, effect: say("Nobody can change a request in the browser."), more: true },
]);
const readOnly = ["id", "client_id", "backend_id", "created", "modified", "maker", "advice"];

const issuer = async (/** @type {AbortSignal | undefined} */ signal) => (await directory.ask(".well-known/openid-configuration", signal)).issuer.replace(/\/$/, "");
const kindOf = (/** @type {any} */ app) => recipeOf(app)?.label ?? say("App");

/** A text that is shown to be copied. @param {string} label @param {string} text @param {string} [id] */
const copied = (label, text, id) => make("p", { class: "copied" }, make("span", { class: "soft" }, `${label} `), make("code", id ? { id } : {}, text), " ", copyButton(text, within(label)));

/** The secrets of an app, which are shown once. @param {any} one @param {Recipe | undefined} recipe */
function once(one, recipe) {
  // Only the dialects know anonymous keys.
  const named = [["client_secret", say("Client secret")], ...(recipe?.isDialect ? [["anonymous_key", say("Anonymous key")]] : [])].filter(([key]) => one[key]);
  if (!named.length) return make("div", {});
  return make("div", { class: "note", role: "status" }, make("p", {}, make("strong", {}, say("Copy this now: it is shown only once.")), ` ${say("It has no end, until you make a new one.")}`),
    ...named.map(([key, label]) => copied(label, one[key], key)));
}

/** @param {Recipe} recipe @param {string} base @param {any} app */
function pasted(recipe, base, app) {
  if (!recipe.lines) return [];
  const [redirect = ""] = app.redirect_uris ?? [];
  const origin = recipe.guards ? app.auth_request_origins?.[0] ?? "" : recipe.callback && redirect.endsWith(recipe.callback) ? redirect.slice(0, -recipe.callback.length) : redirect;
  const text = recipe.lines({ issuer: base, id: app.client_id, secret: app.public ? "" : app.client_secret ?? "CLIENT_SECRET", backend: app.backend_id, key: app.anonymous_key ?? "ANONYMOUS_KEY", origin, redirect, name: app.name });
  return [section("lines-title", recipe.place ? say("Paste this into {place}", { place: recipe.place }) : say("What the app must know"),
    make("pre", { class: "lines", id: "lines", tabindex: "0" }, text), make("p", { class: "actions" }, copyButton(text, say("lines"))), recipe.note ? make("p", { class: "soft" }, recipe.note) : null)];
}

/** Links that try the app out. @param {Recipe | undefined} recipe @param {string} base @param {any} app */
function tried(recipe, base, app) {
  const uri = app.redirect_uris?.find((/** @type {string} */ one) => one.startsWith("http"));
  if (!uri || !app.grant_types.includes("authorization_code")) return [];
  const origin = recipe?.callback && uri.endsWith(recipe.callback) ? uri.slice(0, -recipe.callback.length) : null;
  // Nobody has the verifier of this challenge, so that the code is of no use to anybody.
  const query = new URLSearchParams({ client_id: app.client_id, redirect_uri: uri, response_type: "code", scope: "openid", state: "try", nonce: "try",
    code_challenge: "0000000000000000000000000000000000000000000", code_challenge_method: "S256" });
  const link = (/** @type {string} */ href, /** @type {string} */ text) => make("a", { href, target: "_blank", rel: "noopener noreferrer", class: "button" }, text);
  return [section("try-title", say("Try it"), make("p", { class: "actions" }, origin && recipe?.start ? link(origin + recipe.start, say("Open {app}", { app: recipe.label })) : null, link(`${base}/oauth2/authorize?${query}`, say("Try the sign-in"))),
    make("p", { class: "soft" }, say("'Try the sign-in' asks who you are as the app would, and comes back to its redirect address. The app then says that it did not ask for this: up to there all is right.")))];
}

// The list

/** @param {any[]} apps */
function list(apps) {
  const rows = [...apps].sort((one, other) => one.name.localeCompare(other.name)).map((one) => make("li", {}, make("div", {}, make("a", { href: to("admin", "backends", { app: one.id }) }, make("strong", {}, one.name)),
    make("small", {}, [kindOf(one), one.enabled === false ? say("disabled") : null, `client_id ${one.client_id}`].filter(Boolean).join(" · ")))));
  const connect = make("a", { href: to("admin", "backends", { new: "choose" }), class: "button main" }, say("Connect an app"));
  if (!rows.length) return [section("backends", say("Apps"), empty(say("There is no app yet."), connect))];
  return [section("backends", say("Apps"), make("p", { class: "actions" }, connect), make("ul", { class: "rows", "aria-labelledby": "backends" }, ...rows))];
}

// One app

/**
 * The people who use an app, with a button for as long as there may be more of them.
 * @param {string} path @param {AbortSignal} signal @param {Function} guarded
 */
async function usersOf(path, signal, guarded) {
  /** @type {string | null | undefined} */
  let next;
  const rows = make("ul", { class: "rows", id: "app-users", "aria-labelledby": "users-title" });
  const load = async () => {
    // A page leaves out people whose tokens were ended, and can be empty.
    for (let turn = 0, found = 0; next !== null && !found && turn < 20; turn += 1) {
      const page = await directory.admin(`${path}/users?${new URLSearchParams({ count: "20", ...(next ? { after: next } : {}) })}`, "GET", undefined, signal);
      next = page.next ?? null;
      found = page.users.length;
      rows.append(...page.users.map((/** @type {any} */ user) => make("li", {}, make("div", {}, make("a", { href: to("user", user.id) }, user.name),
        make("small", {}, [say("last used {time}", { time: moment(user.used) }), user.tokens ? null : say("signed in, without a token")].filter(Boolean).join(", "))))));
    }
    more.hidden = next === null;
    if (next === null && !rows.children.length) rows.append(make("li", { class: "soft" }, say("Nobody has a token of this app.")));
  };
  const more = button(say("Show more"), () => guarded(load));
  await load();
  return section("users-title", say("Who uses it"), rows, make("p", { class: "actions" }, more));
}

/** @param {string} id @param {AbortSignal} signal @param {Function} guarded */
async function one(id, signal, guarded) {
  const path = `backends/${encodeURIComponent(id)}`;
  const [app, former, base, users] = await Promise.all([directory.admin(path, "GET", undefined, signal), directory.admin(`${path}/secrets`, "GET", undefined, signal), issuer(signal), usersOf(path, signal, guarded)]);
  const recipe = recipeOf(app);
  const shown = make("div", {});
  const value = Object.fromEntries(Object.entries(app).filter(([key]) => !readOnly.includes(key)));
  const settings = typedForm({ id: "app", fields, value, submit: say("Save"), guarded, async save(body) {
    await directory.admin(path, "PUT", body);
    toast(say("The app is saved."));
    refresh();
  } });
  const days = field("keep-days", say("Keep the present secret for (days)"), { inputmode: "numeric", autocomplete: "off", placeholder: "0" }, say("Up to 90, so that the app can be changed without a stop. Default: the present one ends at once."));
  const renew = form({ class: "fields", id: "new-secret" }, say("Make a new secret"), (/** @type {(text: string) => false} */ tell) => guarded(async () => {
    const text = days.input.value.trim();
    if (text && !(/^\d+$/.test(text) && Number(text) <= 90)) return tell(say("Write a number of days from 0 to 90."));
    if (!Number(text) && !await question(say("End the present secret?"), say("The app cannot get tokens until it has the new one."), say("Make a new secret"), say("Keep it"))) return tell(say("Nothing was changed."));
    const made = await directory.admin(`${path}/secret`, "POST", Number(text) ? { keep_old_seconds: Number(text) * 86_400 } : undefined);
    shown.replaceChildren(once(made, recipe), ...pasted(/** @type {Recipe} */ (recipe), base, made));
    shown.scrollIntoView({ block: "nearest" });
  }, (/** @type {Error} */ error) => tell(error.message)), days.row);
  const olds = former.former_secrets.map((/** @type {any} */ old) => make("li", {}, make("div", {}, say("A former secret"), make("small", {}, say("good until {time}", { time: moment(old.expires) })))));
  const secrets = app.public ? [] : [section("secrets", say("Secrets"), make("p", {}, say("The present secret has no end.")),
    olds.length ? make("ul", { class: "rows" }, ...olds) : null, olds.length ? make("p", { class: "actions" }, twice(say("End the former secrets"), async () => {
      await directory.admin(`${path}/secrets`, "DELETE");
      refresh();
    }, guarded)) : null, renew, shown)];
  return { title: app.name, parts: [
    make("p", { class: "soft" }, [kindOf(app), app.public ? say("without a secret") : null].filter(Boolean).join(", ")), copied(say("Client ID"), app.client_id), copied(say("Backend ID"), app.backend_id),
    ...(app.advice ?? []).map((/** @type {string} */ text) => make("p", { class: "soft" }, text)),
    section("app-settings", say("Settings"), settings.node), users, ...tried(recipe, base, app), ...secrets, ...(recipe ? pasted(recipe, base, app) : []),
    section("app-end", say("Delete"), make("p", { class: "actions" }, twice(say("Delete"), async () => {
      await directory.admin(path, "DELETE");
      toast(say("The app {name} is deleted.", { name: app.name }));
      location.hash = "#admin/backends";
    }, guarded, say("Delete {name}", { name: app.name }))))] };
}

// A new app

const tile = (/** @type {Recipe} */ { key, label, about }) => make("li", {}, make("a", { href: to("admin", "backends", { new: key }) }, make("strong", {}, label)), make("small", { class: "soft" }, about));

function choose() {
  return { title: say("Connect an app"), parts: [
    section("known-apps", say("An app with a guide"), make("ul", { class: "list tiles", "aria-labelledby": "known-apps" }, ...known.map(tile))),
    section("app-kinds", say("Any other app, by its kind"), make("ul", { class: "list tiles", "aria-labelledby": "app-kinds" }, ...kinds.map(tile)))] };
}

/** @param {Recipe} recipe @param {AbortSignal} signal @param {Function} guarded */
async function connect(recipe, signal, guarded) {
  const base = await issuer(signal);
  const title = known.includes(recipe) ? say("Connect {app}", { app: recipe.label }) : say("New: {what}", { what: recipe.label });
  if (recipe.settings === null) return { title, parts: pasted(recipe, base, {}) };
  const place = make("div", { id: "connected" });
  const asked = recipe.callback || recipe.guards ? { name: "origin", label: recipe.guards ? say("Address of the app") : say("Address of {app}", { app: recipe.label }), kind: "url", required: true, placeholder: `https://${recipe.key}.example.com`, effect: recipe.guards ? say("Where people open it.") : say("Browsers come back to {path} there after signing in.", { path: recipe.callback }) }
    : recipe.redirects ? { name: "redirect_uris", label: say("Redirect addresses"), kind: "lines", required: true, placeholder: recipe.redirects, effect: say("Where browsers come back to after signing in. One in a line; each character counts.") } : null;
  const right = recipe.role ? { name: "directory_role", label: say("What it may do in the directory"), kind: "choice", options: programRoles, effect: say("The rights of the program's own tokens."), shownStandard: say("nothing") } : null;
  const asks = /** @type {Field[]} */ ([asked, { name: "name", label: say("Name"), kind: "text", required: true, effect: say("People see it when they are asked for consent.") }, right].filter(Boolean));
  const made = typedForm({ id: "new-app", fields: asks, value: { ...recipe.settings, name: known.includes(recipe) ? recipe.key : "" }, submit: say("Create"), guarded,
    async save({ origin, ...body }) {
      const app = origin?.replace(/\/+$/, "");
      const addresses = recipe.callback ? [recipe.callback, ...recipe.others ?? []].map((path) => app + path) : body.redirect_uris;
      const answer = await directory.admin("backends", "POST", { ...body, ...(addresses ? { redirect_uris: addresses } : {}), ...(recipe.guards ? { auth_request_origins: [app] } : {}) });
      place.replaceChildren(make("p", { class: "note", role: "status" }, make("strong", {}, `${say("{name} is connected here.", { name: answer.name })} `), recipe.place ? say("Now tell the app:") : say("Now the app must know this:")), once(answer, recipe), copied(say("Client ID"), answer.client_id, "client-id"),
        ...pasted(recipe, base, answer), ...tried(recipe, base, answer), make("p", { class: "actions" }, make("a", { href: to("admin", "backends", { app: answer.id }), class: "button" }, say("Settings of the app")), make("a", { href: "#admin/backends" }, say("All apps"))));
      made.node.hidden = true;
      place.querySelector("button")?.focus();
    } });
  return { title, parts: [make("p", { class: "soft" }, recipe.about), place, made.node] };
}

/** @param {AbortSignal} signal @param {Function} guarded @param {URLSearchParams} state */
export async function appsView(signal, guarded, state) {
  const key = state.get("new");
  const id = state.get("app");
  if (id) return one(id, signal, guarded);
  if (!key) return list((await directory.admin("backends", "GET", undefined, signal)).backends);
  const recipe = [...known, ...kinds].find((other) => other.key === key);
  return recipe ? connect(recipe, signal, guarded) : choose();
}
