// The policies of the service as one form, and the rules that are not set here.

import * as directory from "./directory.js";
import { make, refresh, section } from "./dom.js";
import { question, toast } from "./frame.js";
import { say } from "./texts.js";
import { same, typedForm } from "./typed.js";

/** @typedef {import("./typed.js").Field} Field */

/** @type {[string, Field[]][]} */
const groups = [
  [say("Sessions and tokens"), [
    { name: "token_settings.access_token_expiry", label: say("Access tokens are good for (minutes)"), kind: "number", standard: 30, min: 1, max: 10_080,
      effect: say("Whoever steals a token can use it for this long. Apps with settings of their own keep them.") },
    { name: "token_settings.id_token_expiry", label: say("ID tokens are good for (minutes)"), kind: "number", standard: 30, min: 1, max: 10_080,
      effect: say("How long an app may take an ID token as the proof of a sign-in.") },
    { name: "token_settings.refresh_token_expiry", label: say("Apps stay signed in for (minutes)"), kind: "number", standard: 10_080, min: 1, max: 525_600,
      effect: say("A refresh token that is not used for so long ends, and the person signs in again. 10,080 minutes are a week.") },
    { name: "token_settings.consumer_token_expiry_seconds", label: say("Tokens without a refresh token are good for (seconds)"), kind: "number", standard: 604_800, min: 60, max: 31_536_000,
      effect: say("For services, and for people whose app gets no refresh token. 604,800 seconds are a week.") },
    { name: "token_settings.authorization_code_expiry_seconds", label: say("A sign-in must be completed by the app within (seconds)"), kind: "number", standard: 60, min: 1, max: 60, more: true,
      effect: say("The time between the browser's return to the app and the app's request for tokens.") },
    { name: "token_settings.use_refresh_tokens", label: say("Refresh tokens"), kind: "choice", more: true, standard: undefined, shownStandard: say("as the app asks"),
      options: [[undefined, say("As the app asks (scope offline_access)")], [true, say("With each sign-in")], [false, say("Never")]], effect: say("Whether an app stays signed in.") },
    { name: "token_settings.oidc_claims_availability", label: say("What ID tokens tell about people"), kind: "choice", standard: "ClaimsInIdToken", more: true,
      options: [["ClaimsInIdToken", say("All that the app may know")], ["ClaimsInUserInfo", say("Only who it is; the app asks for the rest")]], effect: say("Short ID tokens keep names out of the logs of apps.") },
  ]],
  [say("Passwords with each request"), [
    { name: "allow_bare_basic", label: say("Scripts may send name and password with each request"), kind: "flag", standard: true,
      effect: say("HTTP Basic without an app. Turn it off once all scripts have tokens.") },
  ]],
  [say("Apps"), [
    { name: "dynamic_registration", label: say("Who may register apps by a request"), kind: "choice", standard: "off",
      options: [["off", say("Nobody")], ["administrators", say("Administrators and their programs")], ["everyone", say("Everyone")]],
      effect: say("Apps that everyone may register get few scopes, and people are always asked.") },
    { name: "client_metadata_hosts", label: say("Hosts whose documents describe apps"), kind: "lines", standard: [], placeholder: "apps.example.com",
      effect: say("One in a line. Apps on these hosts need no registration.") },
    { name: "allow_private_addresses", label: say("Apps may have addresses in private networks"), kind: "flag", standard: false,
      effect: say("The server calls these addresses when somebody signs out of an app. Off protects services of your own network.") },
    { name: "Security_AllowOrigin", label: say("Web pages that may call the server"), kind: "text", standard: "disallow", placeholder: "https://*.example.com",
      effect: say("For single-page apps: addresses with commas between them, or disallow.") },
  ]],
  [say("Exchanged tokens"), [
    { name: "Security_TokenExchangeTimeoutSecs", label: say("Exchanged tokens are good for (seconds)"), kind: "number", standard: 28_800, min: 1, max: 31_536_000,
      effect: say("Tokens that apps get for a token of a trusted issuer. 28,800 seconds are 8 hours.") },
    { name: "Security_TokenExchangeTimeoutPolicy", label: say("Which lifetime exchanged tokens have"), kind: "choice", standard: "FromTimeoutSecs",
      options: [["FromTimeoutSecs", say("That number of seconds")], ["FromExternalToken", say("That of the issuer's token")],
        ["FromExternalTokenLimitedByTimeoutSecs", say("That of the issuer's token, and at most that number")]], effect: say("Where the end of an exchanged token comes from.") },
    { name: "Security_AuthTokenConfiguration", label: say("All issuers as one document"), kind: "json", more: true, standard: { issuers: [] }, shownStandard: say("none"),
      effect: say("As JSON, in place of single issuers. Secrets are not shown; a changed document must have them again.") },
  ]],
  [say("Retention"), [
    { name: "change_days", label: say("Changes are kept for (days)"), kind: "number", min: 1, max: 365_250, shownStandard: say("for ever"),
      effect: say("What is older leaves the audit log at once, and cannot be brought back.") },
    { name: "sign_in_days", label: say("Sign-ins are kept for (days)"), kind: "number", min: 1, max: 365_250, shownStandard: say("for ever if empty; 180 in a new directory"),
      effect: say("Addresses and times of sign-ins are personal data.") },
  ]],
];
const retention = ["change_days", "sign_in_days"];

