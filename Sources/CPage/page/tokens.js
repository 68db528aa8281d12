// The tokens of programs: the list, a new one with its rights, and the end of one.

import { copyButton } from "./copy.js";
import * as directory from "./directory.js";
import { make, moment, refresh, section, twice } from "./dom.js";
import { say, within } from "./texts.js";
import { typedForm } from "./typed.js";

/** @type {[string, string][]} */
const rights = [
  ["provisioning", say("Provisioning: synchronizes people and roles")], ["reading", say("Reading: reads some attributes of some people")],
  ["monitoring", say("Monitoring: reads the metrics")], ["administrator", say("Administrator")],
];

/** @type {import("./typed.js").Field[]} */
const fields = [
  { name: "name", label: say("Name of the program"), kind: "text", required: true },
  { name: "role", label: say("Rights"), kind: "choice", options: rights },
  { name: "attributes", label: say("What it reads"), kind: "lines", placeholder: "mail", effect: say("Attributes, one in a line. With memberOf it also reads roles.") },
  { name: "members_of", label: say("Whose members it reads"), kind: "text", placeholder: "staff", shownStandard: say("everybody"), effect: say("The name of a role; members of roles in it count.") },
  { name: "days", label: say("Days until it ends"), kind: "number", min: 1, max: 36_500, effect: say("Without a number it does not end.") },
  { name: "networks", label: say("Taken from these addresses only"), kind: "lines", placeholder: "192.0.2.0/24", shownStandard: say("from everywhere"), effect: say("Addresses or networks, one in a line."), more: true },
  { name: "source", label: say("Source of external identifiers"), kind: "text", effect: say("Such as entra. Programs of one source share them, so that a new token takes the place of an old one."), more: true },
];

/** @param {any} one */
const reads = ({ attributes, members_of: role }) => (role ? say("reads {attributes} of the members of {role}", { attributes: attributes.join(", "), role }) : say("reads {attributes} of everybody", { attributes: attributes.join(", ") }));

/** @param {any} one */
const notes = (one) => [one.role, one.attributes ? reads(one) : null, ...one.networks, one.source ? say("source {name}", { name: one.source }) : null, say("since {time}", { time: moment(one.created) }), one.expires ? say("until {time}", { time: moment(one.expires) }) : null, one.maker ? say("made by {name}", { name: one.maker }) : null, one.used ? say("last used {time}", { time: moment(one.used) }) : say("no use recorded")].filter(Boolean).join(", ");

/** @param {any} signal @param {Function} guarded */
export async function tokensView(signal, guarded) {
  const { tokens } = await directory.admin("tokens", "GET", undefined, signal);
  const shownOnce = make("div", {});
  const rows = tokens.map((/** @type {any} */ one) => make("li", {}, make("div", {}, make("strong", {}, one.name), make("small", {}, notes(one))), twice(say("End"), async () => {
    await directory.admin(`tokens/${encodeURIComponent(one.id)}`, "DELETE");
    refresh();
  }, guarded, say("End the token {name}", { name: one.name }))));
  const value = { role: "provisioning" };
  const made = typedForm({ id: "new-token", fields, value, submit: say("Create"), guarded, advanced: false, async save(typed, tell) {
    const { token } = await directory.admin("tokens", "POST", typed);
    made.show(value);
    show();
    shownOnce.replaceChildren(make("p", { class: "note", role: "status" }, `${say("Token, shown only now:")} `, make("code", {}, token), " ", copyButton(token, within(say("Token")))));
    tell(say("Created."));
  } });
  /** Shows the fields that the chosen rights have. */
  const show = () => {
    const isReading = made.read().role === "reading";
    for (const { field, row, show } of made.controls) {
      const isOfReading = ["attributes", "members_of"].includes(field.name);
      if (!isOfReading && field.name !== "source") continue;
      row.hidden = isOfReading !== isReading;
      if (row.hidden) show(undefined);
    }
  };
  made.node.addEventListener("change", show);
  show();
  return [section("tokens", say("Programs' tokens"), make("ul", { class: "rows" }, ...(rows.length ? rows : [make("li", { class: "soft" }, say("No program has a token yet. Create one below, such as for a system that provisions people."))]))),
    section("new-token-title", say("New token"), shownOnce, made.node)];
}
