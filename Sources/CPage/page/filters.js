// The filters of the table of people. Each is an expression of the filter language of SCIM, shown as a chip in words.

import * as directory from "./directory.js";
import { button, choice, field, form, make } from "./dom.js";
import { dialog, guarded } from "./frame.js";
import { picker } from "./picker.js";
import { counted, locale, say } from "./texts.js";

const operators = { eq: say("is"), ne: say("is not"), co: say("contains"), sw: say("begins with"), ew: say("ends with"), gt: say("is after"), ge: say("is at least"), lt: say("is before"), le: say("is at most") };

/** A comparison in words. */
const comparisons = {
  eq: (attribute, value) => say("{attribute} is {value}", { attribute, value }), ne: (attribute, value) => say("{attribute} is not {value}", { attribute, value }),
  co: (attribute, value) => say("{attribute} contains {value}", { attribute, value }), sw: (attribute, value) => say("{attribute} begins with {value}", { attribute, value }),
  ew: (attribute, value) => say("{attribute} ends with {value}", { attribute, value }), gt: (attribute, value) => say("{attribute} is after {value}", { attribute, value }),
  ge: (attribute, value) => say("{attribute} is at least {value}", { attribute, value }), lt: (attribute, value) => say("{attribute} is before {value}", { attribute, value }),
  le: (attribute, value) => say("{attribute} is at most {value}", { attribute, value }),
};

/** All expressions as one filter. */
export const joined = (expressions) => expressions.map((one) => `(${one})`).join(" and ");

const namesById = new Map();
/** The name of whom an expression names by an identifier. */
async function nameOf(kind, id, signal) {
  if (!namesById.has(id)) {
    try {
      namesById.set(id, kind === "group" ? (await directory.group(id, signal)).name : directory.label(await directory.person(id, signal)));
    } catch (error) {
      if (error.name === "AbortError") throw error;
      return id;
    }
  }
  return namesById.get(id);
}

const literal = (text) => {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
};

