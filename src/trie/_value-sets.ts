/*
 * Sets of value ids, each named by one 32-bit word that fits a trie record: 0 is the empty set, a word below 2^31 is
 * the set of just itself (by far the most sets, and they take no room here), and a word with the top bit set points to
 * a block of cells: how many values there are, then the values in ascending order. A block's size is the least power
 * of two that holds them; freed blocks of a size are chained through their first cell and used again.
 */

/** The greatest value id: 2^31 - 1. */
export const MAX_VALUE = 0x7fffffff;

const BLOCK_TAG = 0x80000000;
const SMALLEST_BLOCK_BITS = 2;
const FIRST_CAPACITY = 64;

export class ValueSets {
  cells = new Uint32Array(FIRST_CAPACITY);
  /** The first cell that no block has used yet. The first block is left out, for 0 means "no block". */
  end = 1 << SMALLEST_BLOCK_BITS;
  /** The most recently freed block of 2^i cells, by i; 0 if there is none. */
  readonly freed = new Uint32Array(32);

  /** The smallest value of a set, 0 if it is empty. */
  first(set: number): number {
    return set <= MAX_VALUE ? set : this.cells[offsetOf(set) + 1];
  }

  /** All values, ascending. */
  toArray(set: number): number[] {
    if (set <= MAX_VALUE) return set === 0 ? [] : [set];
    const at = offsetOf(set);
    return Array.from(this.cells.subarray(at + 1, at + 1 + this.cells[at]));
  }

  has(set: number, value: number): boolean {
    if (set <= MAX_VALUE) return set === value;
    const at = offsetOf(set);
    const position = this.#position(at, value);
    return position < this.cells[at] && this.cells[at + 1 + position] === value;
  }

  /** The set with a value that it does not hold yet. The word of the old set means nothing any more. */
  with(set: number, value: number): number {
    if (set === 0) return value;
    if (set <= MAX_VALUE) return this.#pair(Math.min(set, value), Math.max(set, value));
    const old = offsetOf(set);
    const count = this.cells[old];
    const position = this.#position(old, value);
    const at = this.#resize(old, count, count + 1);
    this.cells.copyWithin(at + 2 + position, at + 1 + position, at + 1 + count);
    this.cells[at + 1 + position] = value;
    return at + BLOCK_TAG;
  }

  /** The set without a value that it holds. The word of the old set means nothing any more. */
  without(set: number, value: number): number {
    if (set <= MAX_VALUE) return 0;
    const old = offsetOf(set);
    const count = this.cells[old];
    const position = this.#position(old, value);
    this.cells.copyWithin(old + 1 + position, old + 2 + position, old + 1 + count);
    if (count > 2) return this.#resize(old, count, count - 1) + BLOCK_TAG;
    const remaining = this.cells[old + 1];
    this.release(set);
    return remaining;
  }

  /** Gives a set's block back. */
  release(set: number): void {
    if (set > MAX_VALUE) this.#free(offsetOf(set), blockBits(this.cells[offsetOf(set)]));
  }

  clear(): void {
    this.cells = new Uint32Array(FIRST_CAPACITY);
    this.end = 1 << SMALLEST_BLOCK_BITS;
    this.freed.fill(0);
  }

  #pair(low: number, high: number): number {
    const at = this.#allocate(blockBits(2));
    this.cells[at] = 2;
    this.cells[at + 1] = low;
    this.cells[at + 2] = high;
    return at + BLOCK_TAG;
  }

  /** How many values of a block are less than `value`. */
  #position(at: number, value: number): number {
    let low = 0;
    let high = this.cells[at];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.cells[at + 1 + middle] < value) low = middle + 1;
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
    let at = this.freed[bits];
    if (at !== 0) {
      this.freed[bits] = this.cells[at];
      return at;
    }
    at = this.end;
    const size = 1 << bits;
    if (at + size > this.cells.length) this.#grow(at + size);
    this.end = at + size;
    return at;
  }

  #free(at: number, bits: number): void {
    this.cells[at] = this.freed[bits];
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

/** The block size for a number of values, as a power of two: the values and their count must fit. */
function blockBits(count: number): number {
  return Math.max(SMALLEST_BLOCK_BITS, 32 - Math.clz32(count));
}
