// Asks the server. The session is a cookie that no script can read. Addresses are relative to the page, which may stand
// below a path of a proxy.

import { counted, say } from "./texts.js";

export const enterprise = "urn:ietf:params:scim:schemas:extension:enterprise:2.0:User";
const extension = "urn:roster:params:scim:schemas:extension:directory:2.0:Group";
const few = "userName,displayName,title,name";
const profiles = "profile/v1";
const ownAddress = "account";
let session = new AbortController();

/** What the server refused, as it is told to people. */
export class Refusal extends Error {
  /** @param needsPassword whether the password has to be confirmed first @param attribute the name of the attribute that is wrong, if the server tells */
  constructor(status, message, needsPassword = false, attribute = null) {
    super(message);
    this.status = status;
    this.needsPassword = needsPassword;
    this.attribute = attribute;
  }
}

/** @param signal drops the question; so does signing out. */
export const ask = (path, signal, method = "GET", body = undefined, headers = {}) =>
  send(path, signal, method, body === undefined ? undefined : JSON.stringify(body),
    { ...(body === undefined ? {} : { "Content-Type": "application/json" }), ...(batch && method !== "GET" ? { "Roster-Batch": batch } : {}), ...headers });

/** The number of the batch of the changes that are made now; null for none. */
let batch = null;
/** Makes several changes as one batch, which can be undone; gives the number of the batch to `work`. */
export async function inBatch(work) {
  ({ batch } = await ask("admin/batches", undefined, "POST"));
  try {
    return await work(batch);
  } finally {
    batch = null;
  }
}
/** Undoes the changes of a batch: `{ undone, left_out, left_out_count }`. */
export const undo = (number) => ask(`admin/batches/${number}/undo`, undefined, "POST");

/** @param form what is made of the answer: "text", "blob", or by default its JSON */
async function send(path, signal, method, body, headers, form = "json") {
  const signals = [session.signal, ...(signal ? [signal] : [])];
  const dropped = /** @type {any} */ (AbortSignal).any(signals);
  let response;
  let answer;
  try {
    response = await fetch(path, {
      method, credentials: "same-origin", cache: "no-store", signal: dropped, headers, body,
    });
    if (response.ok && form !== "json") return await response[form]();
    const text = await response.text();
    try {
      answer = text ? JSON.parse(text) : null;
    } catch (error) {
      if (response.ok) throw error;
    }
  } catch (error) {
    dropped.throwIfAborted();
    throw new Refusal(0, say("The server cannot be reached. Check the connection and try again."));
  }
  // An answer may have come while the question was dropped.
  dropped.throwIfAborted();
  if (response.ok) return answer;
  const message = answer?.detail ?? answer?.message ?? answer?.error_description ?? say("The server could not answer.");
  if (response.status === 401) {
    const needsPassword = (response.headers.get("WWW-Authenticate") ?? "").includes("insufficient_user_authentication");
    throw new Refusal(401, needsPassword ? say("Confirm your password first.") : say("You are not signed in any more."), needsPassword);
  }
  if (response.status === 429) {
    const seconds = response.headers.get("Retry-After");
    throw new Refusal(429, seconds === null ? say("Too many attempts. Wait a moment, then try again.")
      : counted("Too many attempts. Wait {n} second, then try again.", "Too many attempts. Wait {n} seconds, then try again.", Number(seconds)));
  }
  if (response.status === 412) throw new Refusal(412, say("Somebody else changed this meanwhile. Load it again, then repeat the change."));
  throw new Refusal(response.status, message, false, answer?.attribute ?? null);
}

/** Who is signed in, and the powers that their roles give. The server decides about each change. */
export const who = { user: null, powers: [] };
export const may = (...powers) => powers.some((power) => who.powers.includes(power));

export const me = () => ask("scim/v2/Me");

/** Where the page asks for a name and a password. */
export const entrance = (view, isAgain = false) =>
  "oauth2/sign-in?" + new URLSearchParams({ ...(isAgain ? { again: "1" } : {}), ...(view ? { view } : {}) });

/** Ends the session. */
export const signOut = () => ask(`${ownAddress}/sessions/current`, undefined, "DELETE");

/** Drops what was asked for whoever was signed in. */
export function forget() {
  session.abort();
  session = new AbortController();
}

let leaving = (_message) => {};
/** What shows that nobody is signed in any more. */
export const onLeaving = (action) => { leaving = action; };
export const leave = (message) => leaving(message);

// The organization

/** The name, the colour and the logo, with the shades of the colour, or of another one. */
export const branding = (signal = undefined, color = undefined) => ask(`branding${color ? `?color=${encodeURIComponent(color)}` : ""}`, signal);
export const logo = (path, signal = undefined) => send(path, signal, "GET", undefined, {}, "blob");

/** The views of the table of people that are saved for everybody. */
export const views = (signal) => ask("views", signal);

/** The labels and descriptions of declared attributes, in all languages. */
export const attributeTexts = async () => (await ask("attributes")).attributes;

// One's own account

