import { BITMAP_CHANGE_WORDS, BITMAP_HEADER_WORDS, BITMAP_LIMIT, KIND_SHIFT, NODE_BITMAP, NODE_LIST, NODE_WIDE, OFFSET_MASK, WIDE_WORDS } from "./layout.ts";
import { TableError } from "./table-error.ts";

/** The number of set bits of a 32-bit word (Hacker's Delight, 5-1; JavaScript has no instruction for it). */
export function popcount(word: number): number {
  let bits = word - ((word >>> 1) & 0x5555_5555);
  bits = (bits & 0x3333_3333) + ((bits >>> 2) & 0x3333_3333);
  return Math.imul((bits + (bits >>> 4)) & 0x0f0f_0f0f, 0x0101_0101) >>> 24;
}

/** The offset of the entry of `slot` in the list node at `node`: the last one whose key is <= slot. */
export function listEntry(nodes: Int32Array, node: number, slot: number): number {
  const count = nodes[node];
  let from = 0;
  // Invariant: the wanted entry is in [from, from + left).
  let left = count;
  while (left > 1) {
    const half = left >>> 1;
    const key = from + half - 1;
    const ahead = slot - ((nodes[node + 1 + (key >>> 1)] >>> ((key & 1) << 4)) & 0xffff);
    // Which half is a coin toss to the processor: ~(ahead >> 31) is all ones where ahead >= 0, and nothing to guess.
    from += half & ~(ahead >> 31);
    left -= half;
  }
  return node + 1 + (count >>> 1) + from;
}

function endless(family: 4 | 6): never {
  throw new TableError("bad-node", family === 4 ? "nodes4" : "nodes6", "nodes go deeper than an address has bits");
}

/** The offset of the entry of `slot` in the bitmap node at `node`: the rank before the slot's change word, and the bits in it. */
function bitmapEntry(nodes: Int32Array, node: number, slot: number): number {
  const word = slot >>> 5;
  const before = (nodes[node + BITMAP_CHANGE_WORDS + (word >>> 2)] >>> ((word & 3) << 3)) & 0xff;
  // Shifts count modulo 32: (2 << slot) - 1 has the bits up to and including the slot's.
  return node + BITMAP_HEADER_WORDS - 1 + before + popcount(nodes[node + word] & ((2 << slot) - 1));
}

/**
 * Goes on from `entry` at `depth` to the leaf of an IPv4 address. Depth grows with every node, so that even damaged
 * nodes end; a read past the nodes gives 0, no match.
 */
export function walk4(nodes: Int32Array, entry: number, address: number, depth: number): number {
  while (entry < 0) {
    if (depth > 31) endless(4);
    const node = entry & OFFSET_MASK;
    if (entry < BITMAP_LIMIT) {
      entry = nodes[bitmapEntry(nodes, node, (address << depth) >>> 24)] | 0;
      depth += 8;
    } else if (((entry >>> KIND_SHIFT) & 3) === NODE_LIST) {
      entry = nodes[listEntry(nodes, node, (address << depth) >>> 16)] | 0;
      depth += 16;
    } else {
      throw new TableError("bad-node", "nodes4", `kind ${(entry >>> KIND_SHIFT) & 3} has no place in an IPv4 index`);
    }
  }
  return entry;
}

/** Bits [depth, depth + 32) of an IPv6 address, depth < 128; those past its end are zero. */
function bitsAt(w0: number, w1: number, w2: number, w3: number, depth: number): number {
  const shift = depth & 31;
  let high = w0;
  let low = w1;
  if (depth >= 32) {
    high = depth < 64 ? w1 : depth < 96 ? w2 : w3;
    low = depth < 64 ? w2 : depth < 96 ? w3 : 0;
  }
  // ">>> 1 >>> (31 - shift)" is ">>> (32 - shift)" that also holds for shift 0.
  return (high << shift) | (low >>> 1 >>> (31 - shift));
}

/** As `walk4`, for an IPv6 address in four words (signed ones: larger numbers are kept on the heap when they are passed on). */
export function walk6(nodes: Int32Array, entry: number, w0: number, w1: number, w2: number, w3: number, depth: number): number {
  while (entry < 0) {
    if (depth > 127) endless(6);
    const node = entry & OFFSET_MASK;
    const kind = (entry >>> KIND_SHIFT) & 3;
    const next = bitsAt(w0, w1, w2, w3, depth);
    if (kind === NODE_LIST) {
      entry = nodes[listEntry(nodes, node, next >>> 16)] | 0;
      depth += 16;
    } else if (kind === NODE_WIDE) {
      const slot = next >>> 16;
      const word = node + 2 * (slot >>> 5);
      const rank = nodes[word + 1] + popcount(nodes[word] & ((2 << slot) - 1));
      entry = nodes[node + WIDE_WORDS - 1 + rank] | 0;
      depth += 16;
    } else if (kind === NODE_BITMAP) {
      entry = nodes[bitmapEntry(nodes, node, next >>> 24)] | 0;
      depth += 8;
    } else {
      const bits = nodes[node];
      // Less than one bit, or more than are left: no node that freeze wrote.
      if (!(bits >= 1 && bits <= 128 - depth)) endless(6);
      const order = compareSkipped(nodes, node + 3, bits, w0, w1, w2, w3, depth);
      if (order !== 0) return nodes[order < 0 ? node + 1 : node + 2] & 0x7fff_ffff;
      entry = nodes[node + 3 + ((bits + 31) >>> 5)] | 0;
      depth += bits;
    }
  }
  return entry;
}

/** Negative, 0, positive: `bits` bits of the address from `depth` on are less than, equal to, greater than those at nodes[at ...]. */
function compareSkipped(nodes: Int32Array, at: number, bits: number, w0: number, w1: number, w2: number, w3: number, depth: number): number {
  for (let done = 0; done < bits; done += 32) {
    const keep = bits - done >= 32 ? -1 : -1 << (32 - (bits - done));
    const expected = nodes[at++] >>> 0;
    const actual = (bitsAt(w0, w1, w2, w3, depth + done) & keep) >>> 0;
    if (actual !== expected) return actual < expected ? -1 : 1;
  }
  return 0;
}
