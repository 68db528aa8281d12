// How a person signs in, and what is signed in for the person: passwords, sessions, devices, app passwords, apps, tokens and links.

import { copyButton } from "./copy.js";
import { device } from "./device.js";
import * as directory from "./directory.js";
import { button, field, form, make, moment, refresh, section, twice } from "./dom.js";
import { guarded, question, toast } from "./frame.js";
import { counted, say } from "./texts.js";

const path = (/** @type {string} */ id, /** @type {string} */ rest) => `users/${encodeURIComponent(id)}/${rest}`;
/**
 * What may be read; null for what may not.
 * @param {string} id
 * @param {string} rest
 * @param {AbortSignal} signal
 */
const read = async (id, rest, signal) => {
  try {
    return await directory.admin(path(id, rest), "GET", undefined, signal);
  } catch (error) {
    if (error instanceof directory.Refusal && [403, 404].includes(error.status)) return null;
    throw error;
  }
};

/**
 * A list with a heading.
 * @param {string} id
 * @param {string} title
 * @param {Element[]} rows
 * @param {string} none
 */
const listed = (id, title, rows, none) => section(id, title, make("ul", { class: "rows", "aria-labelledby": id }, ...(rows.length ? rows : [make("li", { class: "soft" }, none)])));
/** @param {string} name @param {(string | null | undefined)[]} notes @param {Element} [end] */
const row = (name, notes, end) => make("li", {}, make("div", {}, make("strong", {}, name), make("small", {}, notes.filter(Boolean).join(", "))), end);
const until = (/** @type {string | null} */ time) => (time ? say("until {time}", { time: moment(time) }) : null);
const since = (/** @type {string | null} */ time) => (time ? say("since {time}", { time: moment(time) }) : null);
const used = (/** @type {string | null} */ time) => (time ? say("last used {time}", { time: moment(time) }) : say("never used"));

/**
 * A button that ends one of several.
 * @param {string} id
 * @param {string} rest
 * @param {string} label
 */
const ending = (id, rest, label) => twice(say("End"), async () => {
  await directory.admin(path(id, rest), "DELETE");
  refresh();
}, guarded, label);

/**
 * The forms that change how a person signs in.
 * @param {any} user
 */
function signingIn(user) {
  const { id } = user;
  const result = make("p", { class: "result", role: "status" });
  const refused = (/** @type {Error} */ error) => { result.textContent = error.message; };
  const act = (/** @type {string} */ text, /** @type {() => Promise<any>} */ work, /** @type {string} */ message) => button(text, () => guarded(async () => {
    result.textContent = "";
    await work();
    result.textContent = message;
  }, refused));
  const password = field("set-password", say("New password"), { type: "password", autocomplete: "new-password", required: true });
  return section("access", say("Signing in"),
    form({ class: "fields" }, say("Set the password"), (/** @type {(text: string) => false} */ tell) => guarded(async () => {
      await directory.setPassword(id, password.input.value);
      password.input.value = "";
      tell(say("The password is set. Whatever was signed in with the old one is signed out."));
    }, (/** @type {Error} */ error) => tell(error.message)),
    make("input", { type: "text", autocomplete: "username", value: user.userName, hidden: true, readonly: true, tabindex: "-1", "aria-hidden": "true" }), password.row),
    make("p", { class: "actions" },
      button(say("Make a password link"), () => guarded(async () => {
        const made = await directory.admin(path(id, "password-link"), "POST");
        result.replaceChildren(say("Give this link to the person. It sets a password once, until {time}:", { time: moment(made.expires) }), " ", make("code", { id: "password-link" }, made.url), " ", copyButton(made.url, say("link")));
      }, refused)),
      act(say("Mail a password link"), () => directory.admin(path(id, "password-link"), "POST", { send: true }), say("A link that sets a password once is mailed to the person.")),
      act(say("Sign out everywhere"), () => directory.signOutUser(id), say("Every session and every token is ended."))),
    result);
}

/**
 * The second factors of a person, and removing those that the person has lost.
 * @param {any} user
 * @param {{factors: any[], lost: boolean}} found
 */
