// Moves somebody to another manager, after a preview of what that changes.

import { button, make } from "./dom.js";
import { dialog, guarded } from "./frame.js";
import { picker } from "./picker.js";
import { counted, say } from "./texts.js";

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
  const obstacle = manager?.id === person.id ? say("{name} cannot be their own manager.", { name: person.name })
    : then.some((one) => one.id === person.id) ? say("{manager} is below {name}: the lines would form a circle.", { manager: manager.name, name: person.name })
      : (now[0]?.id ?? null) === (manager?.id ?? null) ? (manager ? say("{name} reports to {manager} already.", { name: person.name, manager: manager.name }) : say("{name} has no manager already.", { name: person.name }))
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
    by === 0 ? say("one direct report more or less, the same people below") : counted("{sign}{n} person below", "{sign}{n} people below", Math.abs(by), { sign: by > 0 ? "+" : "−" })));
  const head = say("{people}, {managers}.", { people: counted("{n} person moves", "{n} people move", people), managers: counted("{n} manager changes", "{n} managers change", managers.length) });
  return [
    make("p", {}, make("strong", {}, head)),
    people > 1 ? make("p", { class: "soft" }, say("{name}, and {n} below, who keep their managers.", { name: person.name, n: people - 1 })) : null,
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
  const go = make("button", { type: "submit", disabled: true }, say("Move"));
  const form = make("form", { method: "dialog" },
    make("div", { class: "row" }, make("label", { for: "move-to" }, say("New manager")), field.node),
    make("p", {}, isTop, " ", make("label", { for: "move-top" }, say("No manager: to the top"))),
    shown,
    make("p", { class: "actions" }, button(say("Cancel"), () => node.close()), go));
  const node = dialog(say("Move {name}", { name: person.name }), form);
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
