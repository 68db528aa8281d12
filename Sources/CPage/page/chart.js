// The chart: the whole company, or the lines around a person. Its address says whom it is about, how many levels are open and
// what the colours mean: `#chart`, `#chart/ID`, `#chart/ID?levels=3&colour=department`.

import { to, write } from "./address.js";
import { reportsOf } from "./chart-card.js";
import { listen, tools } from "./chart-controls.js";
import { Company } from "./chart-data.js";
import { Stage } from "./chart-drawing.js";
import { block, layout } from "./chart-layout.js";
import * as directory from "./directory.js";
import { button, make } from "./dom.js";
import { guarded, heading } from "./frame.js";
import { head } from "./person.js";
import { counted, number, say } from "./texts.js";

/** A colour by its hue in degrees, its saturation and its lightness, as every program that reads SVG takes it. */
function colour(hue, saturation, lightness) {
  const part = (offset) => {
    const place = (offset + hue / 30) % 12;
    const value = lightness - saturation * Math.min(lightness, 1 - lightness) * Math.max(-1, Math.min(place - 3, 9 - place, 1));
    return Math.round(255 * value).toString(16).padStart(2, "0");
  };
  return `#${part(0)}${part(8)}${part(4)}`;
}

class Chart {
  company = new Company();
  /**
   * Whose reports are shown.
   * @type {Set<string>}
   */
  open = new Set();
  /**
   * Managers of whom one report is shown alone, on the way to the person in the middle.
   * @type {Map<string, string>}
   */
  only = new Map();
  colours = new Map();
  /** The people at the top of what is shown. */
  tops = [];
  /**
   * Those whose reports are shown at first only if they can be read.
   * @type {string[]}
   */
  spare = [];
  /** Whether the first picture is drawn. */
  hasBegun = false;

  constructor(self, settings, signal) {
    this.self = self;
    this.signal = signal;
    this.levels = ["1", "2", "3", "4", "5", "all"].includes(settings.get("levels")) ? settings.get("levels") : "";
    this.isColoured = settings.get("colour") === "department";
    this.mayMove = directory.may("administrator", "people-editor");
    this.stage = new Stage(self ? say("Reporting lines") : say("The whole company"), (people) => this.learn(people));
    this.stage.whenSized = (isStart) => this.draw(isStart ? "start" : "keep");
    this.stage.whenActive = (id) => this.select(id);
  }

  /** Draws the first picture, when the parts stand in the page. */
  begin() {
    this.stage.measure();
    this.hasBegun = true;
    this.select(this.stage.active);
    this.signal.addEventListener("abort", () => this.stage.end(), { once: true });
  }

  get title() { return this.self ? say("Reporting lines of {name}", { name: this.company.people.get(this.self).name }) : say("The whole company"); }

  // What is shown

  /** Asks for the people of the first picture. */
  async load() {
    const { company, signal, self } = this;
    if (!self) {
      await company.loadTops(signal);
      this.tops = company.tops;
      for (const top of this.tops.slice(0, 8)) if (top.direct) this.open.add(top.id);
      const heads = this.tops.flatMap((top) => (this.open.has(top.id) ? top.reports ?? [] : []));
      const below = heads.reduce((sum, head) => sum + (head.direct ?? 0), 0);
      // A small company is shown as a whole, where there is room.
      if (!this.levels && below <= 40) this.spare = heads.filter((head) => head.reports?.length).map((head) => head.id);
      for (const id of this.spare) this.open.add(id);
    } else {
      const [person, chain] = await Promise.all([company.person(self, signal), company.chain(self, signal)]);
      this.open.add(self);
      await Promise.all([company.below(person, 2, signal), chain.length ? company.below(chain[0], 2, signal) : null]);
      chain.forEach((one, index) => {
        this.open.add(one.id);
        if (index > 0) this.only.set(one.id, chain[index - 1].id);
      });
      this.tops = [chain.at(-1) ?? person];
    }
    if (this.levels) await this.openLevels(this.levels);
  }

  /** Opens so many levels below the person in the middle, or below the top. */
  async openLevels(levels) {
    const { company, signal } = this;
    const heads = this.self ? [company.people.get(this.self)] : this.tops.slice(0, 8);
    const depth = levels === "all" ? null : Number(levels);
    await Promise.all(heads.map((head) => company.below(head, depth === null ? null : depth + 1, signal)));
    const set = (one, left) => {
      if (left > 0 && one.reports?.length) this.open.add(one.id); else this.open.delete(one.id);
      for (const report of one.reports ?? []) set(report, left - 1);
    };
    for (const head of heads) set(head, depth ?? Infinity);
  }

