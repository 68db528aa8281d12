// The field of a person's manager: found by name, with the managers above, and why somebody cannot be the manager.

import { Company } from "./chart-data.js";
import { Refusal } from "./directory.js";
import { make } from "./dom.js";
import { picker } from "./picker.js";
import { say } from "./texts.js";

/**
 * @param {string} id
 * @param {string | null} person the identifier of the person whose manager it is; null for a new person
 * @param {string | null} value the identifier of the present manager
 */
export function managerField(id, person, value) {
  const picked = picker(id, "user", value);
  const node = make("div", {}, picked.node);
  const above = make("small", { class: "soft", id: `${id}-chain`, role: "status" });
  node.append(above);
  picked.field.setAttribute("aria-describedby", above.id);
  const company = new Company();
  /**
   * What is wrong with a manager who was looked up.
   * @type {string | null}
   */
  let obstacle = null;
  let turn = 0;

  /**
   * Shows who is above a manager.
   * @param {string | null} manager
   */
  async function look(manager) {
    turn += 1;
    const mine = turn;
    obstacle = null;
    above.textContent = "";
    if (!manager) return;
    const [own, chain] = await Promise.all([company.person(manager), company.chain(manager)]);
    if (mine !== turn) return;
    const place = chain.findIndex((one) => one.id === person);
    if (manager === person) obstacle = say("Nobody can be their own manager.");
    else if (place >= 0) {
      const way = [own, ...chain.slice(0, place + 1)].map((one) => one.name).join(" → ");
      obstacle = say("{name} reports to {manager}: {way}. The lines would form a circle. Give {below} another manager first.", {
        name: own.name, manager: chain[place].name, way, below: place ? chain[place - 1].name : own.name });
    } else above.textContent = chain.length ? say("Above: {way}", { way: [own, ...chain].map((one) => one.name).join(" → ") }) : say("{name} has no manager.", { name: own.name });
  }
  const lookQuietly = () => look(picked.value || null).catch(() => { /* Saving tells what is wrong. */ });
  picked.node.addEventListener("pick", async () => {
    await lookQuietly();
    node.dispatchEvent(new Event("change", { bubbles: true }));
  });
  picked.field.addEventListener("input", () => { look(null); });
  lookQuietly();
  return {
    node,
    input: picked.field,
    isChanged: () => picked.isTouched,
    /** @returns {Promise<string | null>} */
    value: async () => picked.resolve(),
    /** @returns {Promise<string | null>} */
    async mistake() {
      try {
        await look(await picked.resolve());
      } catch (error) {
        if (error instanceof Refusal && error.status === 400) return error.message;
        throw error;
      }
      return obstacle;
    },
    /** @param {string | null} saved */
    show(saved) {
      picked.set(saved);
      lookQuietly();
    },
  };
}
