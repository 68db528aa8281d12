// One's own app passwords, with which programs sign in that know a name and a password only: the list, a new one, and the end of one.

import { copyButton } from "./copy.js";
import * as directory from "./directory.js";
import { make, moment, section, twice } from "./dom.js";
import { typedForm } from "./typed.js";

/** @type {Record<string, string>} */
const uses = { ldap: "LDAP: mail programs, address books, servers", scim: "SCIM and HTTP: scripts that read the directory" };

/** @type {import("./typed.js").Field[]} */
const fields = [
  { name: "name", label: "Name of the app password", kind: "text", required: true, placeholder: "Mail on my telephone", effect: "So that you know later which program has it." },
  { name: "for", label: "What it is for", kind: "choice", options: Object.entries(uses), effect: "The program reads what I may read, and changes nothing." },
  { name: "days", label: "Good for (days)", kind: "number", min: 1, max: 3_650, standard: 365, shownStandard: "365", effect: "It ends by itself then." },
  { name: "networks", label: "Taken from these addresses only", kind: "lines", placeholder: "192.0.2.0/24", shownStandard: "from everywhere", effect: "Addresses or networks, one in a line.", more: true },
];

/** @param {any} one */
const notes = (one) => [uses[one.for]?.split(":")[0] ?? one.for, ...one.networks, `since ${moment(one.created)}`, one.expires ? `until ${moment(one.expires)}` : "without an end", one.used ? `last used ${moment(one.used)}` : "never used"].join(", ");

/** @param {Function} guarded */
export function appPasswords(guarded) {
  const list = make("ul", { class: "rows", "aria-labelledby": "own-app-passwords" });
  const place = make("div", {});
  const load = () => guarded(async () => {
    const { app_passwords: all } = await directory.second("app-passwords", "GET", undefined);
    list.replaceChildren(...(all.length ? all.map((/** @type {any} */ one) => make("li", {}, make("div", {}, make("strong", {}, one.name), make("small", {}, notes(one))),
      twice("Remove", async () => {
        await directory.second(`app-passwords/${encodeURIComponent(one.id)}`, "DELETE", undefined);
        place.replaceChildren();
        await load();
      }, guarded, `Remove the app password ${one.name}`))) : [make("li", { class: "soft" }, "There is none.")]));
  });
  load();
  const value = { for: "ldap" };
  const made = typedForm({ id: "new-app-password", fields, value, submit: "Make it", guarded, advanced: false, async save(typed, tell) {
    const answer = await directory.second("app-passwords", "POST", { days: 365, ...typed });
    made.show(value);
    place.replaceChildren(make("div", { class: "note", role: "status" }, make("p", {}, make("strong", {}, "Copy this now: it is shown only once."), answer.expires ? ` It ends ${moment(answer.expires)}.` : null),
      make("p", { class: "copied" }, make("span", { class: "soft" }, "App password "), make("code", { id: "app-password" }, answer.password), " ", copyButton(answer.password, "app password"))));
    place.scrollIntoView({ block: "nearest" });
    await load();
    tell(`The app password "${answer.name}" is made.`);
  } });
  return section("own-app-passwords", "App passwords", make("p", {}, "For programs that know a name and a password only. Each has its own, so that one can be removed without the others."),
    place, list, make("details", {}, make("summary", {}, "Make an app password"), made.node));
}
