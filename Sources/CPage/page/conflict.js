// What somebody else saved meanwhile, beside what one is about to save.

import { labelled } from "./attributes.js";
import * as directory from "./directory.js";
import { button, make } from "./dom.js";
import { dialog } from "./frame.js";
import { inWords } from "./values.js";

/**
 * Who changed a person last, as far as one may know.
 * @param {string} id
 */
async function whoChanged(id) {
  if (!directory.may("administrator")) return "Somebody else";
  const { elements } = await directory.admin(`changes?subject=${encodeURIComponent(id)}&entity=user&kind=modified&limit=1`);
  const [last] = elements;
  return last?.actor_name ?? last?.actor ?? "Somebody else";
}

const same = (/** @type {any} */ one, /** @type {any} */ other) => JSON.stringify(one ?? null) === JSON.stringify(other ?? null);

/** @param {string} name @param {string} text @param {string} group @param {string} value @param {boolean} isChosen */
function answer(name, text, group, value, isChosen) {
  const input = make("input", { type: "radio", name: group, value, id: `${group}-${value}`, checked: isChosen });
  return make("td", {}, make("span", { class: "tick" }, input, make("label", { for: input.id }, make("span", { class: "quiet" }, `${labelled(name)}, ${value === "theirs" ? "saved meanwhile" : "yours"}: `), make("span", {}, text || "nothing"))));
}

/**
 * Asks which values count.
 * @param {string} who who saved the others
 * @param {{name: string, before: any, theirs: any, mine: any}[]} all
 * @returns {Promise<Set<string> | null>} the attributes whose own values count; null where the person goes back to the form
 */
async function choose(who, all) {
  const rows = await Promise.all(all.map(async ({ name, before, theirs, mine }) => {
    const [old, other, own] = await Promise.all([before, theirs, mine].map((value) => inWords(name, value)));
    return make("tr", {}, make("th", { scope: "row" }, labelled(name)), make("td", {}, old || "nothing"),
      answer(name, other, `conflict-${name}`, "theirs", true), answer(name, own, `conflict-${name}`, "mine", false));
  }));
  return new Promise((done) => {
    /** @type {Set<string> | null} */
    let chosen = null;
    const node = dialog(`${who} changed this meanwhile`,
      make("p", {}, all.length === 1 ? "Choose the value that counts." : "Choose for each attribute the value that counts."),
      make("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": "Both values" }, make("table", { id: "conflict" },
        make("thead", {}, make("tr", {}, ...["Attribute", "Before", "Saved meanwhile", "Yours"].map((text) => make("th", { scope: "col" }, text)))), make("tbody", {}, ...rows))),
      make("p", { class: "actions" }, button("Back to the form", () => node.close()), button("Save these", () => {
        chosen = new Set(all.map(({ name }) => name).filter((name) => node.querySelector(`#conflict-${name}-mine`).checked));
        node.close();
      }, { class: "main" })));
    node.addEventListener("close", () => done(chosen));
  });
}

/**
 * Saves changes of a person. What somebody else changed meanwhile is kept, unless both changed the same: then both values are shown.
 * @param {string} id the person, or `~`
 * @param {Record<string, any>} values
 * @param {(name: string) => any} before the value that an attribute had when the form was shown
 * @param {number} version
 * @returns {Promise<{form: any, note: string} | null>} the form after the change, and what there is to say; null where nothing was saved
 */
export async function save(id, values, before, version) {
  let note = "";
  for (let mine = { ...values }, current = version; ;) {
    try {
      return { form: await directory.change(id, mine, current), note };
    } catch (error) {
      if (!(error instanceof directory.Refusal) || error.status !== 412) throw error;
    }
    const form = await directory.formOf(id);
    const who = await whoChanged(form.id);
    const theirs = new Map(form.attributes.filter((/** @type {any} */ one) => !["modified", "created"].includes(one.name) && !same(one.value, before(one.name))).map((/** @type {any} */ one) => [one.name, one.value]));
    const both = Object.keys(mine).filter((name) => theirs.has(name) && !same(theirs.get(name), mine[name]));
    const others = [...theirs.keys()].filter((name) => !(name in values) && before(name) !== undefined);
    note = others.length ? ` Meanwhile ${who} changed: ${others.map(labelled).join(", ")}.` : "";
    if (both.length) {
      const chosen = await choose(who, both.map((name) => ({ name, before: before(name), theirs: theirs.get(name), mine: mine[name] })));
      if (!chosen) return null;
      mine = Object.fromEntries(Object.entries(mine).filter(([name]) => !both.includes(name) || chosen.has(name)));
      if (!Object.keys(mine).length) return { form, note: ` The form shows what ${who} saved.` };
    }
    current = form.version;
  }
}