export const ownExport = `${ownAddress}/export`;
/** The latest changes of oneself, newest first. */
export const ownChanges = async (signal) => (await ask(ownExport, signal)).changes;
export const account = (signal) => ask(ownAddress, signal);
export const second = (path, method, body) => ask(`${ownAddress}/${path}`, undefined, method, body);
/** The address of a photo. The version makes the browser ask again after a change. */
export const photo = (id, version) => `photos/${encodeURIComponent(id)}?version=${encodeURIComponent(version ?? "")}`;
export const formOf = (id, signal) => ask(`forms/${encodeURIComponent(id)}`, signal);
export const change = (id, changes, version) =>
  ask(`forms/${encodeURIComponent(id)}`, undefined, "PUT", changes, version ? { "If-Match": `W/"${version}"` } : {});
export const changePassword = (oldPassword, value) => ask("scim/v2/Me", undefined, "PATCH", {
  schemas: ["urn:ietf:params:scim:api:messages:2.0:PatchOp"], oldPassword, Operations: [{ op: "replace", path: "password", value }],
});

// Administration

export const admin = (path, method = "GET", body = undefined, signal = undefined) => ask(`admin/${path}`, signal, method, body);
export const metrics = (signal) => send("metrics", signal, "GET", undefined, {}, "text");
export const exportFile = (query) => send(`admin/export?${query}`, undefined, "GET", undefined, {}, "blob");
export const importPeople = (query, file) =>
  send(`admin/import?${query}`, undefined, "POST", file, { "Content-Type": "application/octet-stream" });
export const emptyForm = (signal) => ask("forms", signal);
export const createUser = (values) => ask("forms", undefined, "POST", values);
export const deleteUser = (id, reportees) => ask(`${profiles}/people/${encodeURIComponent(id)}?reportees=${reportees}`, undefined, "DELETE");
export const setPassword = (id, value) => patch("Users", id, [{ op: "replace", path: "password", value }]);
export const patch = (kind, id, Operations) => ask(`scim/v2/${kind}/${encodeURIComponent(id)}`, undefined, "PATCH", {
  schemas: ["urn:ietf:params:scim:api:messages:2.0:PatchOp"], Operations,
});
export const signOutUser = (name) => ask(`admin/users/${encodeURIComponent(name)}/sessions`, undefined, "DELETE");
export const addMember = (role, id) => patch("Groups", role, [{ op: "add", path: "members", value: [{ value: id }] }]);
export const removeMember = (role, id) => patch("Groups", role, [{ op: "remove", path: `members[value eq ${JSON.stringify(id)}]` }]);
export const createRole = (attributes) => ask(`${profiles}/groups`, undefined, "POST", attributes);
export const changeRole = (id, attributes) => ask(`${profiles}/groups/${encodeURIComponent(id)}`, undefined, "PUT", attributes);
export const deleteRole = (id) => ask(`${profiles}/groups/${encodeURIComponent(id)}`, undefined, "DELETE");
export const addOwner = (role, id) => ask(`${profiles}/groups/${encodeURIComponent(role)}/personOwner`, undefined, "POST", { uri: `${profiles}/people/${id}` });
export const removeOwner = (role, id) => ask(`${profiles}/groups/${encodeURIComponent(role)}/personOwner/${encodeURIComponent(id)}`, undefined, "DELETE");

// People and roles

/** How people are sorted by name: as `label` says it. */
export const byName = "displayName,name.familyName,name.givenName,userName";
const list = (filter, count, startIndex, signal) =>
  ask(`scim/v2/Users?count=${count}&startIndex=${startIndex}&attributes=${few},groups&sortBy=${byName}&filter=${encodeURIComponent(filter)}`, signal);

/**
 * A page of people, or of roles (`kind` is "Users" or "Groups"), from a cursor, which is empty for the first page. The question is sent
 * as a body, because addresses are logged, and a filter can have names.
 */
export const pageOf = (kind, { filter, sort = byName, isDescending = false, attributes, cursor = "", count = 100 }, signal) =>
  ask(`scim/v2/${kind}/.search`, signal, "POST", {
    schemas: ["urn:ietf:params:scim:api:messages:2.0:SearchRequest"], count, cursor, attributes, ...(filter ? { filter } : {}),
    ...(sort ? { sortBy: sort, sortOrder: isDescending ? "descending" : "ascending" } : {}),
  });
export const schemas = (signal) => ask("scim/v2/Schemas", signal);

/** The people with identifiers, a hundred at a time. `tell` gets how many were read. */
export async function peopleOf(ids, attributes, signal, tell = (_count) => {}) {
  const people = [];
  for (let start = 0; start < ids.length; start += 100) {
    const filter = ids.slice(start, start + 100).map((id) => `id eq ${JSON.stringify(id)}`).join(" or ");
    people.push(...(await pageOf("Users", { filter, attributes }, signal)).Resources);
    tell(people.length);
  }
  return people;
}

