// The table of people: columns, order and filters stand in the address; more rows come while one scrolls.

import { to, write } from "./address.js";
import { chooseColumns, columns as allColumns, csv, reads, usual } from "./columns.js";
import * as directory from "./directory.js";
import { button, make } from "./dom.js";
import { askFilter, chips } from "./filters.js";
import { empty, guarded, heading, markLoading, toast } from "./frame.js";
import { Listing, mostMatches } from "./listing.js";
import { counted, say } from "./texts.js";
import { savedViews } from "./views.js";

export async function peopleView(signal, parameters) {
  const columns = await allColumns(signal);
  const state = {
    words: parameters.get("q") ?? "", filters: parameters.getAll("f"), sort: (parameters.get("sort") ?? "").replace(/^-/, ""), isDescending: parameters.get("sort")?.startsWith("-") ?? false,
    shown: (parameters.get("columns")?.split(",") ?? usual).filter((name) => columns.some((one) => one.name === name)),
  };
  if (!state.shown.length) state.shown = [...usual];
  const shown = () => state.shown.map((name) => columns.find((one) => one.name === name));
  const address = () => to("people", "", { q: state.words, f: state.filters, sort: state.sort && (state.isDescending ? "-" : "") + state.sort, columns: state.shown.join() === usual.join() ? "" : state.shown.join() });

  const changesRoles = directory.may("administrator") || (await directory.owned(directory.who.user.id, signal)).length > 0;
  const mayAct = changesRoles || directory.may("people-editor");
  const { actions } = mayAct ? await import("./bulk.js") : { actions: undefined };
  /** Who is chosen, by identifier; or everybody whom the filters find. */
  const chosen = new Map();
  let isEverybody = false;
  let listing;
  let asking = new AbortController();

  const head = make("tr", {});
  const body = make("tbody", {});
  const total = make("p", { class: "total", role: "status" });
  const chipList = make("ul", { class: "chips", "aria-label": say("Filters") });
  const nobody = make("div", { hidden: true });
  const end = make("div", { "aria-hidden": "true" });
  const place = make("div", { class: "grid scroll", tabindex: "0", role: "region", "aria-label": say("Table of people") }, make("table", {}, make("thead", {}, head), body), end);
  const bulk = make("div", { class: "bulk", role: "region", "aria-label": say("Chosen people"), hidden: true });

  const views = savedViews(address, signal);

  function markChosen() {
    if (!mayAct) return;
    for (const row of body.children) {
      const isChosen = isEverybody || chosen.has(row.dataset.id);
      row.classList.toggle("chosen", isChosen);
      row.querySelector("input").checked = isChosen;
    }
    const count = isEverybody ? listing.total : chosen.size;
    const every = head.querySelector("input");
    every.checked = body.children.length > 0 && (isEverybody || [...body.children].every((row) => chosen.has(row.dataset.id)));
    every.indeterminate = !every.checked && count > 0;
    bulk.hidden = !count;
    if (!count) return;
    const target = { count, columns, changesRoles, people: async (dropped, tell) => (isEverybody
      ? (await new Listing(state, ["id"], columns).all(dropped, tell)).map((one) => one.id) : [...chosen.keys()]) };
    bulk.replaceChildren(make("p", { role: "status" }, counted("{n} chosen", "{n} chosen", count)),
      !isEverybody && listing.total > count && every.checked ? button(say("Choose all {n}", { n: listing.total }), () => {
        isEverybody = true;
        markChosen();
      }) : "", ...actions(target, () => {
        choose([], false);
        load();
      }), button(say("Choose nobody"), () => choose([], false)));
  }

  function choose(rows, isChosen) {
    if (!rows.length) chosen.clear();
    // Of everybody, those whose rows are here stay.
    else if (isEverybody) for (const row of body.children) chosen.set(row.dataset.id, true);
    isEverybody = false;
    for (const row of rows) {
      if (isChosen) chosen.set(row.dataset.id, true); else chosen.delete(row.dataset.id);
    }
    markChosen();
  }

  let last = null;
  function checkbox(user) {
    const input = make("input", { type: "checkbox", "aria-label": say("Choose {name}", { name: directory.label(user) }) });
    input.addEventListener("click", (event) => {
      const rows = [...body.children];
      const [from, here] = [rows.indexOf(last), rows.indexOf(input.closest("tr"))];
      choose(event.shiftKey && from >= 0 ? rows.slice(Math.min(from, here), Math.max(from, here) + 1) : [rows[here]], input.checked);
      last = rows[here];
    });
    return make("td", { class: "check" }, input);
  }

  const row = (user) => make("tr", { "data-id": user.id }, mayAct ? checkbox(user) : null, ...shown().map((one, index) => {
    const value = one.value(user);
    return make(index ? "td" : "th", { ...(index ? {} : { scope: "row" }), title: value.length > 30 ? value : null }, one.node?.(user) ?? value);
  }));

  function fillHead() {
    const every = make("input", { type: "checkbox", "aria-label": say("Choose all people that are shown") });
    every.addEventListener("click", () => choose([...body.children], every.checked));
    head.replaceChildren(...(mayAct ? [make("td", { class: "check" }, every)] : []), ...shown().map((one) => {
      const isSorted = state.sort === one.name || (!state.sort && !state.words && one.name === "name");
      const arrow = isSorted ? (state.isDescending ? " ↓" : " ↑") : "";
      return make("th", { scope: "col", "aria-sort": isSorted ? (state.isDescending ? "descending" : "ascending") : null }, one.sort ? button(one.title + arrow, () => {
        Object.assign(state, { isDescending: isSorted && !state.isDescending, sort: one.name });
        change(`thead th:nth-child(${shown().indexOf(one) + 1 + (mayAct ? 1 : 0)}) button`);
      }) : one.title);
    }));
  }

  /** Asks for the next rows, if there are more. */
  let isLoading = false;
  let isFresh = true;
  async function more() {
    if (isLoading || !listing.hasMore) return;
    isLoading = true;
    const current = listing;
    const isDone = await guarded(async () => {
      const found = await listing.more(100, asking.signal);
      if (current !== listing) return;
      // The rows before stay until others take their place.
      if (isFresh) {
        body.replaceChildren();
        place.scrollTop = 0;
      }
      isFresh = false;
      body.append(...found.map(row));
      total.textContent = state.words && listing.total >= mostMatches ? say("The best {n} people", { n: mostMatches }) : counted("{n} person", "{n} people", listing.total);
      markChosen();
    });
    if (current === listing) {
      isLoading = false;
      markLoading(false);
      // What failed is asked for again when somebody scrolls.
      if (isDone) fill();
    }
  }

  /** Asks for rows until there is a window full of them below the one that is seen. */
  const fill = () => {
    if (place.isConnected && listing.hasMore && place.scrollHeight - place.scrollTop - place.clientHeight < 2 * place.clientHeight) more();
  };
  place.addEventListener("scroll", fill, { passive: true });

  /** Shows the people of the state from the first one on. */
  async function load() {
    asking.abort();
    asking = new AbortController();
    signal.addEventListener("abort", () => asking.abort(), { once: true });
    isLoading = false;
    listing = new Listing(state, reads(shown()), columns);
    fillHead();
    markLoading(true);
    chipList.replaceChildren(...await chips(state.filters, columns, (one) => {
      state.filters = state.filters.filter((other) => other !== one);
      change();
    }, asking.signal));
    chipList.hidden = !state.filters.length;
    isFresh = true;
    await more();
    const isEmpty = !body.children.length && listing.total === 0;
    place.hidden = isEmpty;
    nobody.hidden = !isEmpty;
    nobody.replaceChildren(empty(say("Nobody was found."), state.filters.length || state.words ? button(say("Show everybody"), () => {
      Object.assign(state, { filters: [], words: "" });
      search.value = "";
      change();
    }) : ""));
  }

  /** Takes a new state over, and writes it into the address. The focus stays, or goes to what a selector names. */
  async function change(focused = null, isNew = true) {
    write(address(), isNew);
    views.mark();
    choose([], false);
    await guarded(load);
    if (focused) place.querySelector(focused)?.focus();
  }

  const search = make("input", { type: "search", id: "people-words", "aria-label": say("Words of a name, title, department or mail"), placeholder: say("Words …"), autocomplete: "off", spellcheck: "false" });
  search.value = state.words;
  let timer = null;
  search.addEventListener("input", () => {
    clearTimeout(timer);
    timer = setTimeout(() => {
      const wasEmpty = !state.words;
      state.words = search.value.trim();
      change(null, wasEmpty);
    }, 150);
  });

  const tools = make("div", { class: "tools" }, search,
    button(say("Add a filter"), () => askFilter(columns, (expression) => {
      if (!state.filters.includes(expression)) state.filters.push(expression);
      change();
    })),
    button(say("Columns"), () => chooseColumns(columns, state.shown, (names) => {
      state.shown = names;
      change();
    })),
    button(say("Export CSV"), () => guarded(async () => {
      toast(say("The file is being made."));
      const people = await new Listing(state, reads(shown()), columns).all(signal, (known, all) => toast(say("{n} of {all} people are read.", { n: known, all })));
      const link = make("a", { href: URL.createObjectURL(csv(shown(), people)), download: "people.csv" });
      link.click();
      setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
      toast(counted("{n} person is in the file.", "{n} people are in the file.", people.length));
    })));
  return {
    parts: [make("div", { class: "top" }, heading(say("People")), directory.may("administrator", "people-editor") ? make("a", { class: "main", href: "#new/person" }, say("New person")) : null),
      views.node, tools, chipList, total, place, nobody, bulk],
    async done() {
      await Promise.all([guarded(load), guarded(views.load)]);
    },
  };
}
