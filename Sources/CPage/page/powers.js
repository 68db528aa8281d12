// What the powers over people mean, in words.

import * as directory from "./directory.js";
import { make } from "./dom.js";

export const powers = {
  administrator: ["Administrator", "Its members may do everything: people, roles, apps, policies, and who has a power."],
  "people-editor": ["People editor", "Its members create, edit and delete people who have no power. They change neither roles nor passwords."],
  "help-desk": ["Help desk", "Its members set passwords, remove second factors and end sessions of people who have no power. They edit nobody."],
};

/** The power that a role gives, explained, for administrators, who alone may ask. */
export async function explained(id, signal) {
  if (!directory.may("administrator")) return [];
  const { power } = await directory.admin(`roles/${encodeURIComponent(id)}/power`, "GET", undefined, signal);
  if (!powers[power]) return [];
  const [name, text] = powers[power];
  return [make("p", { class: "note" }, make("strong", {}, `Gives the power ${name}. `), text)];
}
