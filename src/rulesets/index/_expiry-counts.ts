/** Moments in a full block; a block of more is split. */
const BLOCK = 512;
/** Moments in a block at first, so that a few more do not split it. */
const FILLED = 448;
/** Moments processed between two pauses: a few hundred microseconds. */
const STEP = 1 << 13;
/** Blocks copied between two pauses. */
const COPIED = 64;

/*
 *     #blocks    | m0 m1 ... | m448 ... | ... |      moments ascend in a block and from block to block
 *                | c0 c1 ... | c448 ... | ... |      counts[i] rules expire at moments[i]
 *                   total       total                the sum of the block's counts
 *
 * Invariants: no moment occurs twice; no block is empty, so moments[size - 1] is its last; none of the first `size`
 * counts is 0; between two calls a block has fewer than BLOCK moments, so one more always fits. Elements from `size` on
 * are undefined; `!` follows reads below `size`, or at the end of an existing block.
 */
/** Distinct moments in ascending order, and how many rules expire at each. */
interface Block {
  readonly moments: Float64Array;
  readonly counts: Uint32Array;
  size: number;
  /** The sum of the counts. */
  total: number;
}

/**
 * How many rules expire by any time: the distinct moments of their expiries, sorted, in blocks, with a count each.
 * Nothing depends on the current time, so nothing is swept and a clock may go back. With d distinct moments every
 * method is O(d / 512 + log d), of which the first part is a sum over small integers; rules that are imported together
 * mostly share one moment.
 */
export class ExpiryCounts {
  #blocks: Block[] = [];

  /**
   * The counts of many expiries at once; those that are not finite have no moment and are not counted. O(n log n) in
   * short steps, between which the expiries must not change.
   */
  static *counting(expiries: Float64Array): Generator<undefined, ExpiryCounts, undefined> {
    const moments = yield* finiteOf(expiries);
    const counts = new ExpiryCounts();
    yield* counts.#fill(yield* sorted(moments));
    return counts;
  }

  *copying(): Generator<undefined, ExpiryCounts, undefined> {
    const copy = new ExpiryCounts();
    for (const { moments, counts, size, total } of this.#blocks) {
      copy.#blocks.push({ moments: moments.slice(), counts: counts.slice(), size, total });
      if (copy.#blocks.length % COPIED === 0) yield;
    }
    return copy;
  }

  get byteLength(): number {
    return this.#blocks.reduce((sum, { moments, counts }) => sum + moments.byteLength + counts.byteLength, 0);
  }

  /** One more rule expires at the moment. */
  add(moment: number): void {
    const at = this.#blockOf(moment);
    const block = this.#blocks[at];
    // Only if there is no block at all: a moment after the last block goes into the last block.
    if (block === undefined) return void this.#blocks.push(newBlock(moment));
    const index = indexOf(block, moment);
    block.total++;
    if (index < block.size && block.moments[index] === moment) return void block.counts[index]!++;
    insert(block, index, moment);
    if (block.size === BLOCK) this.#blocks.splice(at + 1, 0, split(block));
  }

  /** One rule fewer expires at the moment, which must have one. */
  remove(moment: number): void {
    const at = this.#blockOf(moment);
    const block = this.#blocks[at]!;
    const index = indexOf(block, moment);
    block.total--;
    if (--block.counts[index]! > 0) return;
    block.moments.copyWithin(index, index + 1, block.size);
    block.counts.copyWithin(index, index + 1, block.size);
    if (--block.size === 0) this.#blocks.splice(at, 1);
  }

  /** How many rules expire at the time or before it. */
  countUntil(time: number): number {
    let count = 0;
    for (const block of this.#blocks) {
      if (block.moments[block.size - 1]! <= time) {
        count += block.total;
        continue;
      }
      // Ends before `size`: the block's last moment is after the time.
      for (let index = 0; block.moments[index]! <= time; index++) count += block.counts[index]!;
      break;
    }
    return count;
  }

  /** The first moment after the time at which a rule expires, Infinity if there is none. */
  firstAfter(time: number): number {
    const block = this.#blocks.find(({ moments, size }) => moments[size - 1]! > time);
    return block === undefined ? Number.POSITIVE_INFINITY : block.moments.find((moment) => moment > time)!;
  }

  /** The block that has the moment or should get it: the first that ends at or after it, or the last. */
  #blockOf(moment: number): number {
    let low = 0;
    let high = this.#blocks.length - 1;
    while (low < high) {
      const middle = (low + high) >>> 1;
      const { moments, size } = this.#blocks[middle]!;
      if (moments[size - 1]! < moment) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  *#fill(moments: Float64Array): Generator<undefined, void, undefined> {
    let block: Block | undefined;
    for (let at = 0; at < moments.length; at++) {
      if (at % STEP === STEP - 1) yield;
      const moment = moments[at]!;
      if (block === undefined || (block.moments[block.size - 1] !== moment && block.size === FILLED)) {
        block = newBlock(moment);
        this.#blocks.push(block);
        continue;
      }
      if (block.moments[block.size - 1] !== moment) block.moments[block.size++] = moment;
      block.counts[block.size - 1]!++;
      block.total++;
    }
  }
}

/** A loop in steps: `filter`, which calls a function for each element, takes five times as long, at once. */
function* finiteOf(expiries: Float64Array): Generator<undefined, Float64Array, undefined> {
  const finite = new Float64Array(expiries.length);
  let count = 0;
  for (let at = 0; at < expiries.length; at++) {
    if (at % STEP === STEP - 1) yield;
    finite[count] = expiries[at]!;
    if (Number.isFinite(finite[count])) count++;
  }
  return finite.subarray(0, count);
}

function newBlock(moment: number): Block {
  const block = { moments: new Float64Array(BLOCK), counts: new Uint32Array(BLOCK), size: 1, total: 1 };
  block.moments[0] = moment;
  block.counts[0] = 1;
  return block;
}

/** The index of the moment in the block, or the index at which it belongs. */
function indexOf({ moments, size }: Block, moment: number): number {
  let low = 0;
  let high = size;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (moments[middle]! < moment) low = middle + 1;
    else high = middle;
  }
  return low;
}

