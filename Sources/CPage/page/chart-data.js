// The people of the chart: what was asked for so far, and the questions for more. The server decides who is among them.

import { ask } from "./directory.js";

/** How many people an answer has at most. */
const page = 1_000;
/** How many people a chart has at most. */
export const most = 30_000;
const attributes = { only: { _0: ["displayName", "commonName", "givenName", "familyName", "title", "department"] } };

const operation = async (name, body, signal) => (await ask(`directory/v1/${name}`, signal, "POST", body)).answer;
const reference = (id) => ({ id: { _0: id } });

/**
 * A person of the chart. `direct` and `all` count the direct reports and everybody below, `reports` are the known reports in the
 * order of their names; each is undefined while it is not known. `isComplete` tells whether all the reports are known.
 * @typedef {{id: string, uid: string, version: number, name: string, title: string, department: string, isActive: boolean,
 *   manager: string | null, direct?: number, all?: number, reports?: Person[], isComplete: boolean, photo?: string | null}} Person
 */

const order = new Intl.Collator(undefined, { numeric: true });
const byName = (one, other) => order.compare(one.name, other.name);

/** The people who were asked for, and their lines. */
export class Company {
  /** @type {Map<string, Person>} */
  people = new Map();
  /**
   * Those without a manager; null while they are not known.
   * @type {Person[] | null}
   */
  tops = null;

  #take(user) {
    const { attributes: values } = user;
    const name = values.displayName || values.commonName || [values.givenName, values.familyName].filter(Boolean).join(" ") || user.uid;
    /** @type {Person} */
    const known = this.people.get(user.id) ?? /** @type {any} */ ({ isComplete: false });
    Object.assign(known, {
      id: user.id, uid: user.uid, version: user.version, name, title: values.title ?? "", department: values.department ?? "",
      isActive: user.active, manager: user.manager ?? null,
    });
    this.people.set(user.id, known);
    return known;
  }

  /**
   * Takes people below somebody, who come level by level, and within a level in the order of their managers.
   * @param levels how many levels were asked for
   * @param isWhole whether nobody is missing; else the last ones are
   */
  #takeBelow(top, rows, levels, isWhole) {
    const found = new Map([[top.id, []]]);
    const depths = new Map([[top.id, 0]]);
    for (const { user, depth } of rows) {
      const one = this.#take(user);
      depths.set(one.id, depth);
      if (!found.has(one.id)) found.set(one.id, []);
      found.get(one.manager)?.push(one);
    }
    const last = rows.at(-1);
    // The managers before the one whose reports end the answer have all theirs.
    let isPast = false;
    for (const [id, reports] of found) {
      const depth = depths.get(id);
      if (depth >= levels) continue;
      const isCut = !isWhole && (depth >= last.depth || (depth === last.depth - 1 && (isPast || id === last.user.manager)));
      if (isCut) isPast = true;
      const one = this.people.get(id);
      if (!one || one.isComplete) continue;
      if (!isCut) {
        one.reports = reports.sort(byName);
        one.direct = reports.length;
        one.isComplete = true;
        if (!reports.length || reports.every((report) => report.direct === 0)) one.all = reports.length;
      } else if (id === last.user.manager || id === top.id) one.reports = reports;
    }
  }

  /**
   * Asks for people below somebody.
   * @param levels 1 for the direct reports; null for all
   */
  async below(top, levels, signal) {
    if (levels !== null && levels <= 2) {
      const rows = await operation("below", { user: reference(top.id), attributes, levels, limit: page, offset: 0 }, signal);
      return this.#takeBelow(top, rows, levels, rows.length < page);
    }
    const rows = [];
    for (;;) {
      const limit = 2 * page;
      const more = await operation("below", { user: reference(top.id), attributes, ...(levels === null ? {} : { levels }), limit, offset: rows.length }, signal);
      rows.push(...more);
      const isWhole = more.length < limit;
      if (isWhole || rows.length >= most) return this.#takeBelow(top, rows, levels ?? Infinity, isWhole);
    }
  }

  /** Asks for the next reports of somebody of whom not all are known. */
  async moreReports(one, signal) {
    const last = one.reports?.at(-1);
    const rows = await operation("reportees", { user: reference(one.id), attributes, limit: page, ...(last ? { after: last.id } : {}) }, signal);
    one.reports = [...(one.reports ?? []), ...rows.map((row) => this.#take(row))];
    if (rows.length === page) return;
    one.direct = one.reports.length;
    one.isComplete = true;
  }

  /** Asks for those without a manager, and for the two levels below the first of them. */
  async loadTops(signal) {
    const rows = await operation("withoutManager", { attributes, limit: page }, signal);
    const tops = rows.map((row) => this.#take(row));
    await Promise.all(tops.slice(0, 8).map((top) => this.below(top, 2, signal)));
    await this.counts(tops.slice(8), signal, false);
    this.tops = tops.sort((one, other) => Number(other.direct > 0) - Number(one.direct > 0) || byName(one, other));
  }

  /** Asks for the managers of somebody up to the top, nearest first. */
  async chain(id, signal) {
    const rows = await operation("chain", { user: reference(id), attributes }, signal);
    return rows.map((row) => this.#take(row));
  }

  async person(id, signal) {
    const user = await operation("user", { user: reference(id), attributes, prefetch: 0 }, signal);
    return this.#take(user);
  }

  /**
   * Asks how many people report to others and are below them, four at a time.
   * @param isAll whether those with a known `direct` count
   */
  async counts(people, signal, isAll = true) {
    const left = people.filter((one) => (isAll ? one.all : one.direct) === undefined);
    const worker = async () => {
      for (let one = left.shift(); one; one = left.shift()) {
        const { direct, all } = await operation("reporteeCounts", { user: reference(one.id) }, signal);
        Object.assign(one, { direct, all });
      }
    };
    await Promise.all([worker(), worker(), worker(), worker()]);
  }

  /** Makes somebody the manager of a person; null puts the person at the top. */
  async move(one, manager) {
    const user = await operation("setManager", { user: reference(one.id), manager: manager && reference(manager.id), ifVersion: one.version });
    return this.#take(user);
  }
}
