// Draws a text as a QR code (ISO/IEC 18004): bytes, error correction M, versions 1 to 10.

/** For each version: error correction bytes of a block, and the numbers of data bytes of its blocks. */
/** @type {[number, number[]][]} */
const layouts = [
  [10, [16]], [16, [28]], [26, [44]], [18, [32, 32]], [24, [43, 43]], [16, [27, 27, 27, 27]], [18, [31, 31, 31, 31]],
  [22, [38, 38, 39, 39]], [22, [36, 36, 36, 37, 37]], [26, [43, 43, 43, 43, 44]],
];
const alignments = [[], [6, 18], [6, 22], [6, 26], [6, 30], [6, 34], [6, 22, 38], [6, 24, 42], [6, 26, 46], [6, 28, 50]];

const exponents = new Uint8Array(512);
const logarithms = new Uint8Array(256);
for (let power = 0, value = 1; power < 255; power += 1) {
  exponents[power] = exponents[power + 255] = value;
  logarithms[value] = power;
  value = (value << 1) ^ (value & 0x80 ? 0x11d : 0);
}
const product = (a, b) => (a && b ? exponents[logarithms[a] + logarithms[b]] : 0);

/** The Reed-Solomon remainder of a block. */
function correction(data, count) {
  let generator = [1];
  for (let power = 0; power < count; power += 1) {
    const next = new Array(generator.length + 1).fill(0);
    generator.forEach((value, index) => {
      next[index] ^= value;
      next[index + 1] ^= product(value, exponents[power]);
    });
    generator = next;
  }
  const rest = [...data, ...new Array(count).fill(0)];
  for (let index = 0; index < data.length; index += 1) {
    const factor = rest[index];
    if (factor) generator.forEach((value, offset) => { rest[index + offset] ^= product(value, factor); });
  }
  return rest.slice(data.length);
}

/** The data and error correction bytes in their order in the code; null for a text that is too long. */
function codewords(bytes) {
  const version = layouts.findIndex(([, blocks], index) =>
    bytes.length + (index < 9 ? 2 : 3) <= blocks.reduce((sum, size) => sum + size, 0)) + 1;
  if (!version) return null;
  const [count, sizes] = layouts[version - 1];
  const total = sizes.reduce((sum, size) => sum + size, 0);
  const bits = [];
  const add = (value, width) => { for (let bit = width - 1; bit >= 0; bit -= 1) bits.push((value >> bit) & 1); };
  add(4, 4);
  add(bytes.length, version < 10 ? 8 : 16);
  bytes.forEach((byte) => add(byte, 8));
  add(0, Math.min(4, total * 8 - bits.length));
  while (bits.length % 8) bits.push(0);
  const data = [];
  for (let index = 0; index < bits.length; index += 8) data.push(parseInt(bits.slice(index, index + 8).join(""), 2));
  for (let pad = 0xec; data.length < total; pad ^= 0xfd) data.push(pad);
  let start = 0;
  const blocks = sizes.map((size) => data.slice(start, (start += size)));
  const corrections = blocks.map((block) => correction(block, count));
  const woven = [];
  for (const list of [blocks, corrections]) {
    for (let index = 0; index < Math.max(...list.map((one) => one.length)); index += 1) {
      for (const one of list) if (index < one.length) woven.push(one[index]);
    }
  }
  return { version, woven };
}

const masks = [
  (row, column) => (row + column) % 2 === 0, (row) => row % 2 === 0, (_, column) => column % 3 === 0,
  (row, column) => (row + column) % 3 === 0, (row, column) => (Math.floor(row / 2) + Math.floor(column / 3)) % 2 === 0,
  (row, column) => ((row * column) % 2) + ((row * column) % 3) === 0,
  (row, column) => (((row * column) % 2) + ((row * column) % 3)) % 2 === 0,
  (row, column) => (((row + column) % 2) + ((row * column) % 3)) % 2 === 0,
];

/** The remainder of a division of polynomials, for the format and the version. */
function remainder(value, width, generator) {
  const length = 32 - Math.clz32(generator) - 1;
  let rest = value << length;
  for (let bit = width + length - 1; bit >= length; bit -= 1) if (rest & (1 << bit)) rest ^= generator << (bit - length);
  return (value << length) | rest;
}

