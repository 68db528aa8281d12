// One's own app passwords, with which programs sign in that know a name and a password only: the list, a new one, and the end of one.

import { copyButton } from "./copy.js";
import * as directory from "./directory.js";
import { make, moment, section, twice } from "./dom.js";
import { say } from "./texts.js";
import { typedForm } from "./typed.js";

/** @type {Record<string, string>} */
const uses = { ldap: say("LDAP: mail programs, address books, servers"), scim: say("SCIM and HTTP: scripts that read the directory") };
/** @type {Record<string, string>} */
const names = { ldap: "LDAP", scim: "SCIM, HTTP" };

/** @type {import("./typed.js").Field[]} */
const fields = [
  { name: "name", label: say("Name of the app password"), kind: "text", required: true, placeholder: say("Mail on my telephone"), effect: say("So that you know later which program has it.") },
  { name: "for", label: say("What it is for"), kind: "choice", options: Object.entries(uses), effect: say("The program reads what I may read, and changes nothing.") },
  { name: "days", label: say("Good for (days)"), kind: "number", min: 1, max: 3_650, standard: 365, shownStandard: "365", effect: say("It ends by itself then.") },
  { name: "networks", label: say("Taken from these addresses only"), kind: "lines", placeholder: "192.0.2.0/24", shownStandard: say("from everywhere"), effect: say("Addresses or networks, one in a line."), more: true },
];

/** @param {any} one */
const notes = (one) => [names[one.for] ?? one.for, ...one.networks, say("since {time}", { time: moment(one.created) }), one.expires ? say("until {time}", { time: moment(one.expires) }) : say("without an end"), one.used ? say("last used {time}", { time: moment(one.used) }) : say("never used")].join(", ");

/** @param {Function} guarded */
export function appPasswords(guarded) {
  const list = make("ul", { class: "rows", "aria-labelledby": "own-app-passwords" });
  const place = make("div", {});
  const load = () => guarded(async () => {
    const { app_passwords: all } = await directory.second("app-passwords", "GET", undefined);
    list.replaceChildren(...(all.length ? all.map((/** @type {any} */ one) => make("li", {}, make("div", {}, make("strong", {}, one.name), make("small", {}, notes(one))),
      twice(say("Remove"), async () => {
        await directory.second(`app-passwords/${encodeURIComponent(one.id)}`, "DELETE", undefined);
        place.replaceChildren();
        await load();
      }, guarded, say("Remove the app password {name}", { name: one.name })))) : [make("li", { class: "soft" }, say("There is none."))]));
  });
  load();
  const value = { for: "ldap" };
  const made = typedForm({ id: "new-app-password", fields, value, submit: say("Make it"), guarded, advanced: false, async save(typed, tell) {
    const answer = await directory.second("app-passwords", "POST", { days: 365, ...typed });
    made.show(value);
    place.replaceChildren(make("div", { class: "note", role: "status" }, make("p", {}, make("strong", {}, say("Copy this now: it is shown only once.")), answer.expires ? ` ${say("It ends {time}.", { time: moment(answer.expires) })}` : null),
      make("p", { class: "copied" }, make("span", { class: "soft" }, `${say("App password")} `), make("code", { id: "app-password" }, answer.password), " ", copyButton(answer.password, say("app password")))));
    place.scrollIntoView({ block: "nearest" });
    await load();
    tell(say("The app password {name} is made.", { name: answer.name }));
  } });
  return section("own-app-passwords", say("App passwords"), make("p", {}, say("For programs that know a name and a password only. Each has its own, so that one can be removed without the others.")),
    place, list, make("details", {}, make("summary", {}, say("Make an app password")), made.node));
}