function insert(block: Block, index: number, moment: number): void {
  block.moments.copyWithin(index + 1, index, block.size);
  block.counts.copyWithin(index + 1, index, block.size);
  block.moments[index] = moment;
  block.counts[index] = 1;
  block.size++;
}

/** Takes the upper half out of a full block and returns it. */
function split(block: Block): Block {
  const half = block.size >>> 1;
  const upper = newBlock(0);
  upper.moments.set(block.moments.subarray(half, block.size));
  upper.counts.set(block.counts.subarray(half, block.size));
  upper.size = block.size - half;
  upper.total = sumOf(upper);
  block.size = half;
  block.total -= upper.total;
  return upper;
}

function sumOf({ counts, size }: Block): number {
  return counts.subarray(0, size).reduce((sum, count) => sum + count, 0);
}

/**
 * The values in ascending order: a merge sort from short runs (D. E. Knuth, TAOCP 3, 5.2.4), which skips what is in
 * order.
 */
export function* sorted(values: Float64Array): Generator<undefined, Float64Array, undefined> {
  for (let start = 0; start < values.length; start += STEP) {
    values.subarray(start, start + STEP).sort();
    yield;
  }
  let from: Float64Array = values;
  let to: Float64Array = new Float64Array(values.length);
  for (let width = STEP; width < values.length; width *= 2) {
    for (let start = 0; start < values.length; start += 2 * width) yield* merge(from, to, start, width);
    [from, to] = [to, from];
  }
  return from;
}

/** Merges two neighbouring runs of `width` values, the second of which may be shorter, or empty. */
function* merge(
  from: Float64Array,
  to: Float64Array,
  start: number,
  width: number,
): Generator<undefined, void, undefined> {
  const middle = Math.min(start + width, from.length);
  const end = Math.min(start + 2 * width, from.length);
  if (middle === end || from[middle - 1]! <= from[middle]!) return void to.set(from.subarray(start, end), start);
  for (let at = start, left = start, right = middle; at < end; at++) {
    if (at % STEP === STEP - 1) yield;
    const isLeft = right === end || (left < middle && from[left]! <= from[right]!);
    to[at] = from[isLeft ? left++ : right++]!;
  }
}
