// The dialog of a change to several people: a question, a preview with whom it leaves out, and the changes, a few at a time.

import { actions as all } from "./actions.js";
import * as directory from "./directory.js";
import { button, form, make } from "./dom.js";
import { dialog, guarded, toast } from "./frame.js";
import { counted, say } from "./texts.js";

const atOnce = 4;
const mostShown = 200;

/** The buttons of the actions that somebody may take. */
export const actions = (target, finished) => all.filter((one) => one.may(target))
  .map((action) => button(action.text, () => guarded(() => begin(action, target, finished)), { class: action.isDangerous ? "off" : null }));

const people = (count) => counted("{n} person", "{n} people", count);

const sentence = (text) => say("{text}.", { text });
const titleOf = (action, count) => say("{action}: {people}", { action: action.text, people: people(count) });

/** Asks what an action needs, and shows then what it would change. */
async function begin(action, target, finished) {
  const dropped = new AbortController();
  const plan = await action.plan(target);
  const node = dialog(titleOf(action, target.count));
  node.addEventListener("close", () => dropped.abort());
  const place = make("div", {});
  const ask = form({ id: "bulk-form" }, say("Show what changes"), (tell) => guarded(async () => {
    place.replaceChildren();
    const ids = await target.people(dropped.signal, (known) => tell(counted("{n} person is found.", "{n} people are found.", known)));
    const read = await directory.peopleOf(ids, ["displayName", "name", "userName", "active", "meta", ...new Set(plan.reads)], dropped.signal, (known) => tell(counted("{n} person is read.", "{n} people are read.", known)));
    const items = await plan.prepare(read);
    tell("");
    preview(action, items, node, finished);
  }, (error) => tell(error.message)), ...plan.fields);
  ask.querySelector(".actions").prepend(button(say("Cancel"), () => node.close()));
  node.append(ask, place);
  if (!plan.fields.length) ask.requestSubmit(); else ask.querySelector("input, select").focus();
}

const rows = (title, items, text) => (items.length ? [make("h3", {}, title), make("div", { class: "outcome", tabindex: "0", role: "region", "aria-label": title }, make("ul", { class: "rows" },
  ...items.slice(0, mostShown).map((one) => make("li", {}, make("strong", {}, directory.label(one.user)), make("span", { class: "soft" }, text(one)))),
  items.length > mostShown ? make("li", { class: "soft" }, say("… and {n} more", { n: items.length - mostShown })) : null))] : []);

/** Shows whom an action would change and whom it leaves out, before it does anything. */
function preview(action, items, node, finished) {
  const [kept, left] = [items.filter((one) => !one.left), items.filter((one) => one.left)];
  const start = button(titleOf(action, kept.length), () => guarded(() => carryOut(action, kept, left.length, node, finished), (error) => { node.querySelector("[role=status]").textContent = error.message; }), { class: action.isDangerous ? "danger" : "main" });
  node.replaceChildren(node.querySelector("h2"),
    make("p", { role: "status", id: "bulk-preview" }, say("{changed} would be changed, {left} left out. Nothing is changed yet.", { changed: people(kept.length), left: people(left.length) })),
    ...rows(say("Changes"), kept, (one) => one.text), ...rows(say("Left out"), left, (one) => one.left),
    make("p", { class: "actions" }, button(say("Cancel"), () => node.close()), kept.length ? start : null));
  (kept.length ? start : node.querySelector(".actions button")).focus();
}

/** Carries the changes out, a few at a time, until all are done or somebody cancels. */
async function carryOut(action, items, leftOut, node, finished) {
  let isCancelled = false;
  let done = 0;
  const failures = [];
  const bar = make("progress", { max: items.length, value: 0, "aria-label": say("Progress") });
  const state = make("p", { role: "status", id: "bulk-state" });
  const stop = button(say("Cancel the rest"), () => { isCancelled = true; });
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
      state.textContent = say("{n} of {people}", { n: done + failures.length, people: people(items.length) });
    }
  };
  const number = await directory.inBatch(async (number) => {
    await Promise.all(Array.from({ length: atOnce }, work));
    return number;
  });
  node.removeEventListener("cancel", keep);
  if (!node.isConnected) return finished();
  const rest = items.length - done - failures.length;
  const summary = [action.done(done), failures.length ? say("{n} failed", { n: failures.length }) : null, rest ? say("{n} cancelled", { n: rest }) : null, leftOut ? say("{n} left out", { n: leftOut }) : null].filter(Boolean).join(", ");
  if (!failures.length && !rest) {
    node.close();
    toast(sentence(summary), action.isDangerous ? null : () => undo(number, finished));
    return finished();
  }
  const close = button(say("Close"), () => node.close(), { class: "main" });
  node.replaceChildren(node.querySelector("h2"), make("p", { role: "status", id: "bulk-state" }, sentence(summary)), ...rows(say("Failed"), failures, (one) => one.reason), make("p", { class: "actions" },
    done && !action.isDangerous ? button(say("Undo"), () => {
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
    const summary = counted("{n} change undone", "{n} changes undone", undone);
    finished();
    if (!count) return toast(sentence(summary));
    const node = dialog(say("Undo"), make("p", { role: "status", id: "undo-state" }, sentence([summary, say("{n} left out", { n: count })].join(", "))));
    const close = button(say("Close"), () => node.close(), { class: "main" });
    node.append(...rows(say("Left out"), left.map((one) => ({ user: { id: one.id, displayName: one.name || one.id }, left: one.reason })), (one) => one.left),
      make("p", { class: "actions" }, close));
    close.focus();
  });
}
