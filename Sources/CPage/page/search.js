// Search as you type: a combobox whose list is what the server found.

import * as directory from "./directory.js";
import { at } from "./dom.js";
import { counted, say } from "./texts.js";

const query = at("query");
const results = at("results");
const pause = 80;

let open = (_kind, _id) => {};
let guarded = async (_work) => {};
let asking = null;
let timer = null;
/** The text that the results are for; what is typed may be ahead of them. */
let sought = "";
let selected = -1;
/** The search whose results are shown. */
let people = null;

/**
 * @param actions `open(kind, id)` shows a person or a role; `guarded(work)` does something that asks the server
 */
export function begin(actions) {
  ({ open, guarded } = actions);
}

export function close() {
  asking?.abort();
  clearTimeout(timer);
  timer = null;
  sought = "";
  select(-1);
  results.replaceChildren();
  at("panel").hidden = true;
  at("count").textContent = "";
  query.setAttribute("aria-expanded", "false");
}

export function clear() {
  close();
  query.value = "";
}

function select(index) {
  const options = [...results.children];
  selected = options.length && index >= 0 ? index % options.length : -1;
  options.forEach((option, position) => option.setAttribute("aria-selected", String(position === selected)));
  if (selected < 0) return query.removeAttribute("aria-activedescendant");
  query.setAttribute("aria-activedescendant", options[selected].id);
  options[selected].scrollIntoView({ block: "nearest" });
}

function choose(option) {
  if (!option) return;
  clear();
  open(option.dataset.kind, option.dataset.user);
}

function add(kind, id, name, details) {
  const option = document.createElement("li");
  const more = document.createElement("small");
  more.textContent = details.filter(Boolean).join(" · ");
  option.append(name, more);
  option.id = `option-${results.children.length}`;
  option.setAttribute("role", "option");
  option.setAttribute("aria-selected", "false");
  option.dataset.kind = kind;
  option.dataset.user = id;
  option.addEventListener("click", () => choose(option));
  results.append(option);
}

async function ask(isMore) {
  asking?.abort();
  clearTimeout(timer);
  timer = null;
  const text = isMore ? sought : query.value.trim();
  if (!text) return close();
  const control = new AbortController();
  asking = control;
  await guarded(async () => {
    const asked = isMore ? people : new directory.PeopleSearch(text);
    const [users, roles] = await Promise.all([
      asked.more(control.signal),
      !isMore && [...text].length >= 3 ? directory.searchRoles(text, control.signal) : [],
    ]);
    if (!isMore) {
      select(-1);
      results.replaceChildren();
      at("panel").scrollTop = 0;
    }
    sought = text;
    people = asked;
    for (const role of roles) add("group", role.id, role.name, [say("Role")]);
    for (const user of users) add("user", user.id, directory.label(user), [user.title, user.userName]);
    const shown = results.querySelectorAll("[data-kind=user]").length;
    const isFocused = document.activeElement === at("more");
    at("more").hidden = !asked.hasMore;
    if (isFocused && at("more").hidden) query.focus();
    at("nobody").hidden = results.children.length > 0;
    at("panel").hidden = false;
    query.setAttribute("aria-expanded", String(results.children.length > 0));
    at("count").textContent = shown === 0 ? say("Nobody was found") : asked.hasMore && shown > 1
      ? say("The best {n} of the people found", { n: shown }) : counted("{n} person found", "{n} people found", shown);
  });
}

query.addEventListener("input", () => {
  asking?.abort();
  clearTimeout(timer);
  timer = setTimeout(() => ask(false), pause);
});
query.addEventListener("keydown", async (event) => {
  // Enter and the arrows belong to the input method while it composes a word.
  if (event.isComposing) return;
  if (!["ArrowDown", "ArrowUp", "Enter", "Escape"].includes(event.key)) return;
  event.preventDefault();
  if (event.key === "Escape") return at("panel").hidden ? clear() : close();
  const text = query.value.trim();
  if (text !== sought) {
    await ask(false);
    if (text !== sought) return;
  }
  const count = results.children.length;
  if (event.key === "ArrowDown") select(selected + 1);
  else if (event.key === "ArrowUp") select(selected < 1 ? count - 1 : selected - 1);
  else choose(results.children[Math.max(selected, 0)]);
});
// The focus stays in the field while the list is used with a pointer.
results.addEventListener("mousedown", (event) => event.preventDefault());
at("more").addEventListener("click", () => ask(true));
at("more").addEventListener("keydown", (event) => {
  if (event.key !== "Escape") return;
  query.focus();
  close();
});
at("search").addEventListener("focusout", (event) => {
  if (event.relatedTarget && !at("search").contains(event.relatedTarget)) close();
});
document.addEventListener("click", (event) => {
  if (!at("search").contains(/** @type {Node} */ (event.target))) close();
});
