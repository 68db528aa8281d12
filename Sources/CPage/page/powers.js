// What the powers over people mean, in words.

import * as directory from "./directory.js";
import { make } from "./dom.js";
import { say } from "./texts.js";

export const powers = {
  administrator: [say("Administrator"), say("Its members may do everything: people, roles, apps, policies, and who has a power.")],
  "people-editor": [say("People editor"), say("Its members create, edit and delete people who have no power. They change neither roles nor passwords.")],
  "help-desk": [say("Help desk"), say("Its members set passwords, remove second factors and end sessions of people who have no power. They edit nobody.")],
};

/** The power that a role gives, explained, for administrators, who alone may ask. */
export async function explained(id, signal) {
  if (!directory.may("administrator")) return [];
  const { power } = await directory.admin(`roles/${encodeURIComponent(id)}/power`, "GET", undefined, signal);
  if (!powers[power]) return [];
  const [name, text] = powers[power];
  return [make("p", { class: "note" }, make("strong", {}, say("Gives the power {name}.", { name })), ` ${text}`)];
}
