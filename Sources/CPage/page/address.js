// The address holds the whole state of a view, in the fragment, which no server and no proxy sees: `#kind/id?name=value`.

export const fragment = () => location.hash.slice(1);

/** The address of a view. Values that are empty are left out; a list gives the name several times. */
export function to(kind, id = "", state = {}) {
  const pairs = Object.entries(state).flatMap(([name, value]) => [value].flat().filter(Boolean).map((one) => [name, one]));
  const query = pairs.map(([name, value]) => `${name}=${encodeURIComponent(value)}`).join("&");
  return `#${kind}${id ? `/${encodeURIComponent(id)}` : ""}${query ? `?${query}` : ""}`;
}

function unescaped(text) {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** What an address means: the kind of view, what it shows, and the rest of its state. */
export function parse(text) {
  const [path, query = ""] = text.split(/\?(.*)/s);
  const [kind, id = ""] = path.split("/");
  return { kind, id: unescaped(id), state: new URLSearchParams(query) };
}

/** The fragment of the view that is shown. It differs from the browser's while a person is asked about unsaved changes. */
let shown = "";
export const showing = () => shown;
export const markShown = () => { shown = fragment(); };

/** Writes a state that the view shows already. With `isNew`, the browser's Back leads to the state before. */
export function write(address, isNew = true) {
  if (address === location.hash) return;
  history[isNew ? "pushState" : "replaceState"](null, "", address);
  markShown();
}

// Signing in leads through another page. What a view was filtered by may be a name, which must not be in that page's address.

const kept = "view";
/** The part of the fragment that may be sent. The rest waits in this tab until somebody has signed in. */
export function keep(text) {
  const [path, query] = text.split(/\?(.*)/s);
  if (query) sessionStorage.setItem(kept, text);
  return path;
}

/** Gives the address back what `keep` took, if it still names the same view. */
export function restore() {
  const text = sessionStorage.getItem(kept);
  sessionStorage.removeItem(kept);
  if (text && fragment() === text.split("?")[0]) history.replaceState(null, "", `#${text}`);
}
