/*
 * One family's prefixes as a path-compressed binary trie (D. R. Morrison, "PATRICIA", JACM 15(4), 1968), all of
 * it in one array of 32-bit cells. A record is a run of cells, and its offset in the array is its name:
 *
 *              LENGTH     LEFT      RIGHT     VALUE    KEY
 *            +---------+---------+---------+---------+---------+- - - - - - - - - - - - - - -+
 *     offset | 0..32/  | offset  | offset  | set of  | w0      | w1, w2, w3 (IPv6 only)      |
 *            |   128   | or 0    | or 0    | values  |         |                             |
 *            +---------+---------+---------+---------+---------+- - - - - - - - - - - - - - -+
 *
 *     LENGTH   prefix length
 *     LEFT     the record that continues with a 0 bit, 0 if there is none
 *     RIGHT    the record that continues with a 1 bit, 0 if there is none
 *     VALUE    what the prefix maps to; 0 makes the record a mere branching point
 *     KEY...   the words of the prefix, host bits zero: 1 word (IPv4) or 4 (IPv6)
 *
 * A record's cells are adjacent (20 or 32 bytes), so that a step down the trie costs one cache miss and not one per
 * field. LEFT + bit is the child's cell: a step needs no branch on the bit.
 *
 * Invariants (checked cell by cell in test/trie/check-invariants.ts):
 *  - a child's prefix is longer than its parent's and agrees with it on all of the parent's bits; the first bit after
 *    those says which child it is. So a walk ends after at most 33 or 129 records;
 *  - a record without a value has two children. Such a trie has fewer branching points than leaves, and every leaf has
 *    a value: n prefixes need at most 2n - 1 records, whatever was deleted before;
 *  - every record is either reachable from the root exactly once, or exactly once on the list of freed ones;
 *  - every offset that a LEFT, RIGHT or `freed` holds is 0 or a multiple of the stride below `end`, and `end` is at most
 *    `cells.length`: the cells of a record that is named anywhere exist. This is what every `!` in this file asserts.
 *    (Functions that read a cell and assert it once make inserting, deleting and listing 13 to 31 % slower.)
 */

export const LENGTH = 0;
export const LEFT = 1;
export const RIGHT = 2;
export const VALUE = 3;
export const KEY = 4;

/**
 * Offset 0 stands for "none", so no record is stored there. Its left cell holds the root instead, which thereby has a
 * parent cell like any other record; its other cells stay 0, so that record 0 reads as a prefix without a value.
 */
export const ROOT = LEFT;