  #blockOf(person) {
    const only = this.company.people.get(this.only.get(person.id));
    if (only) return block(person, [this.#blockOf(only)], false);
    if (!this.open.has(person.id) || !person.reports) return block(person, [], false);
    const below = person.reports.map((report) => this.#blockOf(report));
    if (!person.isComplete) below.push(this.#rest(person.id, say("More reports"), () => this.company.moreReports(person, this.signal)));
    return block(person, below, true);
  }

  #rest(id, name, load) { return block({ id: `rest:${id}`, name, title: say("Show the next ones"), rest: load }, [], false); }

  /**
   * Lays the chart out and shows it.
   * @param move `start` for the first picture, `fit`, or `keep` for what is seen now
   */
  draw(move = "keep", anchor = this.stage.active) {
    const { stage } = this;
    if (!this.tops.length || !stage.room.width) return;
    const before = stage.blockOf(anchor);
    const tops = this.tops.map((top) => this.#blockOf(top));
    const root = tops.length === 1 ? tops[0] : block(null, tops, true);
    layout(root, (stage.room.width - 48) / stage.unit);
    this.#colour(root);
    const shift = before && { x: before.x, y: before.y };
    stage.show(root, { self: this.self, colour: (person) => this.colourOf(person) });
    const after = stage.blockOf(anchor);
    if (move === "start") this.#start();
    else if (move === "fit") stage.fit();
    else if (shift && after) {
      const { x, y, k } = stage.camera;
      stage.put({ k, x: x + (shift.x - after.x) * k, y: y + (shift.y - after.y) * k });
    }
    this.sum.textContent = counted("{n} person shown", "{n} people shown", root.people - (root.person ? 0 : 1));
  }

  #start() {
    const { stage } = this;
    const all = stage.cameraFor(stage.root);
    if (this.spare.length && all.k < 0.55 * stage.unit) {
      for (const id of this.spare.splice(0)) this.open.delete(id);
      this.draw("start");
      return;
    }
    const focus = stage.blockOf(this.self) ?? stage.root.children.reduce((best, one) => (one.people > (best?.people ?? 0) && !stage.root.person ? one : best), null) ?? stage.root;
    if (!this.hasBegun) stage.activate(this.self ?? focus.person?.id);
    // On a small screen cards that can be read are better than a chart that is seen as a whole.
    if (all.k >= 0.55 * stage.unit || (!this.self && stage.room.width >= 600)) {
      stage.put(all);
      return;
    }
    const camera = stage.cameraAt(focus, 0.9 * stage.unit);
    const isNarrow = stage.room.width < 600;
    stage.put(isNarrow ? { ...camera, x: Math.min(24 - (focus.x - 30) * camera.k, 24), y: this.self ? camera.y : 24 } : camera);
  }

  // Colours

  colourOf(person) {
    return this.isColoured && person.department ? this.colours.get(person.department) : undefined;
  }

  #colour(root) {
    this.legend.hidden = !this.isColoured;
    if (!this.isColoured) return;
    const counts = new Map();
    const count = ({ person, children }) => {
      if (person?.department) counts.set(person.department, (counts.get(person.department) ?? 0) + 1);
      children.forEach(count);
    };
    count(root);
    const isDark = matchMedia("(prefers-color-scheme: dark)").matches;
    // A department keeps its colour while others come.
    const places = new Map([...this.colours.keys()].map((name, index) => [name, index]));
    for (const name of [...counts.keys()].sort()) if (!places.has(name)) places.set(name, places.size);
    this.colours = new Map([...places].map(([name, index]) => [name, colour(Math.round(215 + index * 137.5) % 360, isDark ? 0.55 : 0.6, isDark ? 0.62 : 0.44)]));
    const shown = [...counts].sort((one, other) => other[1] - one[1]);
    this.legend.replaceChildren(...shown.slice(0, 10).map(([name, total]) => {
      const swatch = make("span", { class: "swatch" });
      swatch.style.background = this.colours.get(name);
      return make("li", {}, swatch, `${name} (${number(total)})`);
    }), ...(shown.length > 10 ? [make("li", {}, say("and {n} more", { n: shown.length - 10 }))] : []));
  }

  // Opening and closing

  async toggle(person) {
    if (person.rest) return this.#more(person);
    if (this.only.has(person.id)) {
      await this.#known(person);
      this.only.delete(person.id);
    } else if (this.open.has(person.id)) this.open.delete(person.id);
    else {
      await this.#known(person);
      if (!person.reports?.length) return this.stage.touch();
      this.open.add(person.id);
    }
    this.draw("keep", person.id);
    this.stage.focus(person.id);
    this.#prepare(person);
  }

  async #more(person) {
    const block = this.stage.blockOf(person.id);
    const place = block.parent.children.length - 1;
    await person.rest();
    this.draw("keep", block.parent.person?.id);
    const peers = (block.parent.person ? this.stage.blockOf(block.parent.person.id) : this.stage.root).children;
    this.stage.focus(peers[Math.min(place, peers.length - 1)].person.id);
  }

  async #known(person) {
    if (!person.reports) await this.company.below(person, 2, this.signal);
  }

