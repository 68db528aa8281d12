// The dialog of a change to several people: a question, a preview with whom it leaves out, and the changes, a few at a time.

import { actions as all } from "./actions.js";
import * as directory from "./directory.js";
import { button, form, make } from "./dom.js";
import { dialog, guarded, toast } from "./frame.js";

const atOnce = 4;
const mostShown = 200;

/** The buttons of the actions that somebody may take. */
export const actions = (target, finished) => all.filter((one) => one.may(target))
  .map((action) => button(action.text, () => guarded(() => begin(action, target, finished)), { class: action.isDangerous ? "off" : null }));

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
  const start = button(`${action.text}: ${people(kept.length)}`, () => guarded(() => carryOut(action, kept, left.length, node, finished), (error) => { node.querySelector("[role=status]").textContent = error.message; }), { class: action.isDangerous ? "danger" : "main" });
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
  const number = await directory.inBatch(async (number) => {
    await Promise.all(Array.from({ length: atOnce }, work));
    return number;
  });
  node.removeEventListener("cancel", keep);
  if (!node.isConnected) return finished();
  const rest = items.length - done - failures.length;
  const summary = [`${people(done)} ${action.done}`, failures.length ? `${failures.length} failed` : null, rest ? `${rest} cancelled` : null, leftOut ? `${leftOut} left out` : null].filter(Boolean).join(", ");
  if (!failures.length && !rest) {
    node.close();
    toast(`${summary}.`, action.isDangerous ? null : () => undo(number, finished));
    return finished();
  }
  const close = button("Close", () => node.close(), { class: "main" });
  node.replaceChildren(node.querySelector("h2"), make("p", { role: "status", id: "bulk-state" }, `${summary}.`), ...rows("Failed", failures, (one) => one.reason), make("p", { class: "actions" },
    done && !action.isDangerous ? button("Undo", () => {
      node.close();
      undo(number, finished);
    }) : null, close));
  node.addEventListener("close", finished);
  close.focus();
}

/** Undoes a batch, and says whom that leaves out, and why. */
function undo(number, finished) {
  return guarded(async () => {
    const { undone, left_out: left, left_out_count: count } = await directory.undo(number);
    const summary = `${undone.toLocaleString()} ${undone === 1 ? "change" : "changes"} undone`;
    finished();
    if (!count) return toast(`${summary}.`);
    const node = dialog("Undo", make("p", { role: "status", id: "undo-state" }, `${summary}, ${count.toLocaleString()} left out.`));
    const close = button("Close", () => node.close(), { class: "main" });
    node.append(...rows("Left out", left.map((one) => ({ user: { id: one.id, displayName: one.name || one.id }, left: one.reason })), (one) => one.left),
      make("p", { class: "actions" }, close));
    close.focus();
  });
}
