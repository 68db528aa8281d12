// The saved views of the table of people: states of its address with a name, which administrators save for everybody.

import * as directory from "./directory.js";
import { button, field, form, make } from "./dom.js";
import { dialog, guarded, toast } from "./frame.js";
import { say } from "./texts.js";

/** @typedef {{name: string, state: string}} SavedView */

const state = (/** @type {string} */ address) => address.split(/\?(.*)/s)[1] ?? "";
const address = (/** @type {SavedView} */ view) => `#people${view.state ? `?${view.state}` : ""}`;
const path = (/** @type {string} */ name) => `views/${encodeURIComponent(name)}`;

/**
 * The links to the saved views, and for administrators what saves and changes them.
 * @param {() => string} present the address of the table as it is shown
 * @param {AbortSignal} signal
 */
export function savedViews(present, signal) {
  const list = make("ul", {});
  const tools = make("span", { class: "view-tools" });
  const node = make("nav", { class: "views", "aria-label": say("Saved views"), hidden: true }, list, tools);
  /** @type {SavedView[]} */
  let views = [];
  const administers = directory.may("administrator");
  const current = () => views.find((view) => view.state === state(present()));

  /** Marks the view that the table shows, and offers what can be done with it. */
  function mark() {
    const shown = state(present()) ? current() : undefined;
    for (const link of list.querySelectorAll("a")) {
      const isShown = shown ? link.textContent === shown.name : !state(present()) && !("saved" in link.dataset);
      if (isShown) link.setAttribute("aria-current", "page");
      else link.removeAttribute("aria-current");
    }
    tools.replaceChildren(...(administers ? shown
      ? [button(say("Rename the view"), () => askName(shown)), button(say("Delete the view"), () => guarded(() => remove(shown)))]
      : state(present()) ? [button(say("Save as a view"), () => askName(null))] : [] : []));
    node.hidden = !views.length && !tools.children.length;
  }

  async function load() {
    ({ views } = await directory.views(signal));
    const links = views.map((view) => make("li", {}, make("a", { href: address(view), "data-saved": true }, view.name)));
    list.replaceChildren(...(views.length ? [make("li", {}, make("a", { href: "#people" }, say("Everybody"))), ...links] : []));
    list.hidden = !views.length;
    mark();
  }

  /** @param {SavedView} view @param {string | null} former */
  async function save(view, former = null) {
    await directory.admin(path(view.name), "PUT", { state: view.state, ...(former && former !== view.name ? { former } : {}) });
    await load();
  }
  /** @param {SavedView} view */
  async function remove(view) {
    await directory.admin(path(view.name), "DELETE");
    await load();
    toast(say("The view {name} is deleted.", { name: view.name }), () => guarded(() => save(view)));
  }

  /** Asks for a name: of a new view, or another one. @param {SavedView | null} view */
  function askName(view) {
    const name = field("view-name", say("Name of the view"), { autocomplete: "off", required: true, maxlength: 100 }, say("Everybody who may read people sees it above the table."));
    name.input.value = view?.name ?? "";
    const wanted = view?.state ?? state(present());
    const box = dialog(view ? say("Rename the view") : say("Save as a view"), form({ id: "view-form" }, say("Save"), (tell) => guarded(async () => {
      const text = name.input.value.trim();
      if (text !== view?.name && views.some((one) => one.name === text)) return tell(say("There is a view of that name. Choose another one."));
      await save({ name: text, state: wanted }, view?.name);
      box.close();
      toast(say("The view {name} is saved.", { name: text }));
    }, (error) => tell(error.message)), name.row));
    box.querySelector("form .actions").prepend(button(say("Cancel"), () => box.close()));
    name.input.focus();
  }
  return { node, load, mark };
}
