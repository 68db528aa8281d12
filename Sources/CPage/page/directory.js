// Asks the server. The name and the password live in this module's memory only, and end with the page.

export const enterprise = "urn:ietf:params:scim:schemas:extension:enterprise:2.0:User";
const extension = "urn:roster:params:scim:schemas:extension:directory:2.0:Group";
const few = "userName,displayName,title,name.formatted";
const profiles = "/oic_rest/rest/userprofile";
let authorization = null;
let session = new AbortController();

/** What the server refused, as it is told to people. */
export class Refusal extends Error {
  constructor(status, message) {
    super(message);
    this.status = status;
  }
}

/** @param signal drops the question; so does signing out. */
async function ask(path, signal) {
  const signals = [session.signal, ...(signal ? [signal] : [])];
  const dropped = AbortSignal.any(signals);
  let response;
  let body;
  try {
    response = await fetch(path, {
      credentials: "omit", cache: "no-store", headers: { Authorization: authorization ?? "" }, signal: dropped,
    });
    body = await response.json().catch((error) => {
      if (response.ok || dropped.aborted) throw error;
      return {};
    });
  } catch (error) {
    dropped.throwIfAborted();
    throw new Refusal(0, "The server cannot be reached. Check the connection and try again.");
  }
  // An answer may have come while the question was dropped.
  dropped.throwIfAborted();
  if (response.ok) return body;
  if (response.status === 401) throw new Refusal(401, "Name or password is wrong.");
  if (response.status === 429) {
    const seconds = response.headers.get("Retry-After");
    const wait = seconds === null ? "a moment" : seconds === "1" ? "1 second" : `${seconds} seconds`;
    throw new Refusal(429, `Too many attempts. Wait ${wait}, then try again.`);
  }
  throw new Refusal(response.status, body?.detail ?? body?.message ?? "The server could not answer.");
}

export async function signIn(name, password) {
  const bytes = new TextEncoder().encode(`${name}:${password}`);
  authorization = "Basic " + btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(""));
  try {
    return await ask("/scim/v2/Me");
  } catch (error) {
    authorization = null;
    throw error;
  }
}

/** Forgets who was signed in, and drops what they asked for. */
export function signOut() {
  authorization = null;
  session.abort();
  session = new AbortController();
}
export const isSignedIn = () => authorization !== null;

const list = (filter, count, startIndex, signal) =>
  ask(`/scim/v2/Users?count=${count}&startIndex=${startIndex}&attributes=${few}&filter=${encodeURIComponent(filter)}`, signal);

/** People whose names, mail or account contain a text; of one or two letters, begin with it. */
export function search(text, startIndex, signal) {
  const value = JSON.stringify(text);
  const filter = [...text].length >= 3
    ? ["displayName", "name.formatted", "userName", "emails.value"].map((name) => `${name} co ${value}`)
    : ["displayName", "name.familyName", "name.givenName", "userName"].map((name) => `${name} sw ${value}`);
  return list(filter.join(" or "), 20, startIndex, signal);
}

export const person = (id, signal) => ask(`/scim/v2/Users/${encodeURIComponent(id)}`, signal);
export const reports = (id, count, startIndex, signal) => list(`manager eq ${JSON.stringify(id)}`, count, startIndex, signal);
export const members = (id, startIndex, signal) => list(`groups.value eq ${JSON.stringify(id)}`, 50, startIndex, signal);

/** How many people report to somebody. */
export const reportCount = async (id, signal) => (await reports(id, 0, 1, signal)).totalResults;

/** The managers of a person up to the top, nearest first. */
export async function chain(id, signal) {
  const answer = await ask(`${profiles}/people/${encodeURIComponent(id)}/manager?scope=toTop&pagesize=200`, signal);
  return answer.elements.map(user);
}

const user = (one) => ({ id: one.guid, userName: one.uid, displayName: one.displayname ?? one.commonname, title: one.title });

export async function group(id, signal) {
  const group = await ask(`/scim/v2/Groups/${encodeURIComponent(id)}?excludedAttributes=members`, signal);
  return { id: group.id, name: group.displayName, description: group[extension]?.description };
}

/** The first of what a group is related to, such as `groupMembers` or `personOwner`; none where that may not be read. */
export async function related(id, relation, signal) {
  try {
    const answer = await ask(`${profiles}/groups/${encodeURIComponent(id)}/${relation}?pagesize=100`, signal);
    return (answer.elements ?? []).map(user);
  } catch (error) {
    if (error.status === 403 || error.status === 404) return [];
    throw error;
  }
}

/** What people call somebody. */
export const label = (user) => user.displayName || user.name?.formatted || user.userName || user.id;