function factorsOf(user, { factors, lost }) {
  const kinds = /** @type {Record<string, string>} */ ({ app: say("Authenticator app"), questions: say("Challenge questions") });
  const removing = (/** @type {string} */ rest, /** @type {string} */ text, /** @type {string} */ title, /** @type {string} */ label) => button(text, () => guarded(async () => {
    if (!await question(title, say("{name} then signs in without it, and can set up a new one. Be sure that {name} asks you for this.", { name: directory.label(user) }), say("Remove"), say("Keep it"))) return;
    await directory.admin(path(user.id, rest), "DELETE");
    toast(say("It is removed."));
    refresh();
  }), { "aria-label": label });
  const rows = lost ? [row(say("Lost with the key file of the server"), [say("The person cannot sign in until it is removed.")])] : factors.map((one) => row(kinds[one.kind] ?? one.kind, [
    one.kind === "app" ? counted("{n} recovery code is left", "{n} recovery codes are left", one.recovery_codes) : counted("{n} question", "{n} questions", one.questions), since(one.created), used(one.used)],
    removing(`second-factors/${one.kind}`, say("Remove"), say("Remove this second factor?"), say("Remove: {what}", { what: kinds[one.kind] ?? one.kind }))));
  const part = listed("factors", say("Second factors"), rows, say("There is no second factor: the password is enough to sign in."));
  if (rows.length > 1 || lost) part.append(make("p", { class: "actions" }, removing("second-factor", say("Remove all"), say("Remove all second factors?"), say("Remove all second factors"))));
  return part;
}

/**
 * The parts of a person's access that whoever is signed in may see.
 * @param {any} user
 * @param {AbortSignal} signal
 */
export async function accessParts(user, signal) {
  const { id } = user;
  const [factors, sessions, devices, passwords, made] = await Promise.all(["second-factors", "sessions", "devices", "app-passwords", "made"].map((rest) => read(id, rest, signal)));
  const parts = [signingIn(user)];
  if (factors) parts.push(factorsOf(user, factors));
  if (sessions) {
    parts.push(listed("sessions", say("Sessions"), sessions.sessions.map((/** @type {any} */ one) => row(device(one.agent), [since(one.began), used(one.used), one.begun_by ? say("begun by {name}", { name: one.begun_by }) : null],
      button(say("End this one"), () => guarded(async () => {
        await directory.admin(path(id, `sessions/${one.id}`), "DELETE");
        refresh();
      }), { "aria-label": say("End this one: {what}", { what: `${device(one.agent)}, ${used(one.used)}` }) }))), say("No browser and no app is signed in.")));
  }
  if (devices) {
    parts.push(listed("devices", say("Devices"), devices.devices.map((/** @type {any} */ one) => row(one.name, [one.version, since(one.created), until(one.expires)],
      ending(id, `devices/${encodeURIComponent(one.id)}`, say("End the device {name}", { name: one.name })))), say("No device is registered.")));
  }
  if (passwords) {
    parts.push(listed("app-passwords", say("App passwords"), passwords.app_passwords.map((/** @type {any} */ one) => row(one.name, [say("for {use}", { use: one.for.toUpperCase() }), ...one.networks, since(one.created), until(one.expires), used(one.used)],
      ending(id, `app-passwords/${encodeURIComponent(one.id)}`, say("End the app password {name}", { name: one.name })))), say("There is no app password.")));
  }
  if (made) {
    parts.push(
      listed("grants", say("Apps that act for this person"), made.grants.map((/** @type {any} */ one) => row(one.backend, [since(one.created), until(one.expires)])), say("No app has tokens of this person.")),
      listed("links", say("Accounts elsewhere"), made.links.map((/** @type {any} */ one) => row(one.issuer, [one.subject])), say("No account of a provider is linked.")));
    const own = [...made.backends.map((/** @type {any} */ one) => row(one.name, [say("app {version}", { version: one.version }).trim(), since(one.created)])), ...made.tokens.map((/** @type {any} */ one) => row(one.name, [say("token of a program"), since(one.created), until(one.expires)]))];
    if (own.length) parts.push(listed("made", say("Made by this person"), own, ""));
  }
  return parts;
}
