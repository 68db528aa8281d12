// The people of the table, page by page.

import * as directory from "./directory.js";
import { joined } from "./filters.js";

/** How many people words find at most. */
export const mostMatches = 200;

/** The people that a state names, page by page. Words find at most 200; with filters or an order besides, those among them. */
export class Listing {
  constructor({ words, filters, sort, isDescending }, attributes, columns) {
    this.words = words;
    this.filters = filters;
    this.isDescending = isDescending;
    this.attributes = attributes;
    /**
     * What selects those whom words have found.
     * @type {string[] | null}
     */
    this.ids = null;
    this.sort = columns.find((one) => one.name === sort)?.sort;
    this.cursor = "";
    this.total = null;
  }

  get hasMore() { return this.cursor !== null; }

  /** The next people, `count` at most. */
  async more(count, signal) {
    let { filters } = this;
    if (this.words && !filters.length && !this.sort) {
      this.cursor = null;
      const found = await directory.matching(this.words, this.attributes, signal);
      this.total = found.length;
      return found;
    }
    if (this.words) {
      this.ids ??= (await directory.matching(this.words, ["id"], signal)).map((one) => `id eq ${JSON.stringify(one.id)}`);
      if (!this.ids.length) {
        this.cursor = null;
        this.total = 0;
        return [];
      }
      filters = [this.ids.join(" or "), ...filters];
    }
    const page = await directory.pageOf("Users", {
      filter: joined(filters), sort: this.sort ?? directory.byName, isDescending: this.isDescending, attributes: this.attributes, cursor: this.cursor, count }, signal);
    this.cursor = page.nextCursor ?? null;
    this.total = page.totalResults;
    return page.Resources;
  }

  /** All people from here on. `tell` gets how many are known. */
  async all(signal, tell = (_count, _total) => {}) {
    const people = [];
    while (this.hasMore) {
      people.push(...await this.more(1000, signal));
      tell(people.length, this.total);
    }
    return people;
  }
}
