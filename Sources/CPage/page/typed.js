// Typed forms of settings: each field says its default and its effect, and what is wrong beside it. The same settings are there as JSON.

import { form, make, mistakeLine } from "./dom.js";
import { number, say } from "./texts.js";

/**
 * A setting. `name` is its place in the object, with dots between. `standard` is the value that applies where the object has none.
 * @typedef {{name: string, label: string, kind: "text" | "url" | "lines" | "number" | "choice" | "flag" | "ticks" | "secret" | "json",
 *   effect?: string, standard?: any, shownStandard?: string, options?: [any, string][], min?: number, max?: number, required?: boolean,
 *   joined?: boolean, more?: boolean, fixed?: string | null, placeholder?: string}} Field
 */
/** @typedef {{field: Field, row: HTMLElement, input: any, read: () => any, show: (value: any) => void, check: () => string | null, tell: (text: string | null) => void}} Control */

/** @param {any} object @param {string} path */
const part = (object, path) => path.split(".").reduce((value, name) => value?.[name], object);
/**
 * Puts a value at a path, or takes the member away for `undefined`. An object that becomes empty is taken away, too.
 * @param {any} object
 * @param {string[]} path
 * @param {any} value
 */
function put(object, [name, ...rest], value) {
  if (!rest.length) {
    if (value === undefined) delete object[name];
    else object[name] = value;
    return;
  }
  object[name] ??= {};
  put(object[name], rest, value);
  if (!Object.keys(object[name]).length) delete object[name];
}

const lines = (/** @type {string} */ text) => text.split("\n").map((one) => one.trim()).filter(Boolean);
/** @param {string} text an address of the web, or of an app of its own */
const addressMistake = (text) => (/^[a-z][a-z\d+.-]*:\S+$/i.test(text) ? null : say("'{text}' is no address. Write one such as https://app.example.com/callback.", { text }));

/** @param {Field} field */
function standardText({ kind, standard, shownStandard, options }) {
  if (shownStandard !== undefined) return shownStandard;
  if (standard === undefined) return null;
  if (kind === "flag") return standard ? say("on") : say("off");
  if (kind === "choice") return options?.find(([value]) => value === standard)?.[1] ?? null;
  if (Array.isArray(standard)) return standard.length ? standard.join(", ") : say("none");
  return typeof standard === "number" ? number(standard) : String(standard);
}

