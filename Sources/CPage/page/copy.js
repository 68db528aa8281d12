// A button that copies a text.

import { button } from "./dom.js";
import { toast } from "./frame.js";
import { say } from "./texts.js";

/** @param {string} text @param {HTMLElement} near where a field may stand for a moment */
async function copy(text, near) {
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    // Without TLS the browser has no clipboard for pages, and copies what is selected.
    const field = document.createElement("textarea");
    field.value = text;
    field.setAttribute("aria-hidden", "true");
    near.append(field);
    field.select();
    const isDone = document.execCommand("copy");
    field.remove();
    near.focus();
    if (!isDone) return toast(say("The browser does not let pages copy. Select the text instead."));
  }
  toast(say("Copied."));
}

/** @param {string} text @param {string} what its name in the reader's language, such as "user name" */
export function copyButton(text, what) {
  const node = button(say("Copy"), () => copy(text, node), { class: "copy", "aria-label": say("Copy the {what}", { what }), title: say("Copy the {what}", { what }) });
  return node;
}
