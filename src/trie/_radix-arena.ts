/*
 * One family's prefixes as a path-compressed binary trie (D. R. Morrison, "PATRICIA", JACM 15(4), 1968), all of
 * it in one array of 32-bit cells. A record is a run of cells, and its offset in the array is its name:
 *
 *     offset + LENGTH   prefix length
 *            + LEFT     the record that goes on with a 0 bit, or 0
 *            + RIGHT    the record that goes on with a 1 bit, or 0
 *            + VALUE    what the prefix maps to; 0 makes it a mere branching point
 *            + KEY...   the words of the prefix, host bits zero: 1 word (IPv4) or 4 (IPv6)
 *
 * A record's cells lie side by side, so that a step down the trie costs one cache miss and not one per field.
 *
 * What always holds:
 *  - a child's prefix is longer than its parent's and agrees with it on all of the parent's bits; the first bit after
 *    those says which child it is;
 *  - a record without a value has two children, so n prefixes need at most 2n - 1 records, whatever happened before;
 *  - every record is either reachable from the root once, or once on the list of freed ones.
 */

export const LENGTH = 0;
export const LEFT = 1;
export const RIGHT = 2;
export const VALUE = 3;
export const KEY = 4;

/**
 * Offset 0 stands for "none". That lets its record's left cell hold the root, which so has a parent cell like any
 * other.
 */
export const ROOT = LEFT;

const FIRST_CAPACITY = 64;

export class RadixArena {
  readonly words: 1 | 4;
  readonly stride: number;
  cells: Uint32Array;
  /** The first cell that no record has used yet. */
  end: number;
  /** The most recently freed record; each names the next in its left cell. */
  freed = 0;
  /** The number of prefixes: records with a value. */
  size = 0;
  /** Goes up with every record made or freed; a walk that sees it move looks up its place anew. */
  changes = 0;

  constructor(words: 1 | 4) {
    this.words = words;
    this.stride = KEY + words;
    this.cells = new Uint32Array(FIRST_CAPACITY * this.stride);
    this.end = this.stride;
  }

  /** The topmost record at or below a prefix, 0 if there is none. */
  subtree(w0: number, w1: number, w2: number, w3: number, length: number): number {
    const cells = this.cells;
    let at = cells[ROOT];
    while (at !== 0) {
      const depth = cells[at + LENGTH];
      const shared = this.sharedBits(at, w0, w1, w2, w3);
      if (depth >= length) return shared >= length ? at : 0;
      if (shared < depth) return 0;
      at = cells[at + LEFT + bitAt(w0, w1, w2, w3, depth)];
    }
    return 0;
  }

  /** The record of exactly this prefix (with or without a value), 0 if there is none. */
  find(w0: number, w1: number, w2: number, w3: number, length: number): number {
    const at = this.subtree(w0, w1, w2, w3, length);
    return at !== 0 && this.cells[at + LENGTH] === length ? at : 0;
  }

  /** The longest prefix with a value that covers an address, 0 if there is none. */
  match(w0: number, w1: number, w2: number, w3: number): number {
    const cells = this.cells;
    let best = 0;
    let at = cells[ROOT];
    while (at !== 0) {
      const depth = cells[at + LENGTH];
      if (this.sharedBits(at, w0, w1, w2, w3) < depth) break;
      if (cells[at + VALUE] !== 0) best = at;
      // At full length the bit is any bit, but there both children are 0.
      at = cells[at + LEFT + bitAt(w0, w1, w2, w3, depth)];
    }
    return best;
  }

  /**
   * The shortest prefix with a value that covers the given one and is longer than `after` bits, 0 if there is none.
   * Starts at record `from`, which must cover the prefix, or at the root if it is 0.
   */
  nextCovering(from: number, after: number, w0: number, w1: number, w2: number, w3: number, length: number): number {
    const cells = this.cells;
    let at = from === 0 ? cells[ROOT] : from;
    while (at !== 0) {
      const depth = cells[at + LENGTH];
      if (depth > length || this.sharedBits(at, w0, w1, w2, w3) < depth) return 0;
      if (depth > after && cells[at + VALUE] !== 0) return at;
      at = cells[at + LEFT + bitAt(w0, w1, w2, w3, depth)];
    }
    return 0;
  }

  /** The record of a prefix, made if need be. One that holds no value yet must get one: see `setValue`. */
  place(w0: number, w1: number, w2: number, w3: number, length: number): number {
    const cells = this.cells;
    let parentCell = ROOT;
    let at = cells[ROOT];
    let shared = 0;
    while (at !== 0) {
      const depth = cells[at + LENGTH];
      shared = Math.min(this.sharedBits(at, w0, w1, w2, w3), length);
      if (shared < depth) break;
      if (depth === length) return at;
      parentCell = at + LEFT + bitAt(w0, w1, w2, w3, depth);
      at = cells[parentCell];
    }
    const made = this.allocate(w0, w1, w2, w3, length);
    let top = made;
    if (at !== 0) top = shared === length ? this.adopt(made, at) : this.fork(shared, made, at);
    // Only now: what makes a record may replace the array, and this must land in the new one.
    this.cells[parentCell] = top;
    return made;
  }

