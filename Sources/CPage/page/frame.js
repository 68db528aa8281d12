// What stands around every view: the navigation, messages, the sign of loading, and questions.

import * as address from "./address.js";
import * as directory from "./directory.js";
import { at, button, make } from "./dom.js";
import { pieces, say } from "./texts.js";

// The navigation

/** The places of the page: an address, a text, who may go there, and the kinds of addresses that belong to it. */
const everyone = () => true;
const administers = () => directory.may("administrator");
export const places = [
  { href: "#home", get text() { return say("Home"); }, may: everyone, kinds: ["home", "me"] },
  { href: "#people", get text() { return say("People"); }, may: everyone, kinds: ["people", "user", "manage"] },
  { href: "#chart", get text() { return say("Chart"); }, may: everyone, kinds: ["chart"] },
  { href: "#roles", get text() { return say("Roles"); }, may: everyone, kinds: ["roles", "group"] },
  { href: "#admin/backends", get text() { return say("Apps"); }, may: administers, names: ["backends", "tokens"] },
  { href: "#admin/providers", get text() { return say("Sign-in"); }, may: administers, names: ["providers", "issuers", "policies", "keys"] },
  { href: "#admin/attributes", get text() { return say("Attributes"); }, may: administers, names: ["attributes"] },
  { href: "#admin/files", get text() { return say("Import & export"); }, may: administers, names: ["files"] },
  { href: "#admin/audit", get text() { return say("Audit"); }, may: administers, names: ["audit"] },
  { href: "#admin/server", get text() { return say("Server"); }, may: administers, names: ["server", "branding"] },
];

/** Fills the navigation for whoever is signed in. */
export function fillMenu() {
  const item = ({ href, text }) => make("li", {}, make("a", { href }, text));
  at("places").replaceChildren(...places.filter((one) => !one.names).map(item));
  at("administration").replaceChildren(...places.filter((one) => one.names && one.may()).map(item));
  at("administration").hidden = !at("administration").children.length;
  at("own").textContent = directory.label(directory.who.user);
  at("menu").hidden = false;
  at("drawer").hidden = false;
}

/** Marks where the view belongs. */
export function markPlace({ kind, id }) {
  const isHere = (one) => one.kinds?.includes(kind) || (kind === "admin" && one.names?.includes(id)) || one.href === `#${kind}`;
  const here = places.find(isHere)?.href ?? `#${kind}`;
  for (const link of at("menu").querySelectorAll("a")) {
    if (link.getAttribute("href") === here && link.id !== "own") link.setAttribute("aria-current", "page");
    else link.removeAttribute("aria-current");
  }
}

/** Opens or closes the navigation where the window is too narrow for it. */
function openDrawer(isOpen, returnsFocus = true) {
  const wasOpen = document.body.classList.contains("drawn");
  document.body.classList.toggle("drawn", isOpen);
  at("drawer").setAttribute("aria-expanded", String(isOpen));
  for (const part of [at("content"), at("search"), /** @type {HTMLElement} */ (document.querySelector(".brand"))]) part.inert = isOpen;
  if (isOpen) at("menu").querySelector("a").focus();
  else if (wasOpen && returnsFocus) at("drawer").focus();
}
at("drawer").addEventListener("click", () => openDrawer(!document.body.classList.contains("drawn")));
at("shade").addEventListener("click", () => openDrawer(false));
at("menu").addEventListener("click", (event) => { if (/** @type {Element} */ (event.target).closest("a")) openDrawer(false, false); });
at("menu").addEventListener("keydown", (event) => { if (event.key === "Escape") openDrawer(false); });
matchMedia("(min-width: 60rem)").addEventListener("change", () => openDrawer(false, false));

// Messages

/** What is wrong with the whole view. It stays until another view is shown. */
export function tell(...parts) {
  at("notice").replaceChildren(...parts);
  at("notice").hidden = !parts.length;
}

const toastTime = 8_000;
/** Says for a while what was done. `undo` is what takes it back. */
export function toast(message, undo = null) {
  const node = make("p", { class: "toast" }, make("span", {}, message));
  let timer;
  const go = () => node.remove();
  const wait = () => { timer = setTimeout(go, toastTime); };
  if (undo) {
    node.append(button(say("Undo"), () => {
      go();
      undo();
    }));
  }
  node.append(button("×", go, { class: "icon", "aria-label": say("Close the message") }));
  for (const name of ["pointerenter", "focusin"]) node.addEventListener(name, () => clearTimeout(timer));
  for (const name of ["pointerleave", "focusout"]) node.addEventListener(name, wait);
  at("toasts").replaceChildren(node);
  wait();
}

// Loading

let loading = null;
/** Shows after 200 ms that something is awaited. */
export function markLoading(isWaiting) {
  clearTimeout(loading);
  if (isWaiting) loading = setTimeout(() => { at("loading").hidden = false; }, 200);
  else at("loading").hidden = true;
}

// Questions

/** A dialog in the middle of the window. Its node is removed when it is closed. */
export function dialog(title, ...parts) {
  const node = make("dialog", { "aria-labelledby": "dialog-title" }, make("h2", { id: "dialog-title" }, title), ...parts);
  document.body.append(node);
  node.addEventListener("close", () => node.remove());
  node.showModal();
  return node;
}

/** Asks a question with two answers; whether the first one was given. Escape gives the second. */
export function question(title, text, yes, no, isDangerous = true) {
  return new Promise((answer) => {
    let given = false;
    const node = dialog(title, make("p", {}, text), make("p", { class: "actions" },
      button(no, () => node.close(), { autofocus: true }), " ",
      button(yes, () => {
        given = true;
        node.close();
      }, { class: isDangerous ? "danger" : "main" })));
    node.addEventListener("close", () => answer(given));
  });
}

const changed = () => [...at("view").querySelectorAll("form")].filter((form) => form.isChanged && !("seeks" in form.dataset));
/** Whether the view may be left: it has no unsaved changes, or a person gives them up. */
export async function mayLeave() {
  if (!changed().length) return true;
  return question(say("Leave without saving?"), say("What you have typed here is not saved."), say("Leave without saving"), say("Stay here"));
}
addEventListener("beforeunload", (event) => { if (changed().length) event.preventDefault(); });

// Asking the server

let signedOut = (_message) => {};
/** @param action shows the way in, with a message, where nobody is signed in any more */
export const onSignedOut = (action) => { signedOut = action; };

/** Does something that asks the server, and tells people where it cannot. Whether it was done; what was dropped meanwhile is no failure. */
export async function guarded(work, refused = (error) => tell(error.message)) {
  try {
    return await work() !== false;
  } catch (error) {
    if (error.name === "AbortError") return false;
    if (error.needsPassword) {
      tell(...pieces("This needs your password once more. {link}, then repeat it.", { link: make("a", { href: directory.entrance(address.keep(address.fragment()), true) }, say("Confirm your password")) }));
      scrollTo(0, 0);
    } else if (error.status === 401) signedOut(error.message);
    else refused(error);
    return false;
  }
}

// Parts of views

export const heading = (text) => make("h1", { tabindex: "-1" }, text);

/** What a list says that has nothing, and what to do about it. */
export const empty = (text, ...actions) => make("div", { class: "empty" }, make("p", {}, text), actions.length ? make("p", { class: "actions" }, ...actions) : null);

/** What somebody sees who may not see a view. */
export const notForYou = (text = say("This is for administrators. Ask one of them if you need it.")) => ({
  parts: [heading(say("This is not for you.")), empty(text, make("a", { href: "#home" }, say("Go home")))],
});