const INITIAL_RECORDS = 64;

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
  /** Increases with every record made or freed; a walk that sees it change finds its position anew. */
  changes = 0;

  constructor(words: 1 | 4) {
    this.words = words;
    this.stride = KEY + words;
    this.cells = new Uint32Array(INITIAL_RECORDS * this.stride);
    this.end = this.stride;
  }

  /** The topmost record at or below a prefix, 0 if there is none. */
  subtree(w0: number, w1: number, w2: number, w3: number, length: number): number {
    const cells = this.cells;
    let at = cells[ROOT]!;
    while (at !== 0) {
      const depth = cells[at + LENGTH]!;
      const shared = this.sharedBits(at, w0, w1, w2, w3);
      if (depth >= length) return shared >= length ? at : 0;
      if (shared < depth) return 0;
      at = cells[at + LEFT + bitAt(w0, w1, w2, w3, depth)]!;
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
    let at = cells[ROOT]!;
    while (at !== 0) {
      const depth = cells[at + LENGTH]!;
      // A key that differs within its own length: neither it nor anything below it covers the address.
      if (this.sharedBits(at, w0, w1, w2, w3) < depth) break;
      if (cells[at + VALUE] !== 0) best = at;
      // At full length there is no next bit and the shift gives an arbitrary one, but there both children are 0.
      at = cells[at + LEFT + bitAt(w0, w1, w2, w3, depth)]!;
    }
    return best;
  }

  /**
   * The shortest prefix with a value that covers the given one and is longer than `after` bits, 0 if there is none.
   * Starts at record `from`, which must cover the prefix, or at the root if it is 0.
   */
  nextCovering(from: number, after: number, w0: number, w1: number, w2: number, w3: number, length: number): number {
    const cells = this.cells;
    let at = from === 0 ? cells[ROOT]! : from;
    while (at !== 0) {
      const depth = cells[at + LENGTH]!;
      if (depth > length || this.sharedBits(at, w0, w1, w2, w3) < depth) return 0;
      if (depth > after && cells[at + VALUE] !== 0) return at;
      at = cells[at + LEFT + bitAt(w0, w1, w2, w3, depth)]!;
    }
    return 0;
  }

  /**
   * The record of a prefix, made if need be. One that has no value yet must get one (`setValue`): until then it may be a
   * record without a value and without two children.
   */
  findOrCreate(w0: number, w1: number, w2: number, w3: number, length: number): number {
    const cells = this.cells;
    let parentCell = ROOT;
    let at = cells[ROOT]!;
    let shared = 0;
    while (at !== 0) {
      const depth = cells[at + LENGTH]!;
      shared = Math.min(this.sharedBits(at, w0, w1, w2, w3), length);
      if (shared < depth) break;
      if (depth === length) return at;
      parentCell = at + LEFT + bitAt(w0, w1, w2, w3, depth);
      at = cells[parentCell]!;
    }
    // Here record `at`, if any, leaves the prefix after `shared` bits, fewer than its own length:
    //
    //     no record                shared = length           shared < length
    //     parent -> made           parent -> made -> at      parent -> fork -> made, at
    //
    // `shared` is at least the parent's length + 1 (both continue with the same bit), so the new record fits in between.
    const made = this.#allocate(w0, w1, w2, w3, length);
    let top = made;
    if (at !== 0) top = shared === length ? this.#adopt(made, at) : this.#fork(shared, made, at);
    // Only now: what makes a record may replace the array, and this must be written to the new one.
    this.cells[parentCell] = top;
    return made;
  }

  /** Sets what a record of `findOrCreate` or `find` maps to; not to 0 (see `remove`). */
  setValue(at: number, value: number): void {
    if (this.cells[at + VALUE] === 0) this.size++;
    this.cells[at + VALUE] = value;
  }

  /**
   * Removes a prefix, and with it the branching point that only it needed. Returns its value, 0 if it was not present.
   */
  remove(w0: number, w1: number, w2: number, w3: number, length: number): number {
    const cells = this.cells;
    let grandparentCell = ROOT;
    let parent = 0;
    let parentCell = ROOT;
    let at = cells[ROOT]!;
    while (at !== 0) {
      const depth = cells[at + LENGTH]!;
      if (depth > length || this.sharedBits(at, w0, w1, w2, w3) < depth) return 0;
      if (depth === length) break;
      grandparentCell = parentCell;
      parent = at;
      parentCell = at + LEFT + bitAt(w0, w1, w2, w3, depth);
      at = cells[parentCell]!;
    }
    // Record 0, where the walk found nothing, has no value either.
    const value = cells[at + VALUE]!;
    if (value === 0) return 0;
    cells[at + VALUE] = 0;
    this.size--;
    // "A record without a value has two children" may now fail at two records at most. The record itself: with two
    // children it stays as a branching point, with one or none it is spliced out. Its parent: only if the record was a
    // leaf has it lost a child, and only without a value must it go; the grandparent then keeps its number of children.
    const children = (cells[at + LEFT] === 0 ? 0 : 1) + (cells[at + RIGHT] === 0 ? 0 : 1);
    if (children < 2) this.splice(parentCell, at);
    if (children === 0 && parent !== 0 && cells[parent + VALUE] === 0) this.splice(grandparentCell, parent);
    return value;
  }

  clear(): void {
    this.cells = new Uint32Array(INITIAL_RECORDS * this.stride);
    this.end = this.stride;
    this.freed = 0;
    this.size = 0;
    this.changes++;
  }

  /**
   * How many leading bits a record's key and the words have in common, host bits included: up to 32 or 128. The first
   * set bit of their exclusive or is the first difference; of equal words `clz32` gives 32.
   */
  sharedBits(at: number, w0: number, w1: number, w2: number, w3: number): number {
    const cells = this.cells;
    let difference = cells[at + KEY]! ^ w0;
    if (difference !== 0 || this.words === 1) return Math.clz32(difference);
    difference = cells[at + KEY + 1]! ^ w1;
    if (difference !== 0) return 32 + Math.clz32(difference);
    difference = cells[at + KEY + 2]! ^ w2;
    if (difference !== 0) return 64 + Math.clz32(difference);
    return 96 + Math.clz32(cells[at + KEY + 3]! ^ w3);
  }

  /** The given bit of a record's key, which must be one of its family's. */
  keyBit(at: number, bit: number): number {
    return (this.cells[at + KEY + (bit >>> 5)]! >>> ~bit) & 1;
  }

  /** Replaces a record by its only child, or by nothing, in the cell that names it, and frees it. */
  splice(parentCell: number, at: number): void {
    const cells = this.cells;
    cells[parentCell] = cells[at + LEFT]! || cells[at + RIGHT]!;
    this.free(at);
  }

  /** Puts a record that nothing names any more on the list of freed ones. */
  free(at: number): void {
    this.cells[at + LEFT] = this.freed;
    this.freed = at;
    this.changes++;
  }

  /** Puts a record below a new one whose prefix covers it, and returns the new one. */
  #adopt(upper: number, lower: number): number {
    const side = this.keyBit(lower, this.cells[upper + LENGTH]!);
    this.cells[upper + LEFT + side] = lower;
    return upper;
  }

  /** Makes the branching point above two records whose keys differ first at bit `length`: each gets a side of its own. */
  #fork(length: number, one: number, other: number): number {
    const { cells } = this;
    const branch =
      this.words === 1
        ? this.#allocate(cells[one + KEY]!, 0, 0, 0, length)
        : this.#allocate(
            cells[one + KEY]!,
            cells[one + KEY + 1]!,
            cells[one + KEY + 2]!,
            cells[one + KEY + 3]!,
            length,
          );
    this.#adopt(branch, one);
    return this.#adopt(branch, other);
  }

  /** A record without value and children, from the freed ones if there are any. May replace `cells`. */
  #allocate(w0: number, w1: number, w2: number, w3: number, length: number): number {
    let at = this.freed;
    if (at !== 0) this.freed = this.cells[at + LEFT]!;
    else at = this.#extend();
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

  /** A record of cells that were never used. Doubling makes copying O(1) per record, amortised. */
  #extend(): number {
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

/**
 * A bit of the words, 0 being the first, network order. A shift takes its count modulo 32, and ~bit is 31 - bit there:
 *
 *     bit         0        31 | 32       63 | 64 ...
 *     word        w0          | w1          | w2 ...
 *     ~bit & 31   31        0 | 31        0 | 31 ...
 */
export function bitAt(w0: number, w1: number, w2: number, w3: number, bit: number): number {
  const word = bit < 64 ? (bit < 32 ? w0 : w1) : bit < 96 ? w2 : w3;
  return (word >>> ~bit) & 1;
}

/**
 * The word whose first `bits` bits are set: none below 1, all from 32 on. The cases are apart because a shift by 32 is a
 * shift by 0.
 */
function maskOf(bits: number): number {
  if (bits <= 0) return 0;
  return bits >= 32 ? -1 : ~(-1 >>> bits);
}
