// The form for the name, the colour and the logo of the organization, with what they look like.

import { renewColors, showBranding } from "./branding.js";
import * as directory from "./directory.js";
import { button, field, make, mistakeLine, refresh, section } from "./dom.js";
import { question, toast } from "./frame.js";
import { say } from "./texts.js";
import { typedForm } from "./typed.js";

/** @typedef {import("./branding.js").Branding} Branding */

const mostBytes = 65_536;
const types = ["image/png", "image/jpeg", "image/webp"];

/** A file as an address that has its bytes. @param {Blob} file @returns {Promise<string>} */
const dataOf = (file) => new Promise((done, failed) => {
  const reader = new FileReader();
  reader.addEventListener("load", () => done(String(reader.result)));
  reader.addEventListener("error", () => failed(new Error(say("The file cannot be read."))));
  reader.readAsDataURL(file);
});
/** @param {string} address */
const base64 = (address) => address.split(",")[1];

/** Stores what has changed, and shows it in the whole page. @param {Record<string, any>} changes */
async function store(changes) {
  await directory.admin("branding", "PUT", changes);
  renewColors();
  await showBranding();
}

/** What the page looks like in one scheme of colours. @param {"light" | "dark"} scheme */
function sample(scheme) {
  const image = /** @type {HTMLImageElement} */ (make("img", { alt: "", hidden: true }));
  const name = make("strong", {});
  const node = make("div", { class: `sample ${scheme}` }, make("small", { class: "soft" }, scheme === "light" ? say("Light") : say("Dark")),
    make("p", { class: "brand" }, image, name), make("p", {}, make("span", { class: "linked" }, say("A link")), " ", make("span", { class: "marked" }, say("A chosen place"))),
    make("p", {}, make("span", { class: "primary" }, say("Sign in"))));
  return {
    node,
    /** @param {Branding} branding @param {string | null} logo */
    show({ name: text, shades }, logo) {
      name.textContent = text ?? (logo ? "" : "Roster");
      image.hidden = !logo;
      if (logo) image.src = logo;
      const shade = shades?.[scheme];
      for (const [token, color] of [["--accent", shade?.accent], ["--accent-ink", shade?.ink], ["--mark", shade?.mark]]) {
        if (color) node.style.setProperty(/** @type {string} */ (token), color);
        else node.style.removeProperty(/** @type {string} */ (token));
      }
    },
  };
}

/** @param {AbortSignal} signal @param {Function} guarded */
export async function brandingView(signal, guarded) {
  /** @type {Branding} */
  const stored = await directory.branding(signal);
  /** The logo that is chosen: its address; null for none; undefined for the stored one. */
  let chosen = /** @type {string | null | undefined} */ (undefined);
  const logo = () => (chosen === undefined ? stored.logo : chosen);
  const samples = [sample("light"), sample("dark")];

  const picker = /** @type {HTMLInputElement} */ (make("input", { type: "color", id: "branding-picker", "aria-label": say("Choose a colour"), value: stored.color ?? "#1f5fbf" }));
  const file = field("branding-logo", say("Logo"), { type: "file", accept: types.join() }, say("A PNG, JPEG or WebP of at most 64 KiB. It stands before the name."));
  const { node: mistake, tell: tellFile } = mistakeLine("branding-logo-mistake", () => file.input);
  const none = button(say("Without a logo"), () => {
    chosen = null;
    file.input.value = "";
    tellFile(null);
    form.dispatchEvent(new Event("input"));
  });
  file.row.append(mistake, make("p", {}, none));
  file.input.setAttribute("aria-describedby", "branding-logo-hint branding-logo-mistake");

  const made = typedForm({
    id: "branding", submit: say("Save"), guarded, advanced: false,
    value: { ...(stored.name ? { organization_name: stored.name } : {}), ...(stored.color ? { organization_color: stored.color } : {}) },
    fields: [
      { name: "organization_name", label: say("Name of the organization"), kind: "text", shownStandard: "Roster", effect: say("In the header, in titles, on the sign-in pages, and as the sender of mails.") },
      { name: "organization_color", label: say("Colour"), kind: "text", placeholder: "#1f5fbf", shownStandard: "#1f5fbf",
        effect: say("Six digits after #. It becomes darker or lighter where text could not be read.") },
    ],
    after: [file.row, make("div", { class: "samples", role: "group", "aria-label": say("Preview") }, ...samples.map(({ node }) => node))],
    actions: [button(say("Reset to the standard look"), () => guarded(reset))],
    async save(wanted, tell) {
      if (!mistake.hidden) return tell(say("Nothing was saved. See what is marked above."));
      const changes = { name: wanted.organization_name ?? null, color: wanted.organization_color ?? null, ...(chosen === undefined ? {} : { logo: chosen && base64(chosen) }) };
      await storeWithUndo(changes, say("Saved. Everybody sees it with the next page."));
    },
  });
  const form = made.node;
  const [name, color] = made.controls;
  color.input.after(picker);

  /** @param {Record<string, any>} changes @param {string} message */
  async function storeWithUndo(changes, message) {
    const before = { name: stored.name, color: stored.color,
      ...("logo" in changes ? { logo: stored.logo && base64(await dataOf(await directory.logo(stored.logo))) } : {}) };
    await store(changes);
    toast(message, () => guarded(async () => {
      await store(before);
      toast(say("It is as it was before."));
      refresh();
    }));
    refresh();
  }
  async function reset() {
    if (!await question(say("Reset to the standard look?"), say("The name, the colour and the logo are taken away."), say("Reset"), say("Keep them"))) return;
    form.isChanged = false;
    await storeWithUndo({ name: null, color: null, logo: null }, say("The page has its standard look."));
  }

  const isColor = (/** @type {string} */ text) => /^#[\da-f]{6}$/i.test(text);
  let shown = { ...stored };
  async function show() {
    const text = color.read();
    const wanted = text && isColor(text) ? text.toLowerCase() : null;
    if (wanted !== shown.color) shown = wanted ? await directory.branding(signal, wanted) : { ...stored, color: null, shades: null };
    if (wanted) picker.value = wanted;
    none.hidden = !logo();
    for (const one of samples) one.show({ ...shown, name: name.read() ?? null }, logo());
  }
  picker.addEventListener("input", () => color.show(picker.value));
  file.input.addEventListener("change", async () => {
    const [picture] = file.input.files;
    chosen = undefined;
    const isWrong = picture && (picture.size > mostBytes || !types.includes(picture.type));
    tellFile(isWrong ? say("Choose a PNG, JPEG or WebP of at most 64 KiB.") : null);
    if (picture && !isWrong) chosen = await dataOf(picture);
    guarded(show);
  });
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let timer;
  form.addEventListener("input", () => {
    clearTimeout(timer);
    timer = setTimeout(() => guarded(show), 150);
  });
  await show();
  return [section("branding-title", say("Look"), make("p", {}, say("What people see of your organization on this page, on the sign-in pages and in mails.")), form)];
}
