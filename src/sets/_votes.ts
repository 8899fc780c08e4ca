import type { Family } from "../address/address.ts";
import { type Boundaries, compareWords, STEP, wordsOf } from "./_boundaries.ts";

/** The boundaries of a set while they are passed. */
interface Voter {
  readonly words: Uint32Array;
  readonly weight: number;
  at: number;
}

/**
 * The addresses for which the weights of the sets that hold them add up to `least` or more. One pass over all
 * boundaries, in order, by a heap of sets whose least is the one with the next boundary: O(n log sets).
 *
 *     addresses   0   1   2   3   4   5   6   7
 *     first           x   x   x                      weight 1, boundaries 1, 4
 *     second                  x   x   x              weight 1, boundaries 3, 6
 *     votes       0   1   1   2   1   1   0   0      2 or more: boundaries 3, 4
 */
export function* votedFor(
  family: Family,
  sets: readonly Boundaries[],
  weights: readonly number[],
  least: number,
): Generator<undefined, Boundaries, undefined> {
  const width = wordsOf(family);
  const heap = sets
    .map(({ words }, index): Voter => ({ words, weight: weights[index]!, at: 0 }))
    .filter(({ words }) => words.length > 0);
  const isBefore = (one: Voter, other: Voter): boolean =>
    compareWords(one.words, one.at, other.words, other.at, width) < 0;
  for (let at = (heap.length >>> 1) - 1; at >= 0; at--) sink(heap, at, isBefore);
  // Of 20 lists of a million, all boundaries take 160 MB; those of the result are usually far fewer.
  let result = new Uint32Array(Math.max(width, ...sets.map(({ words }) => words.length)));
  let [length, votes, steps] = [0, 0, 0];
  while (heap.length > 0) {
    const { words, at } = heap[0]!;
    const held = votes >= least;
    // Every set that begins or ends here, so that an address at which one ends and another begins is no boundary.
    while (heap.length > 0 && compareWords(heap[0]!.words, heap[0]!.at, words, at, width) === 0) {
      const voter = heap[0]!;
      const begins = (voter.at / width) % 2 === 0;
      votes += begins ? voter.weight : -voter.weight;
      voter.at += width;
      if (voter.at === voter.words.length) {
        const last = heap.pop()!;
        if (last !== voter) heap[0] = last;
      }
      if (heap.length > 0) sink(heap, 0, isBefore);
      if (++steps % STEP === 0) yield;
    }
    if (votes >= least === held) continue;
    if (length === result.length) result = doubled(result);
    for (let word = 0; word < width; word++) result[length++] = words[at + word]!;
  }
  return { family, words: result.slice(0, length) };
}

function doubled(words: Uint32Array): Uint32Array<ArrayBuffer> {
  const larger = new Uint32Array(2 * words.length);
  larger.set(words);
  return larger;
}

/** Moves an item below those that are before it. */
function sink<Item>(heap: Item[], at: number, isBefore: (one: Item, other: Item) => boolean): void {
  for (;;) {
    let child = 2 * at + 1;
    if (child >= heap.length) return;
    if (child + 1 < heap.length && isBefore(heap[child + 1]!, heap[child]!)) child++;
    if (!isBefore(heap[child]!, heap[at]!)) return;
    [heap[at], heap[child]] = [heap[child]!, heap[at]!];
    at = child;
  }
}
