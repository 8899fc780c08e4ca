import { finished } from "../turns/finished.ts";
import { compareWords } from "./_boundaries.ts";

/** Fewer items than this are sorted by comparison. */
const MIN_COUNT = 1 << 13;
/** Items processed between two pauses: a few hundred microseconds. */
const STEP = 1 << 14;
const DIGITS = 1 << 16;

/** Returns a digit, below 65,536, of the key at an index. */
export type DigitOf = (index: number) => number;

/**
 * The indexes 0 to `count` - 1 in the order of their keys, equal ones in their own order: a radix sort from the least
 * significant digit (D. E. Knuth, TAOCP 3, 5.2.5). It can be interrupted. `digits`: from the least significant one.
 */
export function* sortedIndexes(
  count: number,
  digits: readonly DigitOf[],
  compare: (a: number, b: number) => number,
): Generator<undefined, Uint32Array, undefined> {
  let order = numbered(new Uint32Array(count));
  if (yield* isSorted(count, compare)) return order;
  if (count < MIN_COUNT) return order.sort((a, b) => compare(a, b) || a - b);
  let sorted = new Uint32Array(count);
  for (const digitOf of digits) if (yield* sortedByDigit(order, sorted, digitOf)) [order, sorted] = [sorted, order];
  return order;
}

/** Sets each index to itself. */
function numbered(order: Uint32Array<ArrayBuffer>): Uint32Array<ArrayBuffer> {
  for (let at = 0; at < order.length; at++) order[at] = at;
  return order;
}

/** Many lists are already in order. */
function* isSorted(count: number, compare: (a: number, b: number) => number): Generator<undefined, boolean, undefined> {
  for (let at = 1; at < count; at++) {
    if (compare(at - 1, at) > 0) return false;
    if (at % STEP === 0) yield;
  }
  return true;
}

/**
 * Writes the indexes to `to` in the order of one digit. Returns false, and writes nothing, if all have the same digit.
 */
function* sortedByDigit(
  from: Uint32Array,
  to: Uint32Array,
  digitOf: DigitOf,
): Generator<undefined, boolean, undefined> {
  const offsets = new Uint32Array(DIGITS);
  for (let at = 0; at < from.length; at++) {
    offsets[digitOf(at)]!++;
    if (at % STEP === 0) yield;
  }
  if (offsets[digitOf(0)] === from.length) return false;
  // Converts counts to the position of the first index with each digit. The position advances with each index written,
  // so equal ones keep their order, on which the sort by the previous digits relies.
  for (let digit = 0, offset = 0; digit < DIGITS; digit++) {
    const size = offsets[digit]!;
    offsets[digit] = offset;
    offset += size;
  }
  for (let at = 0; at < from.length; at++) {
    const index = from[at]!;
    to[offsets[digitOf(index)]!++] = index;
    if (at % STEP === 0) yield;
  }
  return true;
}

/** Three digits make a word. The counts of one digit fit the first-level cache, as those of 16 bits do not. */
const WORD_DIGIT_BITS = 11;
const WORD_DIGITS = 1 << WORD_DIGIT_BITS;
/** Words that are counted between two pauses: a few hundred microseconds. */
const COUNTED = 1 << 18;

/**
 * The words in ascending order, in another array; the memory of `words` is freed. `carried`, if given, has a number for
 * each word and is brought into the same order in place; the numbers of equal words keep theirs. O(words).
 */
export function sortedWords(words: Uint32Array<ArrayBuffer>, carried?: Uint32Array): Uint32Array<ArrayBuffer> {
  return finished(sortingWords(words, carried));
}

/** As `sortedWords`; can be interrupted. */
export function* sortingWords(
  words: Uint32Array<ArrayBuffer>,
  carried?: Uint32Array,
): Generator<undefined, Uint32Array<ArrayBuffer>, undefined> {
  let [from, to] = [words, new Uint32Array(words.length)];
  let carriedFrom = carried;
  let carriedTo: Uint32Array | undefined = carried && new Uint32Array(words.length);
  for (let shift = 0; shift < 32; shift += WORD_DIGIT_BITS) {
    const offsets = yield* offsetsOf(from, shift);
    for (let at = 0; at < from.length; at += STEP) {
      placeWords({ from, to, carriedFrom, carriedTo }, offsets, shift, at);
      yield;
    }
    [from, to] = [to, from];
    [carriedFrom, carriedTo] = [carriedTo, carriedFrom];
  }
  if (carried !== undefined && carriedFrom !== carried) carried.set(carriedFrom!);
  to.buffer.transfer(0); // otherwise it waits for a collection, and lists of millions count
  return from;
}

