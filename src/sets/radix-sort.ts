import { finished } from "../turns/finished.ts";

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
  let order = new Uint32Array(count);
  for (let at = 0; at < count; at++) order[at] = at;
  if (yield* isSorted(count, compare)) return order;
  if (count < MIN_COUNT) return order.sort((a, b) => compare(a, b) || a - b);
  let sorted = new Uint32Array(count);
  for (const digitOf of digits) if (yield* sortedByDigit(order, sorted, digitOf)) [order, sorted] = [sorted, order];
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
