// What may be done to several people at once: what each action asks, what it changes, and whom it leaves out.

import { Company } from "./chart-data.js";
import * as directory from "./directory.js";
import { choice, field, make } from "./dom.js";
import { picker } from "./picker.js";
import { counted, say } from "./texts.js";

const { enterprise } = directory;

const isSelf = (user) => user.id === directory.who.user.id;
const version = (user) => user.meta.version.slice(3, -1);

/** Changes one attribute of each person whose value is another one, in the version that the preview has shown. */
const setting = (name, value, before, after, leavesOut = (_user) => null) => (people) => people.map((user) => ({
  user, text: `${before(user) || say("nothing")} → ${after || say("nothing")}`,
  left: leavesOut(user) ?? (before(user) === after ? say("is so already") : null),
  run: () => directory.change(user.id, { [name]: value }, version(user)),
}));

function account(isActive) {
  const state = (user) => (user.active === false ? say("disabled") : say("enabled"));
  return () => ({ fields: [], reads: [], prepare: setting("active", isActive, state, isActive ? say("enabled") : say("disabled"),
    (user) => (isSelf(user) && !isActive ? say("is you") : null)) });
}

/** Roles that whoever is signed in may change: all, or the own ones. */
async function rolePicker() {
  if (directory.may("administrator")) {
    const picked = picker("bulk-role", "group", null);
    return { row: make("div", { class: "row" }, make("label", { for: "bulk-role" }, say("Role")), picked.node), resolve: () => picked.resolve() };
  }
  const owned = await directory.owned(directory.who.user.id);
  const list = choice("bulk-role", say("Role"), owned.map((one) => [one.id, directory.label(one)]));
  return { row: list.row, resolve: async () => list.input.value };
}

const membership = (isAdding) => async () => {
  const role = await rolePicker();
  return { fields: [role.row], reads: ["groups"], async prepare(people) {
    const id = await role.resolve();
    if (!id) throw new directory.Refusal(400, say("Choose a role first."));
    const { name } = await directory.group(id);
    return people.map((user) => {
      const own = (user.groups ?? []).find((one) => one.value === id);
      const left = isAdding ? (own && own.type !== "indirect" ? say("is a member already") : null)
        : !own ? say("is no member") : own.type === "indirect" ? say("is a member through another role, and stays") : null;
      return { user, left, text: isAdding ? say("becomes a member of {name}", { name }) : say("is no direct member of {name} any more", { name }),
        run: () => (isAdding ? directory.addMember : directory.removeMember)(id, user.id) };
    });
  } };
};

async function manager() {
  const picked = picker("bulk-manager", "user", null);
  const row = make("div", { class: "row" }, make("label", { for: "bulk-manager" }, say("Manager")), picked.node, make("small", { class: "soft" }, say("Empty: they have no manager.")));
  return { fields: [row], reads: [`${enterprise}:manager`], async prepare(people) {
    const id = await picked.resolve();
    const [chosen, above] = id ? await Promise.all([directory.person(id), new Company().chain(id)]) : [null, []];
    const over = new Set(above.map((one) => one.id));
    const before = (user) => user[enterprise]?.manager?.displayName ?? user[enterprise]?.manager?.value ?? "";
    return setting("manager", id, before, chosen ? directory.label(chosen) : "", (user) => (user.id === id ? say("would be the own manager")
      : over.has(user.id) ? say("is above {name}, which would be a circle", { name: directory.label(chosen) }) : (user[enterprise]?.manager?.value ?? null) === id ? say("is so already") : null))(people);
  } };
}

async function attribute({ columns }) {
  const free = columns.filter((one) => one.isFree);
  const name = choice("bulk-attribute", say("Attribute"), free.map((one) => [one.name, one.title]));
  const value = field("bulk-value", say("Value"), { autocomplete: "off" }, say("Empty: the value is removed."));
  return { fields: [name.row, value.row], reads: free.map((one) => one.reads), async prepare(people) {
    const column = free.find((one) => one.name === name.input.value);
    const text = value.input.value.trim();
    const isNumber = column.type === "integer" || column.type === "decimal";
    const typed = !text ? null : isNumber && !Number.isNaN(Number(text)) ? Number(text) : column.type === "boolean" ? text === "true" : text;
    return setting(column.name, typed, column.value, text)(people);
  } };
}

async function deletion() {
  const policy = choice("bulk-reports", say("What becomes of their reports"), [["refuse", say("Leave people with reports out")], ["reassign", say("Reports go to the person's manager")], ["leave", say("Reports have no manager")]]);
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
      return { user, left: isSelf(user) ? say("is you") : count && what === "refuse" ? counted("has {n} report", "has {n} reports", count) : null,
        text: !count ? say("is deleted") : what === "reassign" ? counted("is deleted; {n} report gets the person's manager", "is deleted; {n} reports get the person's manager", count)
          : counted("is deleted; {n} report has no manager then", "is deleted; {n} reports have no manager then", count),
        run: () => directory.deleteUser(user.id, what) };
    });
  } };
}

const changed = (n) => counted("{n} person changed", "{n} people changed", n);
const edits = () => directory.may("administrator", "people-editor");
/**
 * The actions. Each has a text, what it says of so many people when it is done, and `plan(target)`, which gives the fields of the question, the attributes that the
 * preview reads, and `prepare(people)`. That gives for each person what changes, or why the person is left out, and how it is done.
 */
export const actions = [
  { text: say("Add to a role"), done: (n) => counted("{n} person added", "{n} people added", n), plan: membership(true), may: (target) => target.changesRoles },
  { text: say("Remove from a role"), done: (n) => counted("{n} person removed", "{n} people removed", n), plan: membership(false), may: (target) => target.changesRoles },
  { text: say("Set the manager"), done: changed, plan: manager, may: edits },
  { text: say("Set an attribute"), done: changed, plan: attribute, may: edits },
  { text: say("Disable"), done: (n) => counted("{n} person disabled", "{n} people disabled", n), plan: account(false), may: edits },
  { text: say("Enable"), done: (n) => counted("{n} person enabled", "{n} people enabled", n), plan: account(true), may: edits },
  { text: say("Delete"), done: (n) => counted("{n} person deleted", "{n} people deleted", n), plan: deletion, may: edits, isDangerous: true },
];
