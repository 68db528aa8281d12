// The filters of the table of people. Each is an expression of the filter language of SCIM, shown as a chip in words.

import * as directory from "./directory.js";
import { button, choice, field, form, make } from "./dom.js";
import { dialog, guarded } from "./frame.js";
import { picker } from "./picker.js";

const operators = { eq: "is", ne: "is not", co: "contains", sw: "begins with", ew: "ends with", gt: "is after", ge: "is at least", lt: "is before", le: "is at most" };

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
  if (expression === "not (manager pr)") return "No manager";
  if ((match = /^groups\.effective eq ("[^"]*")$/.exec(expression))) return `In role ${await nameOf("group", literal(match[1]), signal)}, also through others`;
  if ((match = /^groups eq ("[^"]*")$/.exec(expression))) return `Directly in role ${await nameOf("group", literal(match[1]), signal)}`;
  if ((match = /^managers eq ("[^"]*")$/.exec(expression))) return `Below ${await nameOf("user", literal(match[1]), signal)}`;
  if ((match = /^manager eq ("[^"]*")$/.exec(expression))) return `Reports to ${await nameOf("user", literal(match[1]), signal)}`;
  if ((match = /^meta\.lastModified ge ("[^"]*")$/.exec(expression))) return `Changed since ${new Date(literal(match[1])).toLocaleDateString()}`;
  if (expression === "not (emails.value pr)") return "No mail address";
  if (/^id eq "[^"]*"( or id eq "[^"]*")*$/.test(expression)) return `${expression.split(" or ").length} of them`;
  if (expression === "active eq true") return "Enabled";
  if (expression === "active eq false") return "Disabled";
  if ((match = /^([\w.:]+) pr$/.exec(expression))) return `${title(match[1])} has a value`;
  if ((match = /^not \(([\w.:]+) pr\)$/.exec(expression))) return `${title(match[1])} has no value`;
  if ((match = /^([\w.:]+) (\w\w) ("(?:[^"\\]|\\.)*"|[\w.+-]+)$/.exec(expression)) && operators[match[2]]) return `${title(match[1])} ${operators[match[2]]} ${literal(match[3])}`;
  return expression;
}

/** Asks for one more filter. `add` gets its expression. */
export function askFilter(columns, add) {
  const kind = choice("filter-kind", "Show people", [["attribute", "by an attribute"], ["role", "in a role, also through others"], ["direct", "directly in a role"], ["none", "without a manager"],
    ["below", "below a manager, at any level"], ["reports", "who report to a manager"], ["since", "changed since a day"], ["enabled", "with an enabled account"], ["disabled", "with a disabled account"], ["text", "by an expression"]]);
  const filterable = columns.filter((one) => !["name", "roles", "active", "manager"].includes(one.name) && !one.isTime);
  const attribute = choice("filter-attribute", "Attribute", filterable.map((one) => [one.name, one.title]));
  const operator = choice("filter-operator", "Comparison", [...Object.entries(operators), ["pr", "has a value"], ["no", "has no value"]]);
  const value = field("filter-value", "Value", { autocomplete: "off" });
  const role = picker("filter-role", "group", null);
  const person = picker("filter-person", "user", null);
  const day = field("filter-day", "Day", { type: "date" });
  const text = field("filter-text", "Expression", { autocomplete: "off", spellcheck: "false", placeholder: 'title sw "Head" and not (mail pr)' }, "In the filter language of SCIM.");
  const rowOf = (picked, label) => make("div", { class: "row" }, make("label", { for: picked.field.id }, label), picked.node);
  const rows = { attribute: [attribute.row, operator.row, value.row], role: [rowOf(role, "Role")], below: [rowOf(person, "Manager")], since: [day.row], text: [text.row] };
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
    if (!id) throw new directory.Refusal(400, "Choose from the list first.");
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
      if (!day.input.value) throw new directory.Refusal(400, "Choose a day first.");
      return `meta.lastModified ge ${quoted(new Date(`${day.input.value}T00:00:00`).toISOString())}`;
    },
    text() {
      if (!text.input.value.trim()) throw new directory.Refusal(400, "Write an expression first.");
      return text.input.value.trim();
    },
  };
  const node = dialog("Add a filter", form({ id: "filter-form" }, "Show them", (tell) => guarded(async () => {
    const expression = await expressions[kind.input.value]();
    // What the server cannot read is told here, and not instead of the table.
    await directory.pageOf("Users", { filter: expression, attributes: ["id"], count: 0, cursor: undefined, sort: null });
    node.close();
    add(expression);
  }, (error) => tell(error.message)), kind.row, ...new Set(Object.values(rows).flat())));
  node.querySelector("form .actions").prepend(button("Cancel", () => node.close()));
}

/** The chips of the filters. `drop` gets the expression that is taken away. */
export async function chips(expressions, columns, drop, signal) {
  const all = await Promise.all(expressions.map((one) => words(one, columns, signal)));
  return all.map((text, index) => make("li", { class: "chip" }, text, button("×", () => drop(expressions[index]), { class: "icon", "aria-label": `Take away: ${text}` })));
}