/** Where the words of each digit at `shift` begin. */
function* offsetsOf(words: Uint32Array, shift: number): Generator<undefined, Uint32Array, undefined> {
  const offsets = new Uint32Array(WORD_DIGITS + 1);
  for (let at = 0; at < words.length; at += COUNTED) {
    countDigits(words, offsets, shift, at);
    yield;
  }
  // Counts are stored one element later, so that their running sums are where each digit begins.
  for (let digit = 1; digit < WORD_DIGITS; digit++) offsets[digit]! += offsets[digit - 1]!;
  return offsets;
}

function countDigits(words: Uint32Array, offsets: Uint32Array, shift: number, start: number): void {
  const end = Math.min(start + COUNTED, words.length);
  for (let at = start; at < end; at++) offsets[((words[at]! >>> shift) & (WORD_DIGITS - 1)) + 1]!++;
}

interface Moved {
  readonly from: Uint32Array;
  readonly to: Uint32Array;
  readonly carriedFrom: Uint32Array | undefined;
  readonly carriedTo: Uint32Array | undefined;
}

/** Moves some words, and the numbers carried with them, by their digit at `shift`. */
function placeWords(
  { from, to, carriedFrom, carriedTo }: Moved,
  offsets: Uint32Array,
  shift: number,
  start: number,
): void {
  const end = Math.min(start + STEP, from.length);
  for (let at = start; at < end; at++) {
    const word = from[at]!;
    const offset = offsets[(word >>> shift) & (WORD_DIGITS - 1)]!++;
    to[offset] = word;
    if (carriedTo !== undefined) carriedTo[offset] = carriedFrom![at]!;
  }
}

/** Keys in columns: key number `at` has `width` words from `at * stride` on, the most significant first. */
export interface Keys {
  readonly words: Uint32Array;
  readonly width: 1 | 4;
  readonly stride: number;
  readonly count: number;
}

/** Keys with the same first two words that are sorted by comparison. */
const FEW = 16;

/**
 * The indexes of the keys in ascending order, equal ones in their own order. Each word is sorted as by `sortingWords`,
 * from the least significant one; the last two of four words only if many keys share the first two, as few do.
 * O(keys); can be interrupted.
 */
export function* sortedKeys(keys: Keys): Generator<undefined, Uint32Array, undefined> {
  const { count, width } = keys;
  const order = numbered(new Uint32Array(count));
  if (yield* isSorted(count, (a, b) => compareKeys(keys, a, b))) return order;
  if (count < MIN_COUNT) return order.sort((a, b) => compareKeys(keys, a, b) || a - b);
  if (width === 1) return yield* sortedByWords(keys, order, [0]);
  yield* sortedByWords(keys, order, [1, 0]);
  if (yield* sortedWithin(keys, order)) return order;
  return yield* sortedByWords(keys, numbered(order), [3, 2, 1, 0]);
}

function compareKeys({ words, width, stride }: Keys, a: number, b: number): number {
  return compareWords(words, a * stride, words, b * stride, width);
}

function* sortedByWords(
  { words, stride, count }: Keys,
  order: Uint32Array,
  which: readonly number[],
): Generator<undefined, Uint32Array, undefined> {
  for (const word of which) {
    const column = new Uint32Array(count);
    for (let at = 0; at < count; at++) {
      column[at] = words[order[at]! * stride + word]!;
      if (at % STEP === STEP - 1) yield;
    }
    yield* sortingWords(column, order);
  }
  return order;
}

/** Sorts keys in the order of their first two words by the others. Returns false if too many share the first two. */
function* sortedWithin(keys: Keys, order: Uint32Array): Generator<undefined, boolean, undefined> {
  for (let at = 1, start = 0; at < keys.count; at++) {
    if (at % STEP === 0) yield;
    if (!haveSameStart(keys, order[start]!, order[at]!)) start = at;
    else if (at - start >= FEW) return false;
    else insertAt(keys, order, start, at);
  }
  return true;
}

function haveSameStart({ words, stride }: Keys, a: number, b: number): boolean {
  return words[a * stride] === words[b * stride] && words[a * stride + 1] === words[b * stride + 1];
}

/** Moves the key at `at` to its place among those from `start` on, which are in order. */
function insertAt(keys: Keys, order: Uint32Array, start: number, at: number): void {
  const moved = order[at]!;
  let to = at;
  for (; to > start && compareKeys(keys, order[to - 1]!, moved) > 0; to--) order[to] = order[to - 1]!;
  order[to] = moved;
}
