import { GrowingWords } from "./growing-words.ts";
import { pointsWords } from "./_walk.ts";
import { POINTS_BITS, POINTS_CONSECUTIVE, POINTS_EACH, POINTS_KEYS, POINTS_ONE } from "./layout.ts";

/** The words of one partition entry: slot, first segment, end segment. */
export const ENTRY_WORDS = 3;

/**
 * The partition of a node's 65,536 slots read as points on a background. The background is the leaf with the
 * longest run of slots; the size of the points is the largest power of two that all changes are multiples of; a longer
 * run of one entry is several points.
 *
 *     slots         0     3  4        8  9                      65535
 *     partition     | b   | p | b     | q | b                  |        b the longest leaf, size 1
 *     points              p           q
 */
export class PointSet {
  background = 0;
  /** The points are blocks of 2^size slots. */
  size = 0;
  count = 0;
  /** How entries are stored (`layout.ts`), and the first one where that is not each on its own. */
  stored: number = POINTS_ONE;
  first = 0;
  /** Entries of a partition, one for each point. */
  readonly points = new GrowingWords(ENTRY_WORDS * POINTS_KEYS);

  /** The words of the node. */
  get words(): number {
    return pointsWords(this.count) + (this.stored === POINTS_EACH ? this.count : 0);
  }

  /**
   * Reads the partition of `entries` entries at `partition[base ...]`; false if it has more points than a node can, or
   * no leaf. `matches` are those of the segments. O(entries).
   */
  read(partition: Int32Array, base: number, entries: number, matches: Int32Array): boolean {
    const end = base + entries * ENTRY_WORDS;
    let longest = 0;
    let changes = 0;
    for (let at = base; at < end; at += ENTRY_WORDS) {
      changes |= partition[at]!;
      const run = runAt(partition, at, end);
      if (run <= longest || !isLeafAt(partition, at)) continue;
      longest = run;
      this.background = matches[partition[at + 1]!]!;
    }
    // There are two entries or more, so a bit of `changes` is set.
    this.size = 31 - Math.clz32(changes & -changes);
    return longest > 0 && this.#collect(partition, base, end, matches);
  }

  #collect(partition: Int32Array, base: number, end: number, matches: Int32Array): boolean {
    this.points.length = 0;
    this.count = 0;
    let first = 0;
    let isOne = true;
    let isConsecutive = true;
    for (let at = base; at < end; at += ENTRY_WORDS) {
      const match = isLeafAt(partition, at) ? matches[partition[at + 1]!]! : -1;
      if (match === this.background) continue;
      if (this.count === 0) first = match;
      const run = runAt(partition, at, end) >>> this.size;
      isOne = isOne && match >= 0 && match === first;
      isConsecutive = isConsecutive && match >= 0 && match === first + this.count && run === 1;
      if (this.count + run > POINTS_KEYS) return false;
      for (let point = 0; point < run; point++) this.#push(partition, at, point << this.size);
    }
    this.stored = isOne ? POINTS_ONE : isConsecutive ? POINTS_CONSECUTIVE : POINTS_EACH;
    this.first = this.stored === POINTS_EACH ? 0 : first;
    return true;
  }

  #push(partition: Int32Array, at: number, after: number): void {
    const to = this.points.reserve(ENTRY_WORDS);
    const { words } = this.points;
    words[to] = partition[at]! + after;
    words[to + 1] = partition[at + 1]!;
    words[to + 2] = partition[at + 2]!;
    this.count++;
  }
}

/** The slots from the entry at `at` to the next one, or to the last slot. */
function runAt(partition: Int32Array, at: number, end: number): number {
  const next = at + ENTRY_WORDS;
  return (next < end ? partition[next]! : 2 ** POINTS_BITS) - partition[at]!;
}

/** One segment is a leaf, several are a child. */
function isLeafAt(partition: Int32Array, at: number): boolean {
  return partition[at + 1]! + 1 === partition[at + 2];
}
