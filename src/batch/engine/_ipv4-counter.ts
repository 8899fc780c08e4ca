import { sortedWords } from "../../sets/radix-sort.ts";
import { finished } from "../../turns/finished.ts";

const FIRST_PENDING = 1 << 10;
/** Words that are sorted at a time, unless many are counted: a millisecond or two, and what the caches hold. */
const LEAST_SORTED = 1 << 16;
const CACHED = 1 << 18;
/** Words merged between two interruptions: a millisecond or two. */
const STEP = 1 << 16;

/** Distinct words in ascending order, and the lines that each has. */
interface SortedCounts {
  readonly words: Uint32Array;
  readonly counts: Float64Array;
}

/**
 * Counts lines by word. Words are kept as they come, and now and then sorted and merged with those counted before: where
 * nearly every word is another one, a fifth of the time of a hash table, which misses the cache for each, and no one can
 * choose words that take longer.
 *
 *     pending   7 3 7 9          sorted and counted: 3 7 9
 *     counted   1 3 8      +     1 2 1              merged: 1 3 7 8 9
 *               5 2 1                                       5 3 2 1 1
 */
export class Ipv4Counter {
  #counted: SortedCounts = { words: new Uint32Array(0), counts: new Float64Array(0) };
  #pending = new Uint32Array(FIRST_PENDING);
  #pendingCount = 0;
  readonly #most: number;

  /** For up to `most` distinct words: where they are few, few are sorted in one go. */
  constructor(most: number) {
    this.#most = most;
  }

  /** There are no more distinct words than this. O(1) */
  get most(): number {
    return this.#counted.words.length + this.#pendingCount;
  }

  /** The distinct words. O(words) if any was added since the last call. */
  get size(): number {
    this.#countPending();
    return this.#counted.words.length;
  }

  /** Adds a line to each of the first `count` words from `at` on. */
  add(words: Uint32Array, at: number, count: number): void {
    for (let from = at, left = count; left > 0;) {
      if (this.#pendingCount === this.#pending.length) this.#makeRoom();
      const some = Math.min(left, this.#pending.length - this.#pendingCount);
      this.#pending.set(words.subarray(from, from + some), this.#pendingCount);
      this.#pendingCount += some;
      from += some;
      left -= some;
    }
  }

  /** Adds the counts of another counter. Can be interrupted. */
  *adding(words: Uint32Array, counts: Float64Array): Generator<undefined, void, undefined> {
    this.#countPending();
    this.#counted = yield* merging(this.#counted, { words, counts });
  }

  /** Subtracts this many lines from each word; words that have no more than that are removed. */
  subtract(lines: number): void {
    const { words, counts } = this.entries();
    let kept = 0;
    for (let at = 0; at < words.length; at++) {
      if (counts[at]! <= lines) continue;
      words[kept] = words[at]!;
      counts[kept++] = counts[at]! - lines;
    }
    this.#counted = { words: words.slice(0, kept), counts: counts.slice(0, kept) };
  }

  /** The distinct words in ascending order, and their lines. */
  entries(): SortedCounts {
    this.#countPending();
    return this.#counted;
  }

  /** For twice as many words as are counted, so that a word is merged a few times however many there are. */
  #makeRoom(): void {
    const least = Math.min(CACHED, Math.max(LEAST_SORTED, this.#most));
    const most = Math.max(least, Math.min(this.#most, 2 * this.#counted.words.length));
    if (this.#pendingCount >= most) return this.#countPending();
    const pending = new Uint32Array(Math.min(most, 4 * this.#pendingCount));
    pending.set(this.#pending);
    this.#pending = pending;
  }

  #countPending(): void {
    if (this.#pendingCount === 0) return;
    const added = countsOf(sortedWords(this.#pending.slice(0, this.#pendingCount)));
    this.#pendingCount = 0;
    this.#counted = this.#counted.words.length === 0 ? added : finished(merging(this.#counted, added));
  }
}

/** The distinct ones of sorted words, at least one, and how often each occurs. */
function countsOf(sorted: Uint32Array): SortedCounts {
  let distinct = 1;
  for (let at = 1; at < sorted.length; at++) if (sorted[at] !== sorted[at - 1]) distinct++;
  const [words, counts] = [new Uint32Array(distinct), new Float64Array(distinct)];
  words[0] = sorted[0]!;
  counts[0] = 1;
  let last = 0;
  for (let at = 1; at < sorted.length; at++) {
    if (sorted[at] !== sorted[at - 1]) words[++last] = sorted[at]!;
    counts[last]!++;
  }
  return { words, counts };
}

/** The words of both, with the lines of both. */
function* merging(one: SortedCounts, other: SortedCounts): Generator<undefined, SortedCounts, undefined> {
  const most = one.words.length + other.words.length;
  const words = new Uint32Array(most);
  const counts = new Float64Array(most);
  const progress = { one: 0, other: 0, merged: 0 };
  while (progress.one < one.words.length && progress.other < other.words.length) {
    mergeSome(one, other, { words, counts }, progress);
    yield;
  }
  const rest = progress.one < one.words.length ? one : other;
  const from = rest === one ? progress.one : progress.other;
  words.set(rest.words.subarray(from), progress.merged);
  counts.set(rest.counts.subarray(from), progress.merged);
  const length = progress.merged + rest.words.length - from;
  // As long as they are: whole buffers are passed to other threads.
  return length === most ? { words, counts } : { words: words.slice(0, length), counts: counts.slice(0, length) };
}

/** Merges until one of them ends, `STEP` words at most. */
function mergeSome(
  { words: words1, counts: counts1 }: SortedCounts,
  { words: words2, counts: counts2 }: SortedCounts,
  { words, counts }: SortedCounts,
  progress: { one: number; other: number; merged: number },
): void {
  let { one, other, merged } = progress;
  const end = merged + STEP;
  while (merged < end && one < words1.length && other < words2.length) {
    const [word1, word2] = [words1[one]!, words2[other]!];
    words[merged] = word1 < word2 ? word1 : word2;
    counts[merged++] = (word1 <= word2 ? counts1[one]! : 0) + (word2 <= word1 ? counts2[other]! : 0);
    if (word1 <= word2) one++;
    if (word2 <= word1) other++;
  }
  progress.one = one;
  progress.other = other;
  progress.merged = merged;
}
