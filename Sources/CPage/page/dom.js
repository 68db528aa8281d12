// Makes the elements of the page. What comes from the directory becomes text, never markup.

import { locale, say, within } from "./texts.js";

/**
 * An element of the page by its identifier.
 * @param {string} id
 * @returns {any}
 */
export const at = (id) => document.getElementById(id);

/** An element. Attributes that are null, undefined or false are left out; children that are null are, too. */
export function make(name, attributes = {}, ...children) {
  const node = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (value !== null && value !== undefined && value !== false) node.setAttribute(key, value === true ? "" : value);
  }
  node.append(...children.flat().filter((child) => child !== null && child !== undefined));
  return node;
}

export function button(text, action, attributes = {}) {
  const node = make("button", { type: "button", ...attributes }, text);
  node.addEventListener("click", action);
  return node;
}

/** A field with its label, as a row of a form. */
export function field(id, label, attributes = {}, hint = null) {
  const input = make("input", { id, name: id, ...attributes, ...(hint ? { "aria-describedby": `${id}-hint` } : {}) });
  const row = make("div", { class: "row" }, make("label", { for: id }, label), input,
    hint ? make("small", { id: `${id}-hint`, class: "soft" }, hint) : null);
  return { row, input };
}

/**
 * A form that does `work` when it is sent, one time after the other. `work` gets what tells people how it went, and gives false where
 * nothing was saved. `isChanged` of the node says whether something was typed and not saved.
 */
export function form(attributes, submit, work, ...children) {
  const result = make("p", { class: "result", role: "status" });
  const send = make("button", { type: "submit" }, submit);
  const node = make("form", attributes, ...children, make("p", { class: "actions" }, send), result);
  node.isChanged = false;
  node.addEventListener("input", () => { node.isChanged = true; });
  node.addEventListener("submit", async (event) => {
    event.preventDefault();
    send.disabled = true;
    result.textContent = "";
    const wasChanged = node.isChanged;
    // What is being saved is not lost when the view is shown again.
    node.isChanged = false;
    let isSaved = false;
    try {
      isSaved = await work((message) => {
        result.textContent = message;
        return false;
      }) !== false;
    } finally {
      node.isChanged ||= !isSaved && wasChanged;
      send.disabled = false;
    }
  });
  return node;
}

/**
 * Made when the language is known.
 * @type {Intl.DateTimeFormat | undefined}
 */
let moments;
/** A time in the reader's language and zone, which it names. */
export const moment = (text) => {
  moments ??= new Intl.DateTimeFormat(locale, {
    year: "numeric", month: "short", day: "numeric", hour: "numeric", minute: "2-digit", second: "2-digit", timeZoneName: "short" });
  return text ? moments.format(new Date(text)) : "";
};
/** How often a sign-in was repeated, and when last. */
export const repeated = (one) => (one.count > 1 ? `, ${say("{n} times, last {time}", { n: one.count, time: moment(one.last_time) })}` : "");

/** What a mail address, a telephone or an address is for, in words. */
export const kindOf = (type) => ({ work: say("kind|work"), home: say("kind|home"), mobile: say("kind|mobile"), fax: say("kind|fax"), pager: say("kind|pager"), other: say("kind|other") })[type] ?? type;

/** A section of a view, with a heading that names it. */
export function section(id, title, ...children) {
  return make("section", { "aria-labelledby": id }, make("h2", { id }, title), ...children);
}

/** A box to tick, with its label, as a row of a form. */
export function tick(id, label, hint = null) {
  const input = make("input", { id, type: "checkbox", ...(hint ? { "aria-describedby": `${id}-hint` } : {}) });
  return { input, row: make("div", { class: "row" }, make("span", { class: "tick" }, input, make("label", { for: id }, label)),
    hint ? make("small", { id: `${id}-hint`, class: "soft" }, hint) : null) };
}

/** A list to choose from, with its label, as a row of a form. */
export function choice(id, label, options) {
  const input = make("select", { id }, ...options.map(([value, text]) => make("option", { value }, text)));
  return { input, row: make("div", { class: "row" }, make("label", { for: id }, label), input) };
}

/**
 * The line below a field that says what is wrong with it.
 * @param {string} id @param {() => HTMLElement | null} input what is marked as wrong
 */
export function mistakeLine(id, input) {
  const node = make("small", { class: "mistake", id, hidden: true });
  let isToldOfValue = false;
  return {
    node,
    tell(text) {
      node.textContent = text ?? "";
      node.hidden = !text;
      isToldOfValue = Boolean(text);
      if (text) input()?.setAttribute("aria-invalid", "true");
      else input()?.removeAttribute("aria-invalid");
    },
    /**
     * Checks a field when the user leaves it, not at each letter. Pressing a button does not check, because a new line would move the
     * button away; the button's action checks by itself. A mistake that was told of a value stays until the user types another one.
     */
    checkOnLeaving(row, check) {
      for (const kind of ["input", "change"]) row.addEventListener(kind, () => { isToldOfValue = false; });
      row.addEventListener("focusout", ({ target, relatedTarget }) => {
        if (relatedTarget instanceof HTMLButtonElement) return;
        setTimeout(() => { if (!isToldOfValue && document.activeElement !== target) check(); }, 200);
      });
    },
  };
}

/** A button that asks once more before it does what cannot be undone. */
export function twice(text, work, guarded, label) {
  const node = button(text, () => {
    if (node.dataset.sure) return guarded(work);
    node.dataset.sure = "1";
    node.textContent = say("Really {what}?", { what: within(text) });
  }, { "aria-label": label ?? text });
  node.addEventListener("blur", () => {
    delete node.dataset.sure;
    node.textContent = text;
  });
  return node;
}

/** The value of a text in JSON. Tells what is wrong, and returns null, for any other text. */
export function json(text, tell) {
  try {
    return JSON.parse(text);
  } catch {
    tell(say("That is no JSON: check its quotes and commas."));
    return null;
  }
}

/** Shows the view again, with what the server has now. */
export const refresh = () => dispatchEvent(new HashChangeEvent("hashchange"));
