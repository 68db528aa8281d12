// The page for people: who is signed in, and which view the address names.

import * as address from "./address.js";
import { learn } from "./attribute-texts.js";
import * as branding from "./branding.js";
import { crumbs } from "./crumbs.js";
import * as directory from "./directory.js";
import { at, button, make } from "./dom.js";
import * as frame from "./frame.js";
import { guarded, heading, tell } from "./frame.js";
import * as search from "./search.js";
import { choose, say } from "./texts.js";

const view = at("view");
const { who } = directory;
/** Drops what the view asks for when another takes its place. */
let showing = new AbortController();

// Signing in and out

function empty() {
  directory.forget();
  showing.abort();
  Object.assign(who, { user: null, powers: [] });
  search.clear();
  for (const id of ["search", "commands", "menu", "drawer", "view"]) at(id).hidden = true;
  view.replaceChildren();
  view.removeAttribute("aria-busy");
  frame.markLoading(false);
  at("own").textContent = "";
  document.querySelector("dialog")?.close();
}

/** The way in, with what there is to say: that somebody signed out, or that the session has ended. */
function showEntry(message) {
  empty();
  at("enter").hidden = false;
  at("sign-in").href = directory.entrance(address.keep(address.fragment()));
  document.title = `${say("Sign in")} – ${branding.title}`;
  tell(...(message ? [message] : []));
  at("sign-in").focus();
}
frame.onSignedOut(showEntry);
directory.onLeaving((message) => {
  history.replaceState(null, "", location.pathname);
  showEntry(message);
});

/** The texts in the browser's language come while the server says who is signed in. */
const browsers = choose();

async function enter() {
  frame.markLoading(true);
  try {
    const [user, account] = await Promise.all([directory.me(), directory.account(), browsers, branding.showBranding(), directory.attributeTexts().then(learn)]);
    await choose(user.preferredLanguage);
    Object.assign(who, { user, powers: account.powers });
  } catch (error) {
    frame.markLoading(false);
    // Whoever comes without a session sees the form for the name and the password first.
    if (error.status === 401) return location.replace(directory.entrance(address.keep(address.fragment())));
    await browsers;
    at("again").hidden = false;
    return tell(`${error.status === 404 || error.status === 403 ? say("Whoever signed in is no user of this directory.") : error.message} `,
      make("a", { href: "oauth2/logout" }, say("Sign out")));
  }
  at("again").hidden = true;
  address.restore();
  frame.fillMenu();
  for (const id of ["search", "commands", "view"]) at(id).hidden = false;
  if (address.fragment()) await show(); else location.replace("#home");
}

at("again").addEventListener("click", () => {
  tell();
  enter();
});

at("leave").addEventListener("click", async () => {
  if (!await frame.mayLeave()) return;
  guarded(async () => {
    await directory.signOut();
    directory.leave(say("You are signed out."));
  });
});

// A fragment that is not a view must not become the address.
document.querySelector(".skip").addEventListener("click", (event) => {
  event.preventDefault();
  at("content").focus();
});

// Views. Each gives what to show, and what is to be done once it is there.

const lazy = (file, name) => async (...call) => (await import(file))[name](...call);
/** Shows another address in place of this one. */
const instead = (other) => {
  location.replace(other);
  return new Promise(() => {});
};
const creates = { person: ["administrator", "people-editor"], role: ["administrator"] };

