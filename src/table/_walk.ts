import { bucketStart, groupsFor, hashBucket, hashedForm, hashedKeysAt, wordMask } from "./_hashed.ts";
import {
  BITMAP_HEADER_WORDS,
  GROUP_BUCKETS,
  GROUP_WORDS,
  HASHED_EACH,
  HASHED_HEADER_WORDS,
  HASHED_KEYS,
  KIND_MASK,
  KIND_SHIFT,
  NODE_BITMAP,
  NODE_FLAG,
  NODE_HASHED,
  NODE_LIST,
  NODE_POINTS,
  NODE_SKIP,
  NODE_TREE,
  NODE_WIDE,
  OFFSET_MASK,
  POINTS_EACH,
  POINTS_HEADER_WORDS,
  POINTS_SIZE_MASK,
  POINTS_SIZE_SHIFT,
  POINTS_STORED_SHIFT,
  SKIP_UNIT,
  WIDE_WORDS,
} from "./layout.ts";
import { popcount } from "./popcount.ts";
import { TableError } from "./table-error.ts";

/*
 * Reads past the nodes. A node's offset and its counts are words of a file; nothing here checks them against the length of
 * the array, because every read is bounded another way: out of bounds a typed array gives undefined, and in the bitwise
 * expressions below that is 0. So a corrupt word leads to a match that may be wrong (`checkStructure` finds it), or to
 * entry 0, but not out of the array; and since depth grows with every node, every walk ends. The `!` say that much.
 */

/** The number of set bits of two words, which share the last steps. */
function popcountPair(word: number, other: number): number {
  let bits = word - ((word >>> 1) & 0x5555_5555);
  let more = other - ((other >>> 1) & 0x5555_5555);
  bits = (bits & 0x3333_3333) + ((bits >>> 2) & 0x3333_3333);
  more = (more & 0x3333_3333) + ((more >>> 2) & 0x3333_3333);
  bits += more; // up to 8 in each four bits
  return Math.imul((bits & 0x0f0f_0f0f) + ((bits >>> 4) & 0x0f0f_0f0f), 0x0101_0101) >>> 24;
}

/**
 * The words between a tree's count and its keys: the last keys of its full blocks, two a word. `count` entries have
 * count - 1 keys and so (count - 1) >>> 4 full blocks.
 */
export function separatorWords(count: number): number {
  return (((count - 1) >>> 4) + 1) >>> 1;
}

/**
 * The offset of the entry of `slot` in a node of `count` entries with sorted keys at `keys`: the last one whose key is
 * <= slot.
 */
function sortedEntry(nodes: Int32Array, keys: number, count: number, slot: number): number {
  let from = 0;
  // Invariant: the entry sought is in [from, from + left). Entry i begins at key i - 1, so `slot` belongs to the upper half
  // of the range, from + half on, exactly if key from + half - 1 is at most `slot`.
  let left = count;
  while (left > 1) {
    const half = left >>> 1;
    const key = from + half - 1;
    const ahead = slot - ((nodes[keys + (key >>> 1)]! >>> ((key & 1) << 4)) & 0xffff);
    // Which half is a coin toss to the processor: ~(ahead >> 31) is all ones where ahead >= 0, and nothing to guess.
    from += half & ~(ahead >> 31);
    left -= half;
  }
  return keys + (count >>> 1) + from;
}

/** The offset of the entry of `slot` in the list or tree node at `node`. */
function listEntry(nodes: Int32Array, node: number, slot: number): number {
  return sortedEntry(nodes, node + 1, nodes[node]!, slot);
}

function treeEntry(nodes: Int32Array, node: number, slot: number): number {
  const count = nodes[node]!;
  return sortedEntry(nodes, node + 1 + separatorWords(count), count, slot);
}

/**
 * The words between a points node's start and the entries that it stores one by one: `count` keys and the form are
 * halves of words.
 */
export function pointsWords(count: number): number {
  return POINTS_HEADER_WORDS + ((count + 2) >>> 1);
}