/** An expression in words; itself where it is none of those that the form makes. */
export async function words(expression, columns, signal) {
  const title = (name) => columns.find((one) => name === one.name)?.title ?? name;
  let match;
  if (expression === "not (manager pr)") return say("No manager");
  if ((match = /^groups\.effective eq ("[^"]*")$/.exec(expression))) return say("In role {name}, also through others", { name: await nameOf("group", literal(match[1]), signal) });
  if ((match = /^groups eq ("[^"]*")$/.exec(expression))) return say("Directly in role {name}", { name: await nameOf("group", literal(match[1]), signal) });
  if ((match = /^managers eq ("[^"]*")$/.exec(expression))) return say("Below {name}", { name: await nameOf("user", literal(match[1]), signal) });
  if ((match = /^manager eq ("[^"]*")$/.exec(expression))) return say("Reports to {name}", { name: await nameOf("user", literal(match[1]), signal) });
  if ((match = /^meta\.lastModified ge ("[^"]*")$/.exec(expression))) return say("Changed since {day}", { day: new Date(literal(match[1])).toLocaleDateString(locale) });
  if (expression === "not (emails.value pr)") return say("No mail address");
  if (/^id eq "[^"]*"( or id eq "[^"]*")*$/.test(expression)) return counted("{n} of them", "{n} of them", expression.split(" or ").length);
  if (expression === "active eq true") return say("Enabled");
  if (expression === "active eq false") return say("Disabled");
  if ((match = /^([\w.:]+) pr$/.exec(expression))) return say("{attribute} has a value", { attribute: title(match[1]) });
  if ((match = /^not \(([\w.:]+) pr\)$/.exec(expression))) return say("{attribute} has no value", { attribute: title(match[1]) });
  if ((match = /^([\w.:]+) (\w\w) ("(?:[^"\\]|\\.)*"|[\w.+-]+)$/.exec(expression)) && operators[match[2]]) return comparisons[match[2]](title(match[1]), literal(match[3]));
  return expression;
}

/** Asks for one more filter. `add` gets its expression. */
export function askFilter(columns, add) {
  const kind = choice("filter-kind", say("Show people"), [["attribute", say("by an attribute")], ["role", say("in a role, also through others")], ["direct", say("directly in a role")], ["none", say("without a manager")],
    ["below", say("below a manager, at any level")], ["reports", say("who report to a manager")], ["since", say("changed since a day")], ["enabled", say("with an enabled account")], ["disabled", say("with a disabled account")], ["text", say("by an expression")]]);
  const filterable = columns.filter((one) => !["name", "roles", "active", "manager"].includes(one.name) && !one.isTime);
  const attribute = choice("filter-attribute", say("Attribute"), filterable.map((one) => [one.name, one.title]));
  const operator = choice("filter-operator", say("Comparison"), [...Object.entries(operators), ["pr", say("has a value")], ["no", say("has no value")]]);
  const value = field("filter-value", say("Value"), { autocomplete: "off" });
  const role = picker("filter-role", "group", null);
  const person = picker("filter-person", "user", null);
  const day = field("filter-day", say("Day"), { type: "date" });
  const text = field("filter-text", say("Expression"), { autocomplete: "off", spellcheck: "false", placeholder: 'title sw "Head" and not (mail pr)' }, say("In the filter language of SCIM."));
  const rowOf = (picked, label) => make("div", { class: "row" }, make("label", { for: picked.field.id }, label), picked.node);
  const rows = { attribute: [attribute.row, operator.row, value.row], role: [rowOf(role, say("Role"))], below: [rowOf(person, say("Manager"))], since: [day.row], text: [text.row] };
  rows.direct = rows.role;
  rows.reports = rows.below;
  const offer = () => {
    for (const row of Object.values(rows).flat()) row.hidden = !(rows[kind.input.value] ?? []).includes(row);
    if (kind.input.value === "attribute") value.row.hidden = ["pr", "no"].includes(operator.input.value);
  };
  kind.input.addEventListener("change", offer);
  operator.input.addEventListener("change", offer);
  offer();
  const quoted = (from) => JSON.stringify(from);
  const chosen = async (picked) => {
    const id = await picked.resolve();
    if (!id) throw new directory.Refusal(400, say("Choose from the list first."));
    return quoted(id);
  };
  const comparison = () => {
    const name = attribute.input.value;
    if (operator.input.value === "pr") return `${name} pr`;
    if (operator.input.value === "no") return `not (${name} pr)`;
    const { type } = columns.find((one) => name === one.name);
    const isBare = (type === "integer" || type === "decimal" || type === "boolean") && /^(-?[\d.]+|true|false)$/.test(value.input.value);
    return `${name} ${operator.input.value} ${isBare ? value.input.value : quoted(value.input.value)}`;
  };
  const expressions = {
    attribute: comparison, none: () => "not (manager pr)", enabled: () => "active eq true", disabled: () => "active eq false",
    role: async () => `groups.effective eq ${await chosen(role)}`, direct: async () => `groups eq ${await chosen(role)}`,
    below: async () => `managers eq ${await chosen(person)}`, reports: async () => `manager eq ${await chosen(person)}`,
    since() {
      if (!day.input.value) throw new directory.Refusal(400, say("Choose a day first."));
      return `meta.lastModified ge ${quoted(new Date(`${day.input.value}T00:00:00`).toISOString())}`;
    },
    text() {
      if (!text.input.value.trim()) throw new directory.Refusal(400, say("Write an expression first."));
      return text.input.value.trim();
    },
  };
  const node = dialog(say("Add a filter"), form({ id: "filter-form" }, say("Show them"), (tell) => guarded(async () => {
    const expression = await expressions[kind.input.value]();
    // What the server cannot read is told here, and not instead of the table.
    await directory.pageOf("Users", { filter: expression, attributes: ["id"], count: 0, cursor: undefined, sort: null });
    node.close();
    add(expression);
  }, (error) => tell(error.message)), kind.row, ...new Set(Object.values(rows).flat())));
  node.querySelector("form .actions").prepend(button(say("Cancel"), () => node.close()));
}

/** The chips of the filters. `drop` gets the expression that is taken away. */
export async function chips(expressions, columns, drop, signal) {
  const all = await Promise.all(expressions.map((one) => words(one, columns, signal)));
  return all.map((text, index) => make("li", { class: "chip" }, text, button("×", () => drop(expressions[index]), { class: "icon", "aria-label": say("Take away: {text}", { text }) })));
}