/** The parts of a control, by the kind of its field. */
const kinds = {
  /** @param {Field} field @param {string} id */
  text({ placeholder, required, kind }, id) {
    const input = make("input", { id, autocomplete: "off", spellcheck: "false", placeholder, type: kind === "secret" ? "password" : null, required });
    return {
      input, read: () => input.value.trim() || undefined, show: (/** @type {any} */ value) => { input.value = value ?? ""; },
      mistake: () => (kind === "url" && input.value.trim() ? addressMistake(input.value.trim()) : null),
    };
  },
  /** @param {Field} field @param {string} id */
  lines({ placeholder }, id) {
    const input = make("textarea", { id, rows: 2, spellcheck: "false", placeholder });
    return {
      input, read: () => (lines(input.value).length ? lines(input.value) : undefined),
      show: (/** @type {any} */ value) => { input.value = (value ?? []).join("\n"); },
      mistake: () => (placeholder?.includes(":") ? lines(input.value).map(addressMistake).find(Boolean) ?? null : null),
    };
  },
  /** @param {Field} field @param {string} id */
  number({ min = 0, max = Number.MAX_SAFE_INTEGER, standard }, id) {
    const input = make("input", { id, autocomplete: "off", inputmode: "numeric", placeholder: standard });
    return {
      input, read: () => (input.value.trim() ? Number(input.value) : undefined), show: (/** @type {any} */ value) => { input.value = value ?? ""; },
      mistake() {
        const text = input.value.trim();
        if (!text) return null;
        return /^\d+$/.test(text) && Number(text) >= min && Number(text) <= max ? null : say("Write a whole number from {min} to {max}.", { min, max });
      },
    };
  },
  /** @param {Field} field @param {string} id */
  choice({ options = [], standard }, id) {
    const input = make("select", { id }, ...options.map(([, text], index) => make("option", { value: index }, text)));
    return {
      input, read: () => options[input.value]?.[0],
      show(/** @type {any} */ value) { input.value = Math.max(0, options.findIndex(([one]) => one === (value ?? standard))); },
    };
  },
  /** @param {Field} field @param {string} id */
  flag({ standard }, id) {
    const input = make("input", { id, type: "checkbox" });
    return { input, read: () => input.checked, show: (/** @type {any} */ value) => { input.checked = value ?? standard ?? false; } };
  },
  /** @param {Field} field @param {string} id */
  ticks({ options = [], standard, joined }, id) {
    const boxes = options.map(([value, text], index) => {
      const input = make("input", { id: `${id}-${index}`, type: "checkbox", value });
      return { input, node: make("span", { class: "tick" }, input, make("label", { for: `${id}-${index}` }, text)) };
    });
    /** @type {string[]} */
    let others = [];
    const read = () => [...boxes.filter(({ input }) => input.checked).map(({ input }) => input.value), ...others];
    return {
      node: make("div", { class: "ticks", id }, ...boxes.map(({ node }) => node)), input: boxes[0].input,
      read: () => (joined ? read().join(" ") : read()),
      show(/** @type {any} */ value) {
        const all = typeof value === "string" ? value.split(" ").filter(Boolean) : value ?? standard ?? [];
        others = all.filter((/** @type {string} */ one) => !options.some(([known]) => known === one));
        for (const { input } of boxes) input.checked = all.includes(input.value);
      },
    };
  },
  /** @param {Field} field @param {string} id */
  json(field, id) {
    const input = make("textarea", { id, rows: 4, spellcheck: "false" });
    return {
      input,
      read: () => (input.value.trim() ? JSON.parse(input.value) : undefined),
      show: (/** @type {any} */ value) => { input.value = value === undefined ? "" : JSON.stringify(value, null, 2); },
      mistake() {
        try {
          if (input.value.trim()) JSON.parse(input.value);
          return null;
        } catch {
          return say("That is no JSON: check its quotes and commas.");
        }
      },
    };
  },
};

/** @param {string} id @param {Field} field @returns {Control} */
function control(id, field) {
  const kind = field.kind === "url" || field.kind === "secret" ? "text" : field.kind;
  const made = /** @type {any} */ (kinds[kind])(field, id);
  const standard = standardText(field);
  const hint = make("small", { class: "soft", id: `${id}-hint` }, [field.effect, standard ? say("Default: {standard}.", { standard }) : null, field.fixed].filter(Boolean).join(" "));
  const { node: mistake, tell, checkOnLeaving } = mistakeLine(`${id}-mistake`, () => made.input);
  const label = make("label", { for: id }, field.label);
  const row = kind === "ticks" ? make("fieldset", { class: "row" }, make("legend", {}, field.label), made.node, hint, mistake)
    : kind === "flag" ? make("div", { class: "row" }, make("span", { class: "tick" }, made.input, label), hint, mistake)
      : make("div", { class: "row" }, label, made.input, hint, mistake);
  if (kind !== "ticks") made.input.setAttribute("aria-describedby", `${hint.id} ${mistake.id}`);
  for (const input of row.querySelectorAll("input, select, textarea")) input.disabled = Boolean(field.fixed);
  const check = () => {
    const text = made.mistake?.() ?? (field.required && made.read() === undefined ? say("This is needed.") : null);
    tell(text);
    return text;
  };
  checkOnLeaving(row, check);
  return { field, row, input: made.input, read: made.read, show: made.show, check, tell };
}

/** What makes a value of JSON comparable. */
export const same = (/** @type {any} */ one, /** @type {any} */ other) => JSON.stringify(one ?? null) === JSON.stringify(other ?? null);

/**
 * A form of settings.
 * @param {{id: string, fields: Field[], value: any, submit: string, save: (value: any, tell: (text: string) => false) => Promise<any>,
 *   guarded: Function, before?: any[], after?: any[], advanced?: boolean, actions?: any[]}} of `value` is what is stored; its members that
 *   no field has stay. `save` gets the object to store.
 */
