// What people use to look at the chart: the tools above it, the keys, and clicks on cards.

import { most } from "./chart-data.js";
import { follow } from "./chart-gestures.js";
import { neighbour } from "./chart-layout.js";
import { button, choice, make } from "./dom.js";
import { guarded } from "./frame.js";
import { picker } from "./picker.js";
import { say } from "./texts.js";

const help = say("Managers are above, reports below. Arrow keys go from one to the next, and show the reports of somebody. The space bar shows or hides them, Enter shows the chart around somebody, Home goes to the top, plus and minus zoom, 0 fits the chart into the view.");

/** Does what a key means for the card that has the focus. */
function press(chart, event) {
  const { stage } = chart;
  const at = stage.blockOf(stage.active);
  if (!at || event.altKey || event.ctrlKey || event.metaKey || !event.target.closest(".node")) return;
  const { person } = at;
  const { key } = event;
  const go = (block) => block?.person && stage.focus(block.person.id);
  const down = async () => {
    await chart.toggle(person);
    go(stage.blockOf(person.id)?.children[0]);
  };
  const next = neighbour(at, key);
  const isOpening = key === "ArrowDown" && !next && person.direct && !at.isOpen;
  const works = {
    Home: () => go(stage.root.person ? stage.root : stage.root.children[0]),
    " ": () => (person.direct || person.rest ? chart.toggle(person) : null),
    Enter: () => (person.rest ? chart.toggle(person) : chart.around(person)),
    "+": () => stage.zoom(1.3, undefined, true),
    "=": () => stage.zoom(1.3, undefined, true),
    "-": () => stage.zoom(1 / 1.3, undefined, true),
    0: () => stage.fit(),
    m: () => (chart.mayMove && !person.rest ? chart.move(person) : null),
  };
  const work = key.startsWith("Arrow") ? (isOpening ? down : () => go(next)) : works[key];
  if (!work) return;
  event.preventDefault();
  guarded(async () => work());
}

function search(chart) {
  const field = picker("chart-find", "user", null);
  field.field.placeholder = say("Find in the chart");
  field.field.setAttribute("aria-label", say("Find in the chart"));
  const find = () => guarded(async () => {
    const id = await field.resolve();
    if (!id) return;
    field.field.value = "";
    await chart.find(id);
  });
  // The picker has chosen before these run.
  field.node.addEventListener("click", (event) => { if (event.target.closest("li")) find(); });
  field.field.addEventListener("keydown", (event) => {
    if (event.key !== "Enter" || event.isComposing) return;
    event.preventDefault();
    find();
  });
  return make("div", { class: "find" }, field.node);
}

function file(chart, kind) {
  return guarded(async () => {
    const { csv, print, save, svg } = await import("./chart-export.js");
    const { root } = chart.stage;
    const picture = () => svg(root, chart.title, (person) => chart.colourOf(person));
    if (kind === "csv") save("chart.csv", "text/csv;charset=utf-8", csv(root));
    else if (kind === "svg") save("chart.svg", "image/svg+xml", picture());
    else print(picture());
  });
}

/** A list to choose from, whose entries begin with what they are about. */
function selection(id, name, options, value, whenChosen) {
  const { row, input } = choice(id, name, options.map(([key, text]) => [key, say("{name}: {text}", { name, text })]));
  row.firstChild.className = "quiet";
  input.value = value;
  input.addEventListener("change", () => whenChosen(input.value));
  return row;
}

const levelsOf = (chart) => selection("chart-levels", say("Levels"),
  [["", say("as opened")], ["1", "1"], ["2", "2"], ["3", "3"], ["4", "4"], ["5", "5"], ["all", say("all")]], chart.levels,
  (levels) => guarded(async () => {
    chart.levels = levels;
    chart.remember();
    if (!levels) return;
    await chart.openLevels(levels);
    chart.draw("fit");
    if (chart.stage.root.people >= most) chart.note.textContent = say("The chart shows the first {n} people.", { n: most });
  }));

const coloursOf = (chart) => selection("chart-colour", say("Colours"), [["", say("none")], ["department", say("department")]], chart.isColoured ? "department" : "", (value) => {
  chart.isColoured = value !== "";
  chart.remember();
  chart.draw();
});

const named = (text, label, work) => button(text, work, { "aria-label": label, title: label });

/**
 * The tools above the chart.
 * @param elsewhere a link to the other chart: of the whole company, or around oneself
 */
export function tools(chart, elsewhere) {
  return make("div", { class: "chart-tools", role: "group", "aria-label": say("Chart") },
    search(chart), levelsOf(chart), coloursOf(chart),
    make("span", { class: "files" }, button(say("Print"), () => file(chart, "print")),
      named("SVG", say("Save as SVG"), () => file(chart, "svg")), named("CSV", say("Save as CSV"), () => file(chart, "csv"))),
    elsewhere);
}

/** Listens to what people do in the chart. Returns how to do it, in words. */
export function listen(chart) {
  const { stage } = chart;
  const { node } = stage;
  follow(stage, node);
  node.append(make("div", { class: "zooms", role: "group", "aria-label": say("Zoom") },
    named("−", say("Zoom out"), () => stage.zoom(1 / 1.4, undefined, true)), named("+", say("Zoom in"), () => stage.zoom(1.4, undefined, true)),
    named(say("Fit"), say("Fit into the view"), () => stage.fit())));
  const clicked = (event) => (stage.isFar && !event.target.closest("button") ? stage.blockAt(event.clientX, event.clientY)
    : stage.blockOf(event.target.closest(".node")?.dataset.id))?.person;
  node.addEventListener("keydown", (event) => press(chart, event));
  node.addEventListener("click", (event) => {
    const person = clicked(event);
    if (!person) return;
    // Cards that are too small to be read come near first.
    if (stage.isFar) {
      stage.focus(person.id);
      return;
    }
    stage.activate(person.id);
    if (person.rest || event.target.closest(".pill")) guarded(() => chart.toggle(person));
  });
  node.addEventListener("dblclick", (event) => {
    const person = clicked(event);
    if (person && !person.rest && !event.target.closest(".pill")) chart.around(person);
  });
  return make("p", { id: "chart-help", class: "quiet" }, help);
}
