// Moves somebody to another manager, after a preview of what that changes.

import { counted, number } from "./chart-card.js";
import { button, make } from "./dom.js";
import { dialog, guarded } from "./frame.js";
import { picker } from "./picker.js";

/**
 * What changes if a person gets another manager, or none.
 * @returns `people`, how many move, `managers`, whose numbers of people change and by how much, and `obstacle`, why the person
 *   cannot move; null if nothing stands in the way
 */
export async function preview(company, person, manager, signal) {
  const above = async (one) => (one ? [one, ...await company.chain(one.id, signal)] : []);
  // Only the numbers that hold now are shown.
  person.all = undefined;
  const [now, then] = await Promise.all([company.chain(person.id, signal), above(manager), company.counts([person], signal)]);
  const obstacle = manager?.id === person.id ? `${person.name} cannot be their own manager.`
    : then.some((one) => one.id === person.id) ? `${manager.name} is below ${person.name}: the lines would form a circle.`
      : (now[0]?.id ?? null) === (manager?.id ?? null) ? (manager ? `${person.name} reports to ${manager.name} already.` : `${person.name} has no manager already.`)
        : null;
  const people = 1 + person.all;
  const isIn = (list, one) => list.some((other) => other.id === one.id);
  const managers = [
    ...now.filter((one, index) => index === 0 || !isIn(then, one)).map((one) => ({ one, change: isIn(then, one) ? 0 : -people })),
    ...then.filter((one, index) => index === 0 || !isIn(now, one)).map((one) => ({ one, change: isIn(now, one) ? 0 : people })),
  ];
  return { people, managers, obstacle };
}

function told(person, found) {
  const { people, managers, obstacle } = found;
  if (obstacle) return [make("p", { class: "problem" }, obstacle)];
  const change = ({ one, change: by }) => make("li", {}, one.name, make("small", { class: "soft" },
    by === 0 ? "one direct report more or less, the same people below" : `${by > 0 ? "+" : "−"}${counted(Math.abs(by), "person", "people")} below`));
  const head = `${counted(people, "person moves", "people move")}, ${counted(managers.length, "manager changes", "managers change")}.`;
  return [
    make("p", {}, make("strong", {}, head)),
    people > 1 ? make("p", { class: "soft" }, `${person.name}, and ${number(people - 1)} below, who keep their managers.`) : null,
    managers.length ? make("ul", {}, ...managers.slice(0, 12).map(change)) : null,
  ];
}

/**
 * Asks for the new manager of somebody, shows what would change, and changes it.
 * @param whenMoved gets the person, the old manager's identifier or null, and the new manager or null
 */
export function openMoving(company, person, whenMoved) {
  const field = picker("move-to", "user", null);
  const shown = make("div", { class: "preview-text", role: "status" });
  const isTop = make("input", { type: "checkbox", id: "move-top" });
  const go = make("button", { type: "submit", disabled: true }, "Move");
  const form = make("form", { method: "dialog" },
    make("div", { class: "row" }, make("label", { for: "move-to" }, "New manager"), field.node),
    make("p", {}, isTop, " ", make("label", { for: "move-top" }, "No manager: to the top")),
    shown,
    make("p", { class: "actions" }, button("Cancel", () => node.close()), go));
  const node = dialog(`Move ${person.name}`, form);
  const control = new AbortController();
  const { signal } = control;
  let asked = 0;
  let found = null;
  const ask = () => guarded(async () => {
    asked += 1;
    const turn = asked;
    found = null;
    go.disabled = true;
    shown.replaceChildren();
    const id = isTop.checked ? null : await field.resolve();
    if (!isTop.checked && !id) return;
    const manager = id && (company.people.get(id) ?? await company.person(id, signal));
    const next = await preview(company, person, manager, signal);
    if (turn !== asked) return;
    shown.replaceChildren(...told(person, next).filter(Boolean));
    go.disabled = next.obstacle !== null;
    if (!next.obstacle) found = { ...next, manager };
  }, (error) => shown.replaceChildren(make("p", { class: "problem" }, error.message)));
  isTop.addEventListener("change", () => {
    field.field.disabled = isTop.checked;
    ask();
  });
  // The picker has chosen before these run.
  field.node.addEventListener("click", (event) => { if (event.target.closest("li")) ask(); });
  field.field.addEventListener("keydown", (event) => {
    if (event.key !== "Enter" || event.isComposing) return;
    event.preventDefault();
    ask();
  });
  field.field.addEventListener("input", () => {
    asked += 1;
    found = null;
    go.disabled = true;
    shown.replaceChildren();
  });
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    if (!found) return;
    guarded(async () => {
      go.disabled = true;
      const from = person.manager;
      const { manager } = found;
      await company.move(person, manager);
      node.close();
      await whenMoved(person, from, manager, found.people);
    }, (error) => {
      go.disabled = false;
      shown.replaceChildren(make("p", { class: "problem" }, error.message));
    });
  });
  node.addEventListener("close", () => control.abort());
  field.field.focus();
}
