// The palette of commands: where to go, whom to open, what to do, by a few letters.

import { to } from "./address.js";
import { combobox } from "./combobox.js";
import * as directory from "./directory.js";
import { make } from "./dom.js";
import { guarded, places } from "./frame.js";
import { say } from "./texts.js";

const administers = () => directory.may("administrator");
/** Each needs a power, has a text, and an address or something to do. */
const commands = [
  { text: say("New person"), href: "#new/person", may: () => directory.may("administrator", "people-editor") },
  { text: say("New role"), href: "#new/role", may: administers },
  { text: say("Connect an app"), href: "#admin/backends?new=choose", may: administers },
  { text: say("People without a manager"), href: to("people", "", { f: "not (manager pr)" }), may: () => true },
  { text: say("Disabled people"), href: to("people", "", { f: "active eq false" }), may: () => true },
  { text: say("Programs' tokens"), href: "#admin/tokens", may: administers },
  { text: say("Policies"), href: "#admin/policies", may: administers },
  { text: say("Look"), href: "#admin/branding", may: administers },
  { text: say("Issuers"), href: "#admin/issuers", may: administers },
  { text: say("Signing keys"), href: "#admin/keys", may: administers },
  { text: say("My account"), href: "#account", may: () => true },
  { text: say("Sign out"), act: () => document.getElementById("leave").click(), may: () => true },
];

/** The commands that have all the words, each as a beginning of one of their own. */
function suited(text) {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  const all = [...places.filter((one) => one.may()).map((one) => ({ name: one.text, more: say("Go to"), href: one.href })),
    ...commands.filter((one) => one.may()).map((one) => ({ name: one.text, more: one.act || one.href.startsWith("#new") ? say("Do") : say("Go to"), ...one }))];
  // Japanese has no spaces between its words.
  const isPart = (word, own) => own.startsWith(word) || (/[\p{sc=Han}\p{sc=Hira}\p{sc=Kana}]/u.test(word) && own.includes(word));
  return all.filter(({ name }) => words.every((word) => name.toLowerCase().split(/\s+/).some((own) => isPart(word, own))));
}

export function open() {
  if (document.querySelector("dialog[open]")) return;
  const input = make("input", { id: "command", type: "text", "aria-label": say("Command, person or role"), placeholder: say("Go to, open or do …") });
  const list = make("ul", { id: "command-list", role: "listbox", "aria-label": say("Commands") });
  const none = make("p", { class: "soft", hidden: true }, say("Nothing was found."));
  const node = make("dialog", { class: "palette", "aria-label": say("Commands") }, input, list, none);
  const choose = (one) => {
    node.close();
    if (one.act) one.act(); else location.hash = one.href;
  };
  const box = combobox(input, list, choose);
  let asking = null;
  let timer = null;
  const show = (found) => {
    box.show(found, 0);
    none.hidden = found.length > 0;
  };
  const find = () => guarded(async () => {
    const text = input.value.trim();
    const control = asking = new AbortController();
    const [people, roles] = await Promise.all([new directory.PeopleSearch(text).more(control.signal, 6), directory.searchRoles(text, control.signal)]);
    show([...suited(text), ...people.map((one) => ({ name: directory.label(one), more: one.title || one.userName, href: to("user", one.id) })),
      ...roles.map((one) => ({ name: one.name, more: say("Role"), href: to("group", one.id) }))]);
  });
  input.addEventListener("input", () => {
    asking?.abort();
    clearTimeout(timer);
    const text = input.value.trim();
    show(suited(text));
    if (text.length > 1) timer = setTimeout(find, 80);
  });
  // Escape closes the palette, and not only its list.
  input.addEventListener("keydown", (event) => { if (event.key === "Escape") node.close(); });
  node.addEventListener("click", (event) => { if (event.target === node) node.close(); });
  node.addEventListener("close", () => {
    asking?.abort();
    clearTimeout(timer);
    node.remove();
  });
  document.body.append(node);
  node.showModal();
  input.focus();
  show(suited(""));
}
