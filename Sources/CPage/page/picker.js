// A field that finds a person or a role by what one types: a combobox whose list is what the server found.

import { combobox } from "./combobox.js";
import * as directory from "./directory.js";
import { make } from "./dom.js";
import { say } from "./texts.js";

/**
 * @param kind `user` or `group`
 * @param value the identifier that is chosen at first
 * @returns `node` for the page, which gets the event "pick" when somebody chooses, `field` that one types into, `isTouched`, whether somebody
 *   has typed or chosen, `set(value)`, which shows another identifier, and `resolve()`, which gives the identifier that the field means, or
 *   null for an empty field, and refuses a text that is nobody's name
 */
export function picker(id, kind, value) {
  const input = make("input", { id });
  const list = make("ul", { id: `${id}-list`, role: "listbox", "aria-label": say("Found"), hidden: true });
  const node = make("div", { class: "picker" }, input, list);
  const picked = { node, field: input, value: "", isTouched: false };
  let asking = null;
  const { show, close } = combobox(input, list, (one) => {
    picked.value = one.id;
    picked.isTouched = true;
    input.value = one.name;
    close();
    node.dispatchEvent(new Event("pick"));
  });
  picked.set = (id) => {
    picked.value = id ?? "";
    picked.isTouched = false;
    if (!id) {
      input.value = "";
      return;
    }
    (kind === "user" ? directory.person(id) : directory.group(id)).then((one) => {
      if (picked.value === id) input.value = kind === "user" ? directory.label(one) : one.name;
    }, () => { input.value = id; });
  };
  picked.set(value);
  const find = async (text, signal) => (kind === "user"
    ? (await new directory.PeopleSearch(text).more(signal, 8)).map((one) => ({ id: one.id, name: directory.label(one), more: one.userName }))
    : (await directory.searchRoles(text, signal)).map((one) => ({ id: one.id, name: one.name, more: "" })));
  picked.resolve = async () => {
    if (!picked.isTouched) return picked.value || null;
    const text = input.value.trim();
    if (!text) return null;
    if (picked.value) return picked.value;
    const isName = (name) => name.toLowerCase() === text.toLowerCase();
    const named = (await find(text)).filter((one) => isName(one.name) || isName(one.more));
    if (named.length !== 1) {
      throw new directory.Refusal(400, named.length ? say("Several are named '{text}': choose one of them from the list.", { text })
        : kind === "user" ? say("'{text}' is no name of a person: choose from the list, or clear the field.", { text })
          : say("'{text}' is no name of a role: choose from the list, or clear the field.", { text }));
    }
    picked.value = named[0].id;
    return picked.value;
  };
  const ask = async () => {
    asking?.abort();
    picked.value = "";
    const text = input.value.trim();
    if (!text) return close();
    asking = new AbortController();
    try {
      show(await find(text, asking.signal));
    } catch (error) {
      if (error.name !== "AbortError") close();
    }
  };
  let timer = null;
  input.addEventListener("input", () => {
    picked.value = "";
    picked.isTouched = true;
    clearTimeout(timer);
    timer = setTimeout(ask, 120);
  });
  input.addEventListener("blur", close);
  return picked;
}