export function typedForm({ id, fields, value, submit, save, guarded, before = [], after = [], advanced = true, actions = [] }) {
  let base = structuredClone(value);
  const controls = fields.map((field) => control(`${id}-${field.name.replaceAll(".", "-")}`, field));
  const show = () => { for (const one of controls) one.show(part(base, one.field.name)); };
  show();
  const read = () => {
    const all = structuredClone(base);
    for (const { field, read } of controls) {
      if (field.fixed) continue;
      const typed = read();
      // What has its standard value and was not stored stays out.
      const isLeftOut = typed === undefined || (part(base, field.name) === undefined && same(typed, field.standard));
      put(all, field.name.split("."), isLeftOut ? undefined : typed);
    }
    return all;
  };
  const first = () => {
    const wrong = controls.filter((one) => one.check());
    if (!wrong.length) return true;
    const folded = wrong[0].input.closest("details");
    if (folded) folded.open = true;
    wrong[0].input.focus();
    return false;
  };
  /** Tells what the server refuses beside the field that it names, or below the form. */
  const refuse = (/** @type {Error} */ error, /** @type {(text: string) => false} */ tell) => {
    const named = controls.filter(({ field }) => {
      const names = [field.name, field.name.split(".").at(-1)];
      return names.some((name) => new RegExp(`(^|[^\\w])${name}(?![\\w])`).test(error.message));
    }).sort((one, other) => other.field.name.length - one.field.name.length)[0];
    if (!named) return tell(error.message);
    named.tell(error.message);
    const folded = named.input.closest("details");
    if (folded) folded.open = true;
    named.input.focus();
    return tell(say("Nothing was saved. See what is marked above."));
  };

  const text = make("textarea", { id: `${id}-json`, rows: 12, spellcheck: "false", "aria-describedby": `${id}-json-mistake` });
  const wrong = mistakeLine(`${id}-json-mistake`, () => text);
  const details = make("details", {}, make("summary", {}, say("Advanced: as JSON")),
    make("div", { class: "row" }, make("label", { for: text.id }, say("The same settings as JSON")), text, wrong.node));
  let isTyped = false;
  text.addEventListener("input", () => { isTyped = true; });
  /** Takes typed JSON over into the fields. Whether it is sound. */
  const takeText = () => {
    if (!isTyped) return true;
    let typed = null;
    try {
      typed = JSON.parse(text.value);
    } catch { /* It is told below. */ }
    const isObject = typed !== null && typeof typed === "object" && !Array.isArray(typed);
    wrong.tell(isObject ? null : say("That is no JSON object: check its quotes and commas."));
    if (!isObject) return false;
    isTyped = false;
    base = typed;
    show();
    return true;
  };
  const fill = () => {
    try {
      text.value = JSON.stringify(read(), null, 2);
      wrong.tell(null);
    } catch { /* A field has no JSON, and says so. */ }
  };
  details.addEventListener("toggle", () => { if (details.open && !isTyped) fill(); });
  wrong.checkOnLeaving(text, () => { if (isTyped && takeText()) for (const one of controls) one.check(); });

  const usual = controls.filter(({ field }) => !field.more);
  const more = controls.filter(({ field }) => field.more);
  const work = (/** @type {(text: string) => false} */ tell) => {
    if (!takeText()) {
      text.focus();
      return false;
    }
    if (!first()) return tell(say("Nothing was saved. See what is marked above."));
    return guarded(() => save(read(), tell), (/** @type {Error} */ error) => refuse(error, tell));
  };
  const node = form({ class: "fields typed", id, novalidate: true }, submit, work, ...before, ...usual.map(({ row }) => row),
    more.length ? make("details", {}, make("summary", {}, say("More settings")), ...more.map(({ row }) => row)) : null, ...after, advanced ? details : null);
  node.addEventListener("input", (/** @type {Event} */ event) => { if (event.target !== text && details.open) fill(); });
  node.querySelector(".actions")?.append(...actions);
  return { node, read, check: first, controls, refuse, show(/** @type {any} */ other) {
    base = structuredClone(other);
    show();
  } };
}
