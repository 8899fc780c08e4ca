/*
 * Sets of value ids, each named by one 32-bit word that fits a trie record:
 *
 *     00000000 00000000 00000000 00000000   the empty set
 *     0vvvvvvv vvvvvvvv vvvvvvvv vvvvvvvv   the set of value v alone: by far the most sets, and they take no cells here
 *     1ooooooo oooooooo oooooooo oooooooo   a block of cells at offset o, for two values or more:
 *
 *          o       o+1     o+2            o+count          o + 2^i
 *         +-------+-------+-------+ ... +----------+ ... +
 *         | count | least |       |     | greatest | free|
 *         +-------+-------+-------+ ... +----------+ ... +
 *
 * Invariants (test/trie/check-invariants.ts):
 *  - a block holds at least 2 values, ascending without duplicates, and its size is the smallest power of two, 4 or
 *    more, that fits them and their count: so the size follows from the count and is stored nowhere;
 *  - every cell from 4 to `end` belongs to exactly one block, and each block either to one trie record or to the list
 *    of freed ones of its size, chained through their first cells;
 *  - so a block that is named anywhere lies inside `cells`, and what the accessors below read exists.
 *
 * A set that grows or shrinks past a power of two moves; in between k values take at most 2k + 2 cells.
 */

/** The greatest value id: 2^31 - 1. */
export const MAX_VALUE = 0x7fffffff;

const BLOCK_TAG = 0x80000000;
const MIN_BLOCK_BITS = 2;
const INITIAL_CELLS = 64;

export class ValueSets {
  cells = new Uint32Array(INITIAL_CELLS);
  /** The first cell that no block has used yet. The first four cells are left out: offset 0 means "no block". */
  end = 1 << MIN_BLOCK_BITS;
  /** The most recently freed block of 2^i cells, by i; 0 if there is none. */
  readonly freed = new Uint32Array(32);

  /** The smallest value of a set, 0 if it is empty. */
  first(set: number): number {
    return set <= MAX_VALUE ? set : this.#valueAt(offsetOf(set), 0);
  }

  /** All values, ascending. */
  toArray(set: number): number[] {
    if (set <= MAX_VALUE) return set === 0 ? [] : [set];
    const at = offsetOf(set);
    return Array.from(this.cells.subarray(at + 1, at + 1 + this.#countAt(at)));
  }

  has(set: number, value: number): boolean {
    if (set <= MAX_VALUE) return set === value;
    const at = offsetOf(set);
    const rank = this.#rankOf(at, value);
    return rank < this.#countAt(at) && this.#valueAt(at, rank) === value;
  }

  /** The set with a value that it does not hold yet. The old word is invalid from then on. */
  with(set: number, value: number): number {
    if (set === 0) return value;
    if (set <= MAX_VALUE) return this.#pair(Math.min(set, value), Math.max(set, value));
    const old = offsetOf(set);
    const count = this.#countAt(old);
    const rank = this.#rankOf(old, value);
    const at = this.#resize(old, count, count + 1);
    // Values from `rank` on move up by one cell: ascending as before, with the new one in between.
    this.cells.copyWithin(at + 2 + rank, at + 1 + rank, at + 1 + count);
    this.cells[at + 1 + rank] = value;
    return at + BLOCK_TAG;
  }

  /** The set without a value that it holds. The old word is invalid from then on. */
  without(set: number, value: number): number {
    if (set <= MAX_VALUE) return 0;
    const old = offsetOf(set);
    const count = this.#countAt(old);
    const rank = this.#rankOf(old, value);
    this.cells.copyWithin(old + 1 + rank, old + 2 + rank, old + 1 + count);
    if (count > 2) return this.#resize(old, count, count - 1) + BLOCK_TAG;
    // Of two values one remains, and a single value is its own word. The count is still 2, which is what `release` needs.
    const remaining = this.#valueAt(old, 0);
    this.release(set);
    return remaining;
  }

  /** Frees a set's block, if it has one. Its word is invalid from then on. */
  release(set: number): void {
    if (set > MAX_VALUE) this.#free(offsetOf(set), blockBits(this.#countAt(offsetOf(set))));
  }

  clear(): void {
    this.cells = new Uint32Array(INITIAL_CELLS);
    this.end = 1 << MIN_BLOCK_BITS;
    this.freed.fill(0);
  }

  /** How many values the block at `at` holds. */
  #countAt(at: number): number {
    return this.cells[at]!;
  }

  /** The value of a rank below the count, in the block at `at`. */
  #valueAt(at: number, rank: number): number {
    return this.cells[at + 1 + rank]!;
  }

  #pair(low: number, high: number): number {
    const at = this.#allocate(blockBits(2));
    this.cells[at] = 2;
    this.cells[at + 1] = low;
    this.cells[at + 2] = high;
    return at + BLOCK_TAG;
  }

  /** How many values of a block are less than `value`: where it is, or belongs. */
  #rankOf(at: number, value: number): number {
    // Invariant: values of ranks below `low` are less than `value`, those from `high` on are not.
    let low = 0;
    let high = this.#countAt(at);
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.#valueAt(at, middle) < value) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  /** Makes a block hold `count` values, moving the values that stay if its size changes. */
  #resize(at: number, oldCount: number, count: number): number {
    const bits = blockBits(count);
    const oldBits = blockBits(oldCount);
    let target = at;
    if (bits !== oldBits) {
      target = this.#allocate(bits);
      const kept = Math.min(count, oldCount);
      this.cells.copyWithin(target + 1, at + 1, at + 1 + kept);
      this.#free(at, oldBits);
    }
    this.cells[target] = count;
    return target;
  }

  #allocate(bits: number): number {
    const reused = this.freed[bits]!; // bits is below 32: a block has at most 2^31 cells
    if (reused !== 0) {
      this.freed[bits] = this.cells[reused]!; // its first cell names the next freed block of its size
      return reused;
    }
    const at = this.end;
    const size = 1 << bits;
    if (at + size > this.cells.length) this.#grow(at + size);
    this.end = at + size;
    return at;
  }

  #free(at: number, bits: number): void {
    this.cells[at] = this.freed[bits]!;
    this.freed[bits] = at;
  }

  #grow(needed: number): void {
    const larger = new Uint32Array(Math.max(this.cells.length * 2, needed));
    larger.set(this.cells);
    this.cells = larger;
  }
}

function offsetOf(set: number): number {
  return set - BLOCK_TAG;
}

/**
 * The block size for a number of values, as a power of two: count + 1 cells must fit, and 32 - clz32(count) is the
 * smallest i with 2^i > count.
 */
function blockBits(count: number): number {
  return Math.max(MIN_BLOCK_BITS, 32 - Math.clz32(count));
}
