// Where the cards of the chart stand: pure functions of the people shown and of the room. Nothing here knows the page.

export const card = { width: 208, height: 62 };
const gap = { across: 20, down: 42 };
/** Where the line to the rows below stands, left of the first column. */
const spine = 18;
/** How many cards a grid may have before its columns follow from its number of cards alone. */
const many = 40;

/**
 * A card with the cards below it. `x` and `y` are those of the card, `left`, `top`, `width` and `height` those of the whole
 * block, in pixels at full size. `lines` are the lines from the card to those below, four numbers each.
 * @typedef {{person: object | null, children: Block[], parent: Block | null, depth: number, isOpen: boolean, x: number, y: number,
 *   left: number, top: number, width: number, height: number, lines: number[], columns: number, people: number}} Block
 */

/** A block that is not placed yet. A block without a person has the tops of the company below it, and no card. */
export function block(person, children, isOpen) {
  const made = { person, children, parent: null, depth: 1, isOpen, x: 0, y: 0, left: 0, top: 0, width: 0, height: 0, lines: [], columns: 1, people: 1 };
  for (const child of children) {
    child.parent = made;
    made.people += child.people;
  }
  return made;
}

function columnsOf(count, room) {
  const fit = Math.max(1, Math.floor((room + gap.across) / (card.width + gap.across)));
  if (count <= Math.min(fit, 5)) return count;
  const even = Math.ceil(Math.sqrt(1.5 * count));
  return count > many ? even : Math.min(fit, even);
}

/**
 * The rows of the blocks below a card.
 * @param isSmallFirst whether cards with nobody below them come first, else last
 */
function rowsOf(children, room, isSmallFirst) {
  const widths = children.reduce((sum, child) => sum + child.width + gap.across, -gap.across);
  const area = children.reduce((sum, child) => sum + (child.width + gap.across) * (child.height + gap.down), 0);
  const widest = children.reduce((most, child) => Math.max(most, child.width), 0);
  const limit = Math.max(widest, room - spine, Math.sqrt(area * 1.7));
  const isSmall = (child) => !child.children.length;
  // Few stand side by side, where there is room, even if the chart becomes wide.
  if (children.length <= 6 && widths <= (room >= 900 ? 1.9 : 1) * limit) return [children];
  const small = children.filter(isSmall);
  const grid = [];
  if (small.length) {
    const columns = columnsOf(small.length, room - spine);
    for (let at = 0; at < small.length; at += columns) grid.push(small.slice(at, at + columns));
  }
  const rows = [];
  let row = [];
  let width = 0;
  for (const child of children) {
    if (isSmall(child)) continue;
    if (row.length && width + child.width > limit) {
      rows.push(row);
      [row, width] = [[], 0];
    }
    row.push(child);
    width += child.width + gap.across;
  }
  if (row.length) rows.push(row);
  return isSmallFirst ? [...grid, ...rows] : [...rows, ...grid];
}

/** Sizes a block, and places the blocks below it relative to it. */
function measure(one, room) {
  for (const child of one.children) {
    child.depth = one.person ? one.depth + 1 : one.depth;
    measure(child, room - spine);
  }
  one.lines = [];
  [one.width, one.height] = one.person ? [card.width, card.height] : [0, 0];
  [one.x, one.y] = [0, 0];
  one.columns = 1;
  if (!one.children.length) return;
  const isTree = one.person !== null;
  const rows = rowsOf(one.children, room, isTree);
  const isColumn = rows.every((row) => row.length === 1);
  const inset = rows.length > 1 && isTree ? spine : 0;
  one.columns = rows[0].length;
  let y = isTree ? card.height : -gap.down;
  const bars = [];
  for (const row of rows) {
    y += gap.down;
    let x = inset;
    for (const child of row) {
      [child.left, child.top] = [x, y];
      x += child.width + gap.across;
    }
    one.width = Math.max(one.width, x - gap.across);
    bars.push({ row, y });
    y += row.reduce((most, child) => Math.max(most, child.height), 0);
  }
  one.height = y;
  if (!isTree) return;
  const last = rows.at(-1);
  const middle = (child) => child.left + child.x + card.width / 2;
  one.x = isColumn && rows.length > 1 ? 0 : Math.max(0, rows.length === 1
    ? (middle(last[0]) + middle(last.at(-1))) / 2 - card.width / 2 : inset + (one.width - inset - card.width) / 2);
  const from = one.x + card.width / 2;
  if (isColumn && rows.length > 1) {
    one.lines.push(2, card.height, 2, last[0].top + last[0].y + card.height / 2);
    for (const [child] of rows) one.lines.push(2, child.top + card.height / 2, child.left + child.x, child.top + card.height / 2);
    return;
  }
  one.lines.push(from, card.height, from, bars[0].y - gap.down / 2 + 4);
  for (const { row, y: top } of bars) {
    const bar = top - gap.down / 2 + 4;
    const ends = row.map(middle);
    for (const end of ends) one.lines.push(end, bar, end, top);
    if (top === bars[0].y) ends.push(from);
    if (rows.length > 1) ends.push(2);
    one.lines.push(Math.min(...ends), bar, Math.max(...ends), bar);
  }
  if (rows.length > 1) one.lines.push(2, bars[0].y - gap.down / 2 + 4, 2, bars.at(-1).y - gap.down / 2 + 4);
}

function place(one, left, top) {
  one.left = left;
  one.top = top;
  one.x += left;
  one.y += top;
  for (let at = 0; at < one.lines.length; at += 2) {
    one.lines[at] += left;
    one.lines[at + 1] += top;
  }
  for (const child of one.children) place(child, left + child.left, top + child.top);
}

/**
 * Places a block and all below it.
 * @param room how many pixels wide the place for the chart is, at full size
 */
export function layout(root, room) {
  measure(root, room);
  place(root, 0, 0);
}

/**
 * Visits the blocks that touch a part of the plane. Does not go into blocks for which `enter` is false.
 * @param part `left`, `top`, `right` and `bottom`
 */
export function within(one, part, enter) {
  if (one.left > part.right || one.top > part.bottom || one.left + one.width < part.left || one.top + one.height < part.top) return;
  if (!enter(one)) return;
  for (const child of one.children) within(child, part, enter);
}

/** The card that an arrow key leads to; undefined where there is none. */
export function neighbour(one, key) {
  const peers = one.parent?.children ?? [one];
  const at = peers.indexOf(one);
  const isAlone = (peer) => peer && !peer.children.length;
  // A grid of cards without anybody below them has rows.
  const inGrid = (peer) => isAlone(peer) && isAlone(one) && peer.x === one.x && peer;
  if (key === "ArrowLeft") return peers[at - 1];
  if (key === "ArrowRight") return peers[at + 1];
  const nearest = (sign) => peers.filter((peer) => inGrid(peer) && sign * (peer.y - one.y) > 0)
    .sort((first, second) => sign * (first.y - second.y))[0];
  if (key === "ArrowDown") return one.children[0] ?? nearest(1);
  if (key === "ArrowUp") return nearest(-1) ?? (one.parent?.person ? one.parent : undefined);
  return undefined;
}
