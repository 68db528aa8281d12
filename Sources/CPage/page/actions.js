// What may be done to several people at once: what each action asks, what it changes, and whom it leaves out.

import { Company } from "./chart-data.js";
import * as directory from "./directory.js";
import { choice, field, make } from "./dom.js";
import { picker } from "./picker.js";

const { enterprise } = directory;

const isSelf = (user) => user.id === directory.who.user.id;
const version = (user) => user.meta.version.slice(3, -1);

/** Changes one attribute of each person whose value is another one, in the version that the preview has shown. */
const setting = (name, value, before, after, leavesOut = (_user) => null) => (people) => people.map((user) => ({
  user, text: `${before(user) || "nothing"} → ${after || "nothing"}`,
  left: leavesOut(user) ?? (before(user) === after ? "is so already" : null),
  run: () => directory.change(user.id, { [name]: value }, version(user)),
}));

function account(isActive) {
  const state = (user) => (user.active === false ? "disabled" : "enabled");
  return () => ({ fields: [], reads: [], prepare: setting("active", isActive, state, isActive ? "enabled" : "disabled",
    (user) => (isSelf(user) && !isActive ? "is you" : null)) });
}

/** Roles that whoever is signed in may change: all, or the own ones. */
async function rolePicker() {
  if (directory.may("administrator")) {
    const picked = picker("bulk-role", "group", null);
    return { row: make("div", { class: "row" }, make("label", { for: "bulk-role" }, "Role"), picked.node), resolve: () => picked.resolve() };
  }
  const owned = await directory.owned(directory.who.user.id);
  const list = choice("bulk-role", "Role", owned.map((one) => [one.id, directory.label(one)]));
  return { row: list.row, resolve: async () => list.input.value };
}

const membership = (isAdding) => async () => {
  const role = await rolePicker();
  return { fields: [role.row], reads: ["groups"], async prepare(people) {
    const id = await role.resolve();
    if (!id) throw new directory.Refusal(400, "Choose a role first.");
    const { name } = await directory.group(id);
    return people.map((user) => {
      const own = (user.groups ?? []).find((one) => one.value === id);
      const left = isAdding ? (own && own.type !== "indirect" ? "is a member already" : null)
        : !own ? "is no member" : own.type === "indirect" ? "is a member through another role, and stays" : null;
      return { user, left, text: isAdding ? `becomes a member of ${name}` : `is no direct member of ${name} any more`,
        run: () => (isAdding ? directory.addMember : directory.removeMember)(id, user.id) };
    });
  } };
};

async function manager() {
  const picked = picker("bulk-manager", "user", null);
  const row = make("div", { class: "row" }, make("label", { for: "bulk-manager" }, "Manager"), picked.node, make("small", { class: "soft" }, "Empty: they have no manager."));
  return { fields: [row], reads: [`${enterprise}:manager`], async prepare(people) {
    const id = await picked.resolve();
    const [chosen, above] = id ? await Promise.all([directory.person(id), new Company().chain(id)]) : [null, []];
    const over = new Set(above.map((one) => one.id));
    const before = (user) => user[enterprise]?.manager?.displayName ?? user[enterprise]?.manager?.value ?? "";
    return setting("manager", id, before, chosen ? directory.label(chosen) : "", (user) => (user.id === id ? "would be the own manager"
      : over.has(user.id) ? `is above ${directory.label(chosen)}, which would be a circle` : (user[enterprise]?.manager?.value ?? null) === id ? "is so already" : null))(people);
  } };
}

async function attribute({ columns }) {
  const free = columns.filter((one) => one.isFree);
  const name = choice("bulk-attribute", "Attribute", free.map((one) => [one.name, one.title]));
  const value = field("bulk-value", "Value", { autocomplete: "off" }, "Empty: the value is removed.");
  return { fields: [name.row, value.row], reads: free.map((one) => one.reads), async prepare(people) {
    const column = free.find((one) => one.name === name.input.value);
    const text = value.input.value.trim();
    const isNumber = column.type === "integer" || column.type === "decimal";
    const typed = !text ? null : isNumber && !Number.isNaN(Number(text)) ? Number(text) : column.type === "boolean" ? text === "true" : text;
    return setting(column.name, typed, column.value, text)(people);
  } };
}

async function deletion() {
  const policy = choice("bulk-reports", "What becomes of their reports", [["refuse", "Leave people with reports out"], ["reassign", "Reports go to the person's manager"], ["leave", "Reports have no manager"]]);
  return { fields: [policy.row], reads: [], async prepare(people) {
    const managers = new Map();
    for (let start = 0; start < people.length; start += 100) {
      const filter = people.slice(start, start + 100).map((one) => `manager eq ${JSON.stringify(one.id)}`).join(" or ");
      for (let cursor = ""; cursor !== null;) {
        const page = await directory.pageOf("Users", { filter, attributes: [`${enterprise}:manager`], cursor, count: 1000, sort: null });
        for (const one of page.Resources) managers.set(one[enterprise]?.manager?.value, (managers.get(one[enterprise]?.manager?.value) ?? 0) + 1);
        cursor = page.nextCursor ?? null;
      }
    }
    const what = policy.input.value;
    return people.map((user) => {
      const count = managers.get(user.id) ?? 0;
      const reports = `${count} ${count === 1 ? "report" : "reports"}`;
      return { user, left: isSelf(user) ? "is you" : count && what === "refuse" ? `has ${reports}` : null,
        text: count ? `is deleted; ${reports} ${what === "reassign" ? "get the person's manager" : "have no manager then"}` : "is deleted",
        run: () => directory.deleteUser(user.id, what) };
    });
  } };
}

const edits = () => directory.may("administrator", "people-editor");
/**
 * The actions. Each has a text, a verb for what was done, and `plan(target)`, which gives the fields of the question, the attributes that the
 * preview reads, and `prepare(people)`. That gives for each person what changes, or why the person is left out, and how it is done.
 */
export const actions = [
  { text: "Add to a role", done: "added", plan: membership(true), may: (target) => target.changesRoles },
  { text: "Remove from a role", done: "removed", plan: membership(false), may: (target) => target.changesRoles },
  { text: "Set the manager", done: "changed", plan: manager, may: edits },
  { text: "Set an attribute", done: "changed", plan: attribute, may: edits },
  { text: "Disable", done: "disabled", plan: account(false), may: edits },
  { text: "Enable", done: "enabled", plan: account(true), may: edits },
  { text: "Delete", done: "deleted", plan: deletion, may: edits, isDangerous: true },
];