  /** Says what a record of `place` or `find` maps to; not 0 (see `remove`). */
  setValue(at: number, value: number): void {
    if (this.cells[at + VALUE] === 0) this.size++;
    this.cells[at + VALUE] = value;
  }

  /**
   * Takes a prefix out, and with it the branching point that only it needed. Returns its value, 0 if it was not there.
   */
  remove(w0: number, w1: number, w2: number, w3: number, length: number): number {
    const cells = this.cells;
    let grandparentCell = ROOT;
    let parent = 0;
    let parentCell = ROOT;
    let at = cells[ROOT];
    while (at !== 0) {
      const depth = cells[at + LENGTH];
      if (depth > length || this.sharedBits(at, w0, w1, w2, w3) < depth) return 0;
      if (depth === length) break;
      grandparentCell = parentCell;
      parent = at;
      parentCell = at + LEFT + bitAt(w0, w1, w2, w3, depth);
      at = cells[parentCell];
    }
    const value = cells[at + VALUE];
    if (value === 0) return 0;
    cells[at + VALUE] = 0;
    this.size--;
    const children = (cells[at + LEFT] === 0 ? 0 : 1) + (cells[at + RIGHT] === 0 ? 0 : 1);
    if (children < 2) this.splice(parentCell, at);
    // A leaf has gone: a parent without a value is left with one child and no reason to be.
    if (children === 0 && parent !== 0 && cells[parent + VALUE] === 0) this.splice(grandparentCell, parent);
    return value;
  }

  clear(): void {
    this.cells = new Uint32Array(FIRST_CAPACITY * this.stride);
    this.end = this.stride;
    this.freed = 0;
    this.size = 0;
    this.changes++;
  }

  /** How many leading bits a record's key and the words have in common, host bits included: up to 32 or 128. */
  sharedBits(at: number, w0: number, w1: number, w2: number, w3: number): number {
    const cells = this.cells;
    let difference = cells[at + KEY] ^ w0;
    if (difference !== 0 || this.words === 1) return Math.clz32(difference);
    difference = cells[at + KEY + 1] ^ w1;
    if (difference !== 0) return 32 + Math.clz32(difference);
    difference = cells[at + KEY + 2] ^ w2;
    if (difference !== 0) return 64 + Math.clz32(difference);
    return 96 + Math.clz32(cells[at + KEY + 3] ^ w3);
  }

  /** The given bit of a record's key. */
  keyBit(at: number, position: number): number {
    return (this.cells[at + KEY + (position >>> 5)] >>> ~position) & 1;
  }

  /** Replaces a record by its only child, or by nothing, in the cell that names it, and frees it. */
  protected splice(parentCell: number, at: number): void {
    const cells = this.cells;
    cells[parentCell] = cells[at + LEFT] || cells[at + RIGHT];
    this.free(at);
  }

  protected free(at: number): void {
    this.cells[at + LEFT] = this.freed;
    this.freed = at;
    this.changes++;
  }

  /** Puts a record under a new one whose prefix covers it, and returns the new one. */
  private adopt(upper: number, lower: number): number {
    const side = this.keyBit(lower, this.cells[upper + LENGTH]);
    this.cells[upper + LEFT + side] = lower;
    return upper;
  }

  /** Makes the branching point above two records whose keys part after `length` bits. */
  private fork(length: number, one: number, other: number): number {
    const key = one + KEY;
    const branch =
      this.words === 1
        ? this.allocate(this.cells[key], 0, 0, 0, length)
        : this.allocate(this.cells[key], this.cells[key + 1], this.cells[key + 2], this.cells[key + 3], length);
    this.adopt(branch, one);
    return this.adopt(branch, other);
  }

  /** A record without value and children, from the freed ones if there are any. May replace `cells`. */
  private allocate(w0: number, w1: number, w2: number, w3: number, length: number): number {
    let at = this.freed;
    if (at !== 0) this.freed = this.cells[at + LEFT];
    else at = this.extend();
    const cells = this.cells;
    cells[at + LENGTH] = length;
    cells[at + LEFT] = 0;
    cells[at + RIGHT] = 0;
    cells[at + VALUE] = 0;
    cells[at + KEY] = w0 & maskOf(length);
    if (this.words === 4) {
      cells[at + KEY + 1] = w1 & maskOf(length - 32);
      cells[at + KEY + 2] = w2 & maskOf(length - 64);
      cells[at + KEY + 3] = w3 & maskOf(length - 96);
    }
    this.changes++;
    return at;
  }

  private extend(): number {
    const at = this.end;
    if (at + this.stride > this.cells.length) {
      const larger = new Uint32Array(this.cells.length * 2);
      larger.set(this.cells);
      this.cells = larger;
    }
    this.end = at + this.stride;
    return at;
  }
}

/** A bit of the words, 0 being the first. A shift takes its count modulo 32, and ~position is 31 - position there. */
export function bitAt(w0: number, w1: number, w2: number, w3: number, position: number): number {
  const word = position < 64 ? (position < 32 ? w0 : w1) : position < 96 ? w2 : w3;
  return (word >>> ~position) & 1;
}

/** The word whose leading `bits` bits are set: none below 1, all from 32 on. */
function maskOf(bits: number): number {
  if (bits <= 0) return 0;
  return bits >= 32 ? -1 : ~(-1 >>> bits);
}
