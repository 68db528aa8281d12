// What the page shows of the organization: its name and its logo. Its colour comes with a style sheet of the server.

import * as directory from "./directory.js";
import { at } from "./dom.js";

/** @typedef {{name: string | null, color: string | null, logo: string | null, shades: Record<"light" | "dark", {accent: string, ink: string, mark: string}> | null}} Branding */

const product = "Roster";
/** The name of the organization, or of the product. */
export let title = product;

/** Asks for the name and the logo, and puts them into the frame. A page without them is better than none. */
export async function showBranding() {
  /** @type {Branding} */
  let found;
  try {
    found = await directory.branding();
  } catch {
    return;
  }
  title = found.name ?? product;
  const logo = at("brand-logo");
  logo.hidden = !found.logo;
  if (found.logo) logo.src = found.logo;
  else logo.removeAttribute("src");
  // A logo stands for the product's name, and beside that of the organization.
  at("brand-name").textContent = found.logo ? found.name ?? "" : title;
  at("enter").querySelector("h1").textContent = title;
  /** @type {HTMLLinkElement} */ (document.querySelector("link[rel=icon]")).href = found.logo ?? "data:,";
}

/** Asks for the colours again, after they were changed. */
export function renewColors() {
  at("brand-colors").href = `branding/style.css?${Date.now()}`;
}
