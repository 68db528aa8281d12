// What somebody else saved meanwhile, beside what one is about to save.

import { labelled } from "./attributes.js";
import * as directory from "./directory.js";
import { button, make } from "./dom.js";
import { dialog } from "./frame.js";
import { say } from "./texts.js";
import { inWords } from "./values.js";

/**
 * Who changed a person last, as far as one may know.
 * @param {string} id
 */
async function whoChanged(id) {
  if (!directory.may("administrator")) return say("Somebody else");
  const { elements } = await directory.admin(`changes?subject=${encodeURIComponent(id)}&entity=user&kind=modified&limit=1`);
  const [last] = elements;
  return last?.actor_name ?? last?.actor ?? say("Somebody else");
}

const same = (/** @type {any} */ one, /** @type {any} */ other) => JSON.stringify(one ?? null) === JSON.stringify(other ?? null);

/** @param {string} name @param {string} text @param {string} group @param {string} value @param {boolean} isChosen */
function answer(name, text, group, value, isChosen) {
  const input = make("input", { type: "radio", name: group, value, id: `${group}-${value}`, checked: isChosen });
  return make("td", {}, make("span", { class: "tick" }, input, make("label", { for: input.id }, make("span", { class: "quiet" }, value === "theirs" ? say("{attribute}, saved meanwhile: ", { attribute: labelled(name) }) : say("{attribute}, yours: ", { attribute: labelled(name) })), make("span", {}, text || say("nothing")))));
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
    return make("tr", {}, make("th", { scope: "row" }, labelled(name)), make("td", {}, old || say("nothing")),
      answer(name, other, `conflict-${name}`, "theirs", true), answer(name, own, `conflict-${name}`, "mine", false));
  }));
  return new Promise((done) => {
    /** @type {Set<string> | null} */
    let chosen = null;
    const node = dialog(say("{who} changed this meanwhile", { who }),
      make("p", {}, all.length === 1 ? say("Choose the value that counts.") : say("Choose for each attribute the value that counts.")),
      make("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": say("Both values") }, make("table", { id: "conflict" },
        make("thead", {}, make("tr", {}, ...[say("Attribute"), say("Before"), say("Saved meanwhile"), say("Yours")].map((text) => make("th", { scope: "col" }, text)))), make("tbody", {}, ...rows))),
      make("p", { class: "actions" }, button(say("Back to the form"), () => node.close()), button(say("Save these"), () => {
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
    note = others.length ? ` ${say("Meanwhile {who} changed: {attributes}.", { who, attributes: others.map(labelled).join(", ") })}` : "";
    if (both.length) {
      const chosen = await choose(who, both.map((name) => ({ name, before: before(name), theirs: theirs.get(name), mine: mine[name] })));
      if (!chosen) return null;
      mine = Object.fromEntries(Object.entries(mine).filter(([name]) => !both.includes(name) || chosen.has(name)));
      if (!Object.keys(mine).length) return { form, note: ` ${say("The form shows what {who} saved.", { who })}` };
    }
    current = form.version;
  }
}