  /** Asks for the level below those who were opened, so that they open at once. */
  #prepare(person) {
    if (!this.open.has(person.id) || person.reports.every((report) => report.direct !== undefined)) return;
    guarded(async () => {
      await this.company.below(person, 2, this.signal);
      this.stage.touch();
    });
  }

  /** Asks how many people are below those who are seen. */
  learn(people) {
    const some = people.filter((person) => person.all === undefined && person.direct !== 0).slice(0, 60);
    if (!some.length) return;
    guarded(async () => {
      await this.company.counts(some, this.signal);
      this.stage.touch();
      this.select(this.stage.active);
    });
  }

  /** Opens the lines to somebody, and goes there. */
  async find(id) {
    const { company, signal, stage } = this;
    if (!stage.blockOf(id)) {
      const chain = await company.chain(id, signal);
      const top = chain.at(-1)?.id ?? id;
      if (!this.tops.some((one) => one.id === top)) {
        location.hash = to("chart", id);
        return;
      }
      await Promise.all(chain.map((one) => (one.isComplete ? null : company.below(one, 2, signal))));
      chain.forEach((one, index) => {
        const below = chain[index - 1]?.id ?? id;
        if (this.only.get(one.id) !== below) this.only.delete(one.id);
        this.open.add(one.id);
        const next = company.people.get(below);
        // One of very many reports is shown although others are not there yet.
        if (next && one.reports && !one.reports.includes(next)) one.reports.push(next);
      });
      if (!company.people.has(id)) await company.person(id, signal);
      this.draw();
    }
    const block = stage.blockOf(id);
    stage.fly(stage.cameraAt(block, Math.max(stage.camera.k, 0.9 * stage.unit)));
    stage.focus(id);
  }

  // Who is selected

  select(id) {
    const person = this.company.people.get(id);
    if (!person) return this.bar.replaceChildren();
    const link = (kind, text) => make("a", { href: to(kind, person.id) }, text);
    const told = make("p", {}, make("strong", {}, person.name), " ", make("span", { class: "soft" }, [person.title, person.department, reportsOf(person)].filter(Boolean).join(" · ")));
    // Its links may have the focus while the numbers come.
    if (this.bar.dataset.id === id && this.bar.childElementCount) {
      this.bar.firstChild.replaceWith(told);
      return undefined;
    }
    this.bar.dataset.id = id;
    return this.bar.replaceChildren(told, make("p", { class: "links" }, link("user", say("Profile")),
        person.id === this.self ? null : link("chart", say("Chart around")),
        this.mayMove ? button(say("Move…"), () => this.move(this.company.people.get(id)), { id: "move-person" }) : null));
  }

  move(person) {
    guarded(async () => (await import("./chart-moving.js")).openMoving(this.company, person, (...moved) => this.#moved(...moved)));
  }

  async #moved(person, from, manager, people) {
    await this.reload(person.id);
    const undo = button(say("Undo"), () => guarded(async () => {
      undo.disabled = true;
      await this.company.person(person.id);
      await this.company.move(person, from && { id: from });
      this.note.replaceChildren();
      await this.reload(person.id);
    }));
    this.note.replaceChildren(`${counted("{n} person moved:", "{n} people moved:", people)} ${manager ? say("{name} reports to {manager} now.", { name: person.name, manager: manager.name }) : say("{name} has no manager now.", { name: person.name })} `, undo);
  }

  /** Asks for everything again, shows the same parts, and goes to somebody. */
  async reload(id) {
    const { open } = this;
    this.company = new Company();
    [this.open, this.only] = [new Set(), new Map()];
    await this.load();
    await Promise.all([...open].filter((one) => !this.open.has(one)).slice(0, 60).map(async (one) => {
      const person = this.company.people.get(one) ?? await this.company.person(one, this.signal);
      await this.#known(person);
    }));
    for (const one of open) this.open.add(one);
    this.draw();
    await this.find(id);
  }

  around(person) {
    if (person.id !== this.self) location.hash = to("chart", person.id);
  }

  // The parts of the view

  /** Keeps in the address what is shown. */
  remember() {
    write(to("chart", this.self, { levels: this.levels, colour: this.isColoured ? "department" : "" }), false);
  }

  parts() {
    this.sum = make("p", { class: "quiet", role: "status" });
    this.note = make("p", { class: "moved", role: "status" });
    this.legend = make("ul", { class: "legend", "aria-label": say("Colours"), hidden: true });
    this.bar = make("div", { class: "selected", role: "region", "aria-label": say("Selected person") });
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => {
      this.stage.readColours();
      this.draw();
    }, { signal: this.signal });
    const elsewhere = this.self ? make("a", { href: "#chart" }, say("Whole company")) : make("a", { href: to("chart", directory.who.user.id) }, say("Around me"));
    return make("div", { class: "chart" }, tools(this, elsewhere), this.legend, this.note, this.stage.node, this.bar, listen(this), this.sum);
  }
}

/**
 * The view of the chart.
 * @param id whose reporting lines are shown; empty for the whole company
 * @param state `levels` and `colour` of the address
 */
export async function chartView(id, signal, state) {
  const chart = new Chart(id || null, state, signal);
  const [user] = await Promise.all([id ? directory.person(id, signal) : null, chart.load()]);
  return { parts: [...(user ? head(user, "chart") : [heading(say("The whole company"))]), chart.parts()], done: () => chart.begin() };
}
