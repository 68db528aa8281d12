// What is done to several people at once: a question, a preview with whom it leaves out, and the changes one after the other.

import * as directory from "./directory.js";
import { button, choice, field, form, make } from "./dom.js";
import { dialog, guarded, toast } from "./frame.js";
import { picker } from "./picker.js";

const { enterprise } = directory;
const atOnce = 4;
const mostShown = 200;

const isSelf = (user) => user.id === directory.who.user.id;
const version = (user) => user.meta.version.slice(3, -1);

/** Changes one attribute of each person whose value is another one, in the version that the preview has shown. */
const setting = (name, value, before, after, leavesOut = () => null) => (people) => people.map((user) => ({
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
    const [chosen, above] = id ? await Promise.all([directory.person(id), directory.chain(id)]) : [null, []];
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
const all = [
  { text: "Add to a role", done: "added", plan: membership(true), may: () => !directory.may("people-editor") || directory.may("administrator") },
  { text: "Remove from a role", done: "removed", plan: membership(false), may: () => !directory.may("people-editor") || directory.may("administrator") },
  { text: "Set the manager", done: "changed", plan: manager, may: edits },
  { text: "Set an attribute", done: "changed", plan: attribute, may: edits },
  { text: "Disable", done: "disabled", plan: account(false), may: edits },
  { text: "Enable", done: "enabled", plan: account(true), may: edits },
  { text: "Delete", done: "deleted", plan: deletion, may: edits, isDangerous: true },
];

/** The buttons of the actions that somebody may take. */
export const actions = async (target, finished) => all.filter((one) => one.may())
  .map((action) => button(action.text, () => guarded(() => begin(action, target, finished))));

const people = (count) => `${count.toLocaleString()} ${count === 1 ? "person" : "people"}`;

/** Asks what an action needs, and shows then what it would change. */
async function begin(action, target, finished) {
  const dropped = new AbortController();
  const plan = await action.plan(target);
  const node = dialog(`${action.text}: ${people(target.count)}`);
  node.addEventListener("close", () => dropped.abort());
  const place = make("div", {});
  const ask = form({ id: "bulk-form" }, "Show what changes", (tell) => guarded(async () => {
    place.replaceChildren();
    const ids = await target.people(dropped.signal, (known) => tell(`${known} people are found.`));
    const read = await directory.peopleOf(ids, ["displayName", "name", "userName", "active", "meta", ...new Set(plan.reads)], dropped.signal, (known) => tell(`${known} people are read.`));
    const items = await plan.prepare(read);
    tell("");
    preview(action, items, node, finished);
  }, (error) => tell(error.message)), ...plan.fields);
  ask.querySelector(".actions").prepend(button("Cancel", () => node.close()));
  node.append(ask, place);
  if (!plan.fields.length) ask.requestSubmit(); else ask.querySelector("input, select").focus();
}

const rows = (title, items, text) => (items.length ? [make("h3", {}, title), make("div", { class: "outcome", tabindex: "0", role: "region", "aria-label": title }, make("ul", { class: "rows" },
  ...items.slice(0, mostShown).map((one) => make("li", {}, make("strong", {}, directory.label(one.user)), make("span", { class: "soft" }, text(one)))),
  items.length > mostShown ? make("li", { class: "soft" }, `… and ${(items.length - mostShown).toLocaleString()} more`) : null))] : []);

/** Shows whom an action would change and whom it leaves out, before it does anything. */
function preview(action, items, node, finished) {
  const [kept, left] = [items.filter((one) => !one.left), items.filter((one) => one.left)];
  const start = button(`${action.text}: ${people(kept.length)}`, () => carryOut(action, kept, left.length, node, finished), { class: action.isDangerous ? "danger" : "main" });
  node.replaceChildren(node.querySelector("h2"),
    make("p", { role: "status", id: "bulk-preview" }, `${people(kept.length)} would be changed, ${people(left.length)} left out. Nothing is changed yet.`),
    ...rows("Changes", kept, (one) => one.text), ...rows("Left out", left, (one) => one.left),
    make("p", { class: "actions" }, button("Cancel", () => node.close()), kept.length ? start : null));
  (kept.length ? start : node.querySelector(".actions button")).focus();
}

/** Carries the changes out, a few at a time, until all are done or somebody cancels. */
async function carryOut(action, items, leftOut, node, finished) {
  let isCancelled = false;
  let done = 0;
  const failures = [];
  const bar = make("progress", { max: items.length, value: 0, "aria-label": "Progress" });
  const state = make("p", { role: "status", id: "bulk-state" });
  const stop = button("Cancel the rest", () => { isCancelled = true; });
  const keep = (event) => {
    event.preventDefault();
    isCancelled = true;
  };
  node.addEventListener("cancel", keep);
  node.addEventListener("close", () => { isCancelled = true; });
  node.replaceChildren(node.querySelector("h2"), bar, state, make("p", { class: "actions" }, stop));
  stop.focus();
  const waiting = items.values();
  const work = async () => {
    for (const item of waiting) {
      if (isCancelled) return;
      try {
        await item.run();
        done += 1;
      } catch (error) {
        if (error.status === 401) {
          isCancelled = true;
          node.close();
          await guarded(() => { throw error; });
          return;
        }
        failures.push({ ...item, reason: error.message });
      }
      bar.value = done + failures.length;
      state.textContent = `${done + failures.length} of ${people(items.length)}`;
    }
  };
  await Promise.all(Array.from({ length: atOnce }, work));
  node.removeEventListener("cancel", keep);
  if (!node.isConnected) return finished();
  const rest = items.length - done - failures.length;
  const summary = [`${people(done)} ${action.done}`, failures.length ? `${failures.length} failed` : null, rest ? `${rest} cancelled` : null, leftOut ? `${leftOut} left out` : null].filter(Boolean).join(", ");
  if (!failures.length && !rest) {
    node.close();
    toast(`${summary}.`);
    return finished();
  }
  const close = button("Close", () => node.close(), { class: "main" });
  node.replaceChildren(node.querySelector("h2"), make("p", { role: "status", id: "bulk-state" }, `${summary}.`), ...rows("Failed", failures, (one) => one.reason), make("p", { class: "actions" }, close));
  node.addEventListener("close", finished);
  close.focus();
}