/** What holds without a setting, or by the options of the server. */
const rules = [
  [say("Passwords"), say("At least 8 characters, none of the most common ones, and not one's name or address. They do not expire.")],
  [say("Wrong passwords"), say("60 sign-ins of an account at once, then one each second. Wrong ones are slowed down by account and by address; nobody is locked out by somebody else. The option --sign-in-rate changes the numbers.")],
  [say("Sessions in the browser"), say("They end after a day without use, after 30 days, and at a new password.")],
  [say("Second factor"), say("Each person sets up an authenticator app or questions in My account. Administrators and the help desk remove lost ones.")],
  [say("Mail"), say("The options --smtp and --mail-from: invitations, forgotten passwords, notices of new browsers. Without them nothing is mailed.")],
];

/** @param {AbortSignal} signal @param {Function} guarded */
export async function policiesView(signal, guarded) {
  const [{ policies: all }, kept] = await Promise.all([
    directory.admin("policies", "GET", undefined, signal), directory.admin("retention", "GET", undefined, signal)]);
  /** @type {Record<string, any>} */
  const value = {};
  for (const one of all) if (one.source !== "standard") value[one.name] = one.value;
  for (const name of retention) if (kept[name] !== null) value[name] = kept[name];
  const given = new Set(all.filter((/** @type {any} */ one) => one.source === "file").map((/** @type {any} */ one) => one.name));
  const fields = groups.flatMap(([, fields]) => fields).map((field) => ({
    ...field, fixed: given.has(field.name.split(".")[0]) ? say("Given when the server was started, and changed there.") : null }));
  const problems = all.filter((/** @type {any} */ one) => one.problem).map((/** @type {any} */ one) => make("p", { class: "off" }, `${one.name}: ${one.problem}`));
  const made = typedForm({
    id: "policies-form", fields, value, submit: say("Save all"), guarded,
    async save(wanted, tell) {
      const names = [...new Set([...Object.keys(value), ...Object.keys(wanted)])].filter((name) => !given.has(name) && !same(value[name], wanted[name]));
      const changes = Object.fromEntries(names.map((name) => [name, wanted[name] ?? null]));
      const days = Object.fromEntries(retention.filter((name) => name in changes).map((name) => [name, changes[name]]));
      for (const name of retention) delete changes[name];
      if (!names.length) return tell(say("Nothing was changed."));
      const isShorter = retention.some((name) => name in days && days[name] !== null && days[name] < (value[name] ?? Infinity));
      if (isShorter && !await question(say("Delete what is older?"), say("Entries of the audit log that are older than the new number of days are deleted at once. They cannot be brought back."), say("Delete them and save"), say("Do not save"))) return tell(say("Nothing was saved."));
      if (Object.keys(changes).length) await directory.admin("policies", "PUT", changes);
      if (Object.keys(days).length) await directory.admin("retention", "PUT", days);
      toast(say("The policies are saved. They act from now on."));
      refresh();
    },
  });
  // Each group of fields has its heading. The rare fields stay together behind "More settings".
  for (const [title, group] of groups) {
    const first = made.controls.find(({ field }) => !field.more && group.some(({ name }) => name === field.name));
    first?.row.before(make("h3", {}, title));
  }
  return [
    section("policies", say("Policies"), make("p", {}, say("A change acts at once, and stays after a restart. An empty field has the default.")), ...problems, made.node),
    section("rules", say("Rules that are not set here"), make("dl", {}, ...rules.flatMap(([name, text]) => [make("dt", {}, name), make("dd", {}, text)])))];
}