/** The best people for words, in their order, and at most 200. */
export const matching = async (text, attributes, signal) =>
  (await ask(`scim/v2/Users?count=200&attributes=${attributes.join(",")}&matching=${encodeURIComponent(text)}`, signal)).Resources;

/** Finds people by words as somebody types them. The server answers with the best ones first, and has no pages. */
export class PeopleSearch {
  constructor(text) {
    this.text = text;
    this.shown = 0;
    this.hasMore = true;
  }

  /** The next people. One more than are shown tells whether there are others. */
  async more(signal, count = 20) {
    const wanted = Math.min(this.shown + count, 199);
    const answer = await ask(`scim/v2/Users?count=${wanted + 1}&attributes=${few}&matching=${encodeURIComponent(this.text)}`, signal);
    const people = answer.Resources.slice(this.shown, wanted);
    this.hasMore = answer.Resources.length > wanted && wanted < 199;
    this.shown += people.length;
    return people;
  }
}

/** Roles whose names contain a text. */
export async function searchRoles(text, signal) {
  const filter = encodeURIComponent(`displayName co ${JSON.stringify(text)}`);
  const answer = await ask(`scim/v2/Groups?count=5&attributes=displayName&filter=${filter}`, signal);
  return answer.Resources.map((role) => ({ id: role.id, name: role.displayName }));
}

/** Some of the people who report to somebody, and how many there are: `{ Resources, totalResults }`. */
export const team = (id, count, signal) => pageOf("Users", { filter: `manager eq ${JSON.stringify(id)}`, attributes: ["displayName", "name", "userName", "title"], cursor: undefined, count }, signal);
/** Who is new, and who has moved. */
export const news = async (signal) => (await ask("news?limit=8", signal)).elements;
export const person = (id, signal) => ask(`scim/v2/Users/${encodeURIComponent(id)}`, signal);
export const reports = (id, count, startIndex, signal) => list(`manager eq ${JSON.stringify(id)}`, count, startIndex, signal);
/** @param isEffective whether members of the roles in it are members, too */
export const members = (id, startIndex, signal, isEffective = false) =>
  list(`groups${isEffective ? ".effective" : ".value"} eq ${JSON.stringify(id)}`, 50, startIndex, signal);

const user = (one) => ({ id: one.guid, userName: one.uid, displayName: one.displayname ?? one.commonname, name: { givenName: one.firstname, familyName: one.lastname }, title: one.title });

export async function group(id, signal) {
  const group = await ask(`scim/v2/Groups/${encodeURIComponent(id)}?excludedAttributes=members`, signal);
  return { id: group.id, name: group.displayName, description: group[extension]?.description };
}

/** How many a page of `related` has. */
export const relatedCount = 100;
/** What a role is related to, such as `groupMembers` or `personOwner`, by pages from 1; none where that may not be read. */
export const related = (id, relation, signal, page = 1) => relatedPage(`groups/${encodeURIComponent(id)}/${relation}`, page, signal);
/** All that a role is related to. */
export async function allRelated(id, relation, signal) {
  const all = [];
  for (let page = 1, hasMore = true; hasMore; page += 1) {
    const found = await related(id, relation, signal, page);
    all.push(...found);
    ({ hasMore } = found);
  }
  return all;
}
/** The roles that somebody owns. */
export const owned = (id, signal) => relatedPage(`people/${encodeURIComponent(id)}/ownerOf`, 1, signal);

async function relatedPage(path, page, signal) {
  try {
    const answer = await ask(`${profiles}/${path}?pagesize=${relatedCount}&pagepos=${page}`, signal);
    return Object.assign((answer.elements ?? []).map(user), { hasMore: Boolean(answer.next) });
  } catch (error) {
    if (error.status === 403 || error.status === 404) return [];
    throw error;
  }
}

/** The name of a person: the rule of `label` in the library. */
export const label = (user) => user.displayName || user.name?.formatted
  || [user.name?.givenName, user.name?.familyName].filter(Boolean).join(" ") || user.userName || user.id;

/** The number of people who are in a role, directly or through others. */
export const memberCount = async (id, signal) =>
  (await pageOf("Users", { filter: `groups.effective eq ${JSON.stringify(id)}`, attributes: ["id"], count: 0, cursor: undefined, sort: null }, signal)).totalResults;

const role = (one) => ({ id: one.id, name: one.displayName, description: one[extension]?.description });
/** A page of roles by a part of their name, from a cursor: `{ roles, next, total }`; `next` is null on the last page. */
export async function rolePage(text, cursor, signal, count = 50) {
  const page = await pageOf("Groups", {
    filter: text ? `displayName co ${JSON.stringify(text)}` : "", sort: "displayName", attributes: ["displayName", `${extension}:description`], cursor, count }, signal);
  return { roles: page.Resources.map(role), next: page.nextCursor ?? null, total: page.totalResults };
}

/** Does `work` with each of `all`, a few at a time. */
export async function each(all, work, atOnce = 6) {
  const waiting = all.values();
  await Promise.all(Array.from({ length: atOnce }, async () => { for (const one of waiting) await work(one); }));
}