function matrix(version, woven, mask) {
  const size = version * 4 + 17;
  const cells = Array.from({ length: size }, () => new Array(size).fill(null));
  const set = (row, column, value) => { if (row in cells && column in cells) cells[row][column] = value ? 1 : 0; };
  for (const [top, left] of [[0, 0], [0, size - 7], [size - 7, 0]]) {
    for (let row = -1; row <= 7; row += 1) {
      for (let column = -1; column <= 7; column += 1) {
        const ring = Math.max(Math.abs(row - 3), Math.abs(column - 3));
        set(top + row, left + column, ring !== 2 && ring !== 4);
      }
    }
  }
  for (let index = 8; index < size - 8; index += 1) {
    set(6, index, index % 2 === 0);
    set(index, 6, index % 2 === 0);
  }
  const centres = alignments[version - 1];
  const last = centres.at(-1);
  for (const row of centres) {
    for (const column of centres) {
      if ((row === 6 && (column === 6 || column === last)) || (column === 6 && row === last)) continue;
      for (let down = -2; down <= 2; down += 1) {
        for (let across = -2; across <= 2; across += 1) set(row + down, column + across, Math.max(Math.abs(down), Math.abs(across)) !== 1);
      }
    }
  }
  const format = remainder(mask, 5, 0x537) ^ 0x5412;
  for (let bit = 0; bit < 15; bit += 1) {
    const value = (format >> bit) & 1;
    set(bit < 6 ? bit : bit < 8 ? bit + 1 : size - 15 + bit, 8, value);
    set(8, bit < 8 ? size - 1 - bit : bit < 9 ? 7 : 14 - bit, value);
  }
  set(size - 8, 8, 1);
  if (version >= 7) {
    const bits = remainder(version, 6, 0x1f25);
    for (let bit = 0; bit < 18; bit += 1) {
      set(Math.floor(bit / 3), size - 11 + (bit % 3), (bits >> bit) & 1);
      set(size - 11 + (bit % 3), Math.floor(bit / 3), (bits >> bit) & 1);
    }
  }
  let next = 0;
  let isUp = true;
  for (let right = size - 1; right > 0; right -= 2, isUp = !isUp) {
    if (right === 6) right -= 1;
    for (let step = 0; step < size; step += 1) {
      const row = isUp ? size - 1 - step : step;
      for (const column of [right, right - 1]) {
        if (cells[row][column] !== null) continue;
        const bit = next < woven.length * 8 ? (woven[next >> 3] >> (7 - (next & 7))) & 1 : 0;
        next += 1;
        cells[row][column] = bit ^ (masks[mask](row, column) ? 1 : 0);
      }
    }
  }
  return cells;
}

/** How hard a code is to read: long runs of one colour and squares of it. */
function penalty(cells) {
  let sum = 0;
  const lines = [...cells, ...cells.map((_, column) => cells.map((row) => row[column]))];
  for (const line of lines) {
    for (const run of line.join("").match(/(.)\1*/g)) if (run.length > 4) sum += run.length - 2;
    sum += 40 * (line.join("").match(/(?=10111010000|00001011101)/g)?.length ?? 0);
  }
  for (let row = 1; row < cells.length; row += 1) {
    for (let column = 1; column < cells.length; column += 1) {
      const value = cells[row][column];
      if (value === cells[row - 1][column] && value === cells[row][column - 1] && value === cells[row - 1][column - 1]) sum += 3;
    }
  }
  return sum;
}

/** The QR code of a text as a picture; null for a text of more than 213 bytes. */
export function picture(text, label) {
  const words = codewords([...new TextEncoder().encode(text)]);
  if (!words) return null;
  const codes = masks.map((_, mask) => matrix(words.version, words.woven, mask));
  const cells = codes.reduce((best, one) => (penalty(one) < penalty(best) ? one : best));
  const size = cells.length + 8;
  const path = cells.flatMap((line, row) => line.map((value, column) => (value ? `M${column + 4} ${row + 4}h1v1h-1z` : ""))).join("");
  const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  for (const [key, value] of Object.entries({ viewBox: `0 0 ${size} ${size}`, class: "qr", role: "img", "aria-label": label, "shape-rendering": "crispEdges" })) svg.setAttribute(key, value);
  /** @type {[string, Record<string, string | number>][]} */
  const shapes = [["rect", { width: size, height: size, fill: "#fff" }], ["path", { d: path, fill: "#000" }]];
  for (const [name, attributes] of shapes) {
    const node = document.createElementNS("http://www.w3.org/2000/svg", name);
    for (const [key, value] of Object.entries(attributes)) node.setAttribute(key, String(value));
    svg.append(node);
  }
  return svg;
}
