// Asks the server. The name and the password live in this module's memory only, and end with the page.

export const enterprise = "urn:ietf:params:scim:schemas:extension:enterprise:2.0:User";
const extension = "urn:roster:params:scim:schemas:extension:directory:2.0:Group";
const few = "userName,displayName,title,name.formatted";
let authorization = null;

/** What the server refused, as it is told to people. */
export class Refusal extends Error {
  constructor(status, message) {
    super(message);
    this.status = status;
  }
}

async function ask(path, signal) {
  let response;
  try {
    response = await fetch(path, { credentials: "omit", cache: "no-store", headers: { Authorization: authorization ?? "" }, signal });
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new Refusal(0, "The server cannot be reached. Check the connection and try again.");
  }
  if (response.ok) return response.json();
  if (response.status === 401) throw new Refusal(401, "Name or password is wrong.");
  if (response.status === 429) {
    throw new Refusal(429, `Too many attempts. Try again in ${response.headers.get("Retry-After") ?? "a few"} seconds.`);
  }
  const body = await response.json().catch(() => ({}));
  throw new Refusal(response.status, body.detail ?? body.message ?? "The server could not answer.");
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

export function signOut() { authorization = null; }
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

export const me = () => ask("/scim/v2/Me");
export const person = (id) => ask(`/scim/v2/Users/${encodeURIComponent(id)}`);
export const reports = (id, count = 100) => list(`manager eq ${JSON.stringify(id)}`, count, 1);
export const members = (id, startIndex = 1) => list(`groups.value eq ${JSON.stringify(id)}`, 50, startIndex);

/** The managers of a person up to the top, nearest first. */
export async function chain(id) {
  const answer = await ask(`/oic_rest/rest/userprofile/people/${encodeURIComponent(id)}/manager?scope=toTop`);
  return answer.elements.map((one) => ({
    id: one.guid, userName: one.uid, displayName: one.displayname ?? one.commonname, title: one.title,
  }));
}

export async function group(id) {
  const group = await ask(`/scim/v2/Groups/${encodeURIComponent(id)}?excludedAttributes=members`);
  return { id: group.id, name: group.displayName, description: group[extension]?.description };
}

/** What people call somebody. */
export const label = (user) => user.displayName || user.name?.formatted || user.userName;
