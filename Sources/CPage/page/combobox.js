// A field with a list below it, of which the arrow keys select and Enter chooses. The focus stays in the field.

import { make } from "./dom.js";

/**
 * @param input the field, whose list is `list`
 * @param choose takes what belongs to the chosen option
 * @returns `show(found)`, which fills the list, and `close()`. Each of `found` has a `name`, may have `more` to say, and is what
 *   `choose` gets.
 */
export function combobox(input, list, choose) {
  let found = [];
  let selected = -1;
  for (const [name, value] of [["role", "combobox"], ["aria-expanded", "false"], ["aria-controls", list.id], ["aria-autocomplete", "list"],
    ["autocomplete", "off"], ["spellcheck", "false"]]) input.setAttribute(name, value);
  const select = (index) => {
    selected = index;
    [...list.children].forEach((option, place) => option.setAttribute("aria-selected", String(place === index)));
    if (index < 0) return input.removeAttribute("aria-activedescendant");
    input.setAttribute("aria-activedescendant", list.children[index].id);
    list.children[index].scrollIntoView({ block: "nearest" });
  };
  const show = (all, first = -1) => {
    found = all;
    list.replaceChildren(...found.map((one, index) => {
      const option = make("li", { id: `${list.id}-${index}`, role: "option", "aria-selected": "false" }, one.name, one.more ? make("small", {}, one.more) : null);
      option.addEventListener("click", () => choose(found[index]));
      return option;
    }));
    list.hidden = !found.length;
    input.setAttribute("aria-expanded", String(found.length > 0));
    select(found.length ? first : -1);
  };
  const close = () => show([]);
  input.addEventListener("keydown", (event) => {
    // Enter and the arrows belong to the input method while it composes a word.
    if (event.isComposing || list.hidden || !["ArrowDown", "ArrowUp", "Enter", "Escape"].includes(event.key)) return;
    event.preventDefault();
    const count = found.length;
    if (event.key === "Escape") close();
    else if (event.key === "Enter") choose(found[Math.max(selected, 0)]);
    else select(event.key === "ArrowDown" ? (selected + 1) % count : (Math.max(selected, 0) + count - 1) % count);
  });
  // The focus stays in the field while the list is used with a pointer.
  list.addEventListener("mousedown", (event) => event.preventDefault());
  return { show, close };
}