const views = new Map(Object.entries({
  home: (_, signal) => lazy("./home.js", "homeView")(signal),
  me: (_, signal) => lazy("./profile.js", "userView")(who.user.id, signal),
  user: lazy("./profile.js", "userView"),
  chart: lazy("./chart.js", "chartView"),
  group: (id, signal, state) => lazy("./role.js", "groupView")(id, signal, state, show),
  people: (_, ...call) => lazy("./table.js", "peopleView")(...call),
  roles: (_, ...call) => lazy("./roles.js", "rolesView")(...call),
  account: (_, signal) => lazy("./account.js", "accountView")(signal, guarded),
  manage(id, signal) {
    if (directory.may("administrator", "people-editor")) return lazy("./people.js", "manageView")(id, signal, guarded);
    return directory.may("help-desk") ? instead(address.to("user", id, { show: "access" })) : frame.notForYou();
  },
  new(name, signal) {
    if (!Object.hasOwn(creates, name)) return null;
    if (!directory.may(...creates[name])) return frame.notForYou();
    return name === "role" ? lazy("./roles.js", "newRoleView")() : lazy("./people.js", "newPersonView")(signal);
  },
  admin(name, signal, state) {
    if (name === "people" || name === "roles") return instead(`#${name}`);
    return directory.may("administrator") ? lazy("./administration.js", "administrationView")(name, signal, guarded, state) : frame.notForYou();
  },
}));
/** The views whose address names nothing more. */
const single = new Set(["home", "me", "chart", "people", "roles", "account"]);

function fillView(parts) {
  const card = make("article", { class: "card" }, ...parts);
  const part = card.querySelector(".tabs [aria-current]")?.textContent;
  const title = card.querySelector("h1").textContent;
  view.replaceChildren(...[crumbs(address.parse(address.fragment()), title, part), card].filter(Boolean));
  document.title = [title, part && part !== say("Overview") ? part : null, branding.title].filter(Boolean).join(" – ");
  return card;
}

/** Shows what the address says. What was asked before, and comes later, is dropped. */
async function show() {
  if (!who.user) return;
  const before = address.showing();
  if (!await frame.mayLeave()) {
    if (address.fragment() !== before) address.write(`#${before}`);
    return;
  }
  address.markShown();
  document.querySelector("dialog")?.close();
  showing.abort();
  showing = new AbortController();
  const { signal } = showing;
  const place = address.parse(address.fragment());
  // Who walks the chart stays in it; elsewhere the heading says where one is.
  const inChart = place.kind === "chart" && document.activeElement?.closest?.(".chart");
  const land = (card) => {
    ((inChart && card.querySelector(".chart .self")) || card.querySelector("h1")).focus({ preventScroll: true });
    scrollTo(0, 0);
  };
  tell();
  frame.markPlace(place);
  view.setAttribute("aria-busy", "true");
  frame.markLoading(true);
  await guarded(async () => {
    const render = views.get(place.kind);
    const isKnown = render && (place.id || single.has(place.kind));
    const shown = (isKnown && await render(place.id, signal, place.state)) || { parts: [heading(say("There is nothing here."))] };
    signal.throwIfAborted();
    const card = fillView(shown.parts);
    shown.done?.();
    land(card);
  }, (error) => {
    if (signal.aborted) return;
    if (error.status === 403) return land(fillView(frame.notForYou(error.message).parts));
    const isMissing = error.status === 404;
    land(fillView([heading(isMissing ? say("There is nothing here.") : say("This cannot be shown now.")), isMissing ? null : make("p", {}, button(say("Try again"), show))]));
    tell(error.message);
  });
  if (signal.aborted) return;
  view.removeAttribute("aria-busy");
  frame.markLoading(false);
}

addEventListener("hashchange", show);

search.begin({
  guarded,
  open(kind, id) {
    if (location.hash === address.to(kind, id)) show(); else location.hash = address.to(kind, id);
  },
});

// Keys

const command = async () => (await import("./palette.js")).open();
at("commands").addEventListener("click", command);
at("query").setAttribute("aria-keyshortcuts", "/");
addEventListener("keydown", (event) => {
  if (!who.user || event.isComposing) return;
  const isTyping = /** @type {Element} */ (event.target).closest?.("input, textarea, select, dialog");
  if (event.key === "k" && (event.ctrlKey || event.metaKey) && !event.altKey && !event.shiftKey) {
    event.preventDefault();
    command();
  } else if (event.key === "/" && !isTyping && !event.ctrlKey && !event.metaKey && !event.altKey) {
    event.preventDefault();
    at("query").focus();
  }
});
enter();