/** The entry of `slot` in the points node at `node`: that of the point it is in, or the background. */
function pointsEntry(nodes: Int32Array, node: number, slot: number): number {
  const form = nodes[node + POINTS_HEADER_WORDS]! & 0xffff;
  const count = (form & 0xff) + 1;
  const key = slot & (-1 << ((form >>> POINTS_SIZE_SHIFT) & POINTS_SIZE_MASK));
  let point = 0;
  // Invariant: if any of the keys is `key`, it is one of the `left` from `point` on.
  for (let left = count; left > 1;) {
    const half = left >>> 1;
    const ahead = key - keyOfPoint(nodes, node, point + half);
    point += half & ~(ahead >> 31); // as in `sortedEntry`
    left -= half;
  }
  if (keyOfPoint(nodes, node, point) !== key) return nodes[node]! | 0;
  const stored = form >>> POINTS_STORED_SHIFT;
  if (stored >= POINTS_EACH) return nodes[node + pointsWords(count) + point]! | 0;
  return (nodes[node + 1]! + (point & -stored)) | 0;
}

function keyOfPoint(nodes: Int32Array, node: number, point: number): number {
  const half = point + 1; // the form is half 0
  return (nodes[node + POINTS_HEADER_WORDS + (half >>> 1)]! >>> ((half & 1) << 4)) & 0xffff;
}

/**
 * The match of an address in the hashed node at `node`: that of the block it is in, or the background. The flag is
 * dropped, as no entry leads further: so every walk ends here.
 */
function hashedMatch(nodes: Int32Array, node: number, w0: number, w1: number, w2: number, w3: number): number {
  const { word, keyWords, length, stored } = hashedForm(nodes[node + 2]! | 0);
  const groups = groupsFor(nodes[node + 3]! | 0);
  const k0 = word > 0 ? 0 : w0 & wordMask(0, length);
  const k1 = word > 1 ? 0 : w1 & wordMask(1, length);
  const k2 = word > 2 ? 0 : w2 & wordMask(2, length);
  const k3 = w3 & wordMask(3, length);
  const bucket = hashBucket(k0, k1, k2, k3, groups);
  const group = node + HASHED_HEADER_WORDS + GROUP_WORDS * Math.trunc(bucket / GROUP_BUCKETS);
  const start = bucketStart(nodes, group, bucket % GROUP_BUCKETS);
  const keys = node + hashedKeysAt(groups) - word;
  // At most 16 keys in a sound table; in any other, what is past the nodes is equal to no key.
  const end = Math.min(bucketStart(nodes, group, (bucket % GROUP_BUCKETS) + 1), start + HASHED_KEYS);
  for (let key = start; key < end; key++) {
    const at = keys + key * keyWords; // of word 0, if the key had it
    if (word === 0 && nodes[at] !== k0) continue;
    if (word <= 1 && keyWords + word > 1 && nodes[at + 1] !== k1) continue;
    if (word <= 2 && keyWords + word > 2 && nodes[at + 2] !== k2) continue;
    if (keyWords + word > 3 && nodes[at + 3] !== k3) continue;
    if (stored !== HASHED_EACH) return nodes[node + 1]! & ~NODE_FLAG;
    return nodes[keys + word + nodes[node + 3]! * keyWords + key]! & ~NODE_FLAG;
  }
  return nodes[node]! & ~NODE_FLAG;
}

/** The offset of the entry of `slot` in the bitmap node at `node`. */
export function bitmapEntry(nodes: Int32Array, node: number, slot: number): number {
  const second = slot >>> 5;
  // Shifts count modulo 32: (2 << slot) - 1 has the bits up to and including the slot's (for slot 31, where 2 << 31 is 0,
  // all of them). A slot of the second word counts all of the first one too: -second is all ones then, else 0. Slot 0 is
  // always set, so the rank is at least 1 and "- 1" stays among the entries.
  return (
    node + BITMAP_HEADER_WORDS - 1 + popcountPair(nodes[node + second]! & ((2 << slot) - 1), nodes[node]! & -second)
  );
}

function endless(family: 4 | 6): never {
  throw new TableError("bad-node", family === 4 ? "nodes4" : "nodes6", "nodes go deeper than an address has bits");
}

function misplaced(family: 4 | 6, kind: number): never {
  throw new TableError(
    "bad-node",
    family === 4 ? "nodes4" : "nodes6",
    `a node of kind ${kind} is not valid in an IPv${family} index`,
  );
}

/**
 * Continues from `entry` at `depth` to the leaf of an IPv4 address. Depth grows by 6 or 16 with every node, so that a walk
 * ends after at most 6 nodes, in corrupt tables too. Bits past the last one are read as 0: the shift brings them in.
 */
export function walk4(nodes: Int32Array, entry: number, address: number, depth: number): number {
  while (entry < 0) {
    if (depth > 31) endless(4);
    const node = entry & OFFSET_MASK;
    const kind = (entry >>> KIND_SHIFT) & KIND_MASK;
    if (kind === NODE_BITMAP) {
      entry = nodes[bitmapEntry(nodes, node, (address << depth) >>> 26)]! | 0;
      depth += 6;
    } else if (kind === NODE_LIST) {
      entry = nodes[listEntry(nodes, node, (address << depth) >>> 16)]! | 0;
      depth += 16;
    } else if (kind === NODE_TREE) {
      entry = nodes[treeEntry(nodes, node, (address << depth) >>> 16)]! | 0;
      depth += 16;
    } else if (kind === NODE_POINTS) {
      entry = pointsEntry(nodes, node, (address << depth) >>> 16);
      depth += 16;
    } else {
      misplaced(4, kind);
    }
  }
  return entry;
}

/**
 * Bits [depth, depth + 16) of an IPv6 address; depth is a multiple of 16, and less than 128. So they are one half of a
 * word: the low one if bit 4 of the depth is set, else the high one, 16 further up (~depth & 16).
 */
function slotAt(w0: number, w1: number, w2: number, w3: number, depth: number): number {
  const word = depth < 64 ? (depth < 32 ? w0 : w1) : depth < 96 ? w2 : w3;
  return (word >>> (~depth & 16)) & 0xffff;
}

/**
 * As `walk4`, for an IPv6 address in four words (signed ones: larger numbers are kept on the heap when they are passed
 * on).
 */
export function walk6(
  nodes: Int32Array,
  entry: number,
  w0: number,
  w1: number,
  w2: number,
  w3: number,
  depth: number,
): number {
  while (entry < 0) {
    if (depth > 127) endless(6);
    const node = entry & OFFSET_MASK;
    const kind = (entry >>> KIND_SHIFT) & KIND_MASK;
    const slot = slotAt(w0, w1, w2, w3, depth);
    if (kind === NODE_LIST) {
      entry = nodes[listEntry(nodes, node, slot)]! | 0;
      depth += 16;
    } else if (kind === NODE_TREE) {
      entry = nodes[treeEntry(nodes, node, slot)]! | 0;
      depth += 16;
    } else if (kind === NODE_POINTS) {
      entry = pointsEntry(nodes, node, slot);
      depth += 16;
    } else if (kind === NODE_WIDE) {
      const word = node + 2 * (slot >>> 5);
      const rank = nodes[word + 1]! + popcount(nodes[word]! & ((2 << slot) - 1));
      entry = nodes[node + WIDE_WORDS - 1 + rank]! | 0;
      depth += 16;
    } else if (kind === NODE_SKIP) {
      const bits = nodes[node]!;
      // Less than one unit, half of one, or more than are left: not a node that `freeze` wrote, and one of 0 bits would
      // not let depth grow.
      if (!(bits >= SKIP_UNIT && bits <= 128 - depth && bits % SKIP_UNIT === 0)) endless(6);
      const order = compareSkipped(nodes, node + 3, bits, w0, w1, w2, w3, depth);
      if (order !== 0) return nodes[order < 0 ? node + 1 : node + 2]! & 0x7fff_ffff;
      entry = nodes[node + 3 + ((bits + 31) >>> 5)]! | 0;
      depth += bits;
    } else if (kind === NODE_HASHED) {
      return hashedMatch(nodes, node, w0, w1, w2, w3);
    } else {
      misplaced(6, kind);
    }
  }
  return entry;
}

/**
 * Negative, 0, positive: `bits` bits of the address from `depth` on are less than, equal to, greater than those at
 * nodes[at ...].
 */
function compareSkipped(
  nodes: Int32Array,
  at: number,
  bits: number,
  w0: number,
  w1: number,
  w2: number,
  w3: number,
  depth: number,
): number {
  for (let done = 0; done < bits; done += 16) {
    const expected = (nodes[at + (done >>> 5)]! >>> (~done & 16)) & 0xffff;
    const actual = slotAt(w0, w1, w2, w3, depth + done);
    if (actual !== expected) return actual - expected;
  }
  return 0;
}
