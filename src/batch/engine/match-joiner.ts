import type { Family } from "../../address/address.ts";
import type { Kernel } from "../../kernel/kernel.ts";
import { LINE_ENTRIES } from "../../kernel/workspace.ts";
import type { Matcher } from "./matcher.ts";

/** Joined ids are 1 to this many; when they run out, all are forgotten and assigned anew. */
const JOINED_IDS = 65_535;
/**
 * With a snapshot beside the others: nearly all addresses of the internet have a match in one of networks. Half of the
 * ids are for lines without a match in the others.
 */
const BESIDE_IDS = 262_143;
const UNMATCHED_IDS = 131_071;
/** Maximum addresses joined at a time: a chunk of the kernel's. */
const AT_ONCE = LINE_ENTRIES;

/** The largest joined id of a run. */
export function joinedIds(hasBeside: boolean): number {
  return hasBeside ? BESIDE_IDS : JOINED_IDS;
}

/**
 * Looks the addresses of a run up in further snapshots, and gives each combination of matches an id, which replaces the
 * match from then on: rows, selections and counts work as with one snapshot. 0 is no match in any.
 *
 *     first snapshot    7   7   0   7
 *     second            3   3   3   0
 *     joined            1   1   2   3
 *
 * With more than two, the combination of the first ones is joined with the next. A snapshot that only selects (`within`)
 * comes before all others, as 1 where it has a match; where it has none, the id is 0. If the last one is beside the others,
 * lines that match in it alone have ids up to `lastUnmatched`, the others greater ones. One per thread: ids mean nothing in
 * other threads.
 */
export class MatchJoiner {
  readonly #matchers: readonly Matcher[];
  /** The snapshot, 0 the first, that must have a match for the line to have one; -1: any will do. */
  readonly #only: number;
  readonly #now: number;
  readonly #pairs: readonly PairIds[];
  readonly #matches: readonly Uint32Array[];
  readonly #onForget: (() => void)[] = [];
  /** All ids are at most this. */
  readonly maxId: number;
  /** Ids up to this are of lines without a match. */
  readonly lastUnmatched: number;

  readonly #within: Matcher | null;
  /** The matches of the first snapshot in lines that `within` selects; null: it does not exist. */
  readonly #selected: PairIds | null;
  readonly #inside = new Uint32Array(AT_ONCE);

  /** `matchers` are those of the further snapshots, `within` that of the one that only selects. */
  constructor(
    matchers: readonly Matcher[],
    { only, now, hasBeside }: { readonly only: number; readonly now: number; readonly hasBeside: boolean },
    within: Matcher | null = null,
  ) {
    this.#matchers = matchers;
    this.#within = within;
    this.#only = only;
    this.#now = now;
    this.maxId = joinedIds(hasBeside);
    this.lastUnmatched = hasBeside ? UNMATCHED_IDS : 0;
    const last = matchers.length - 1;
    this.#pairs = matchers.map((_, index) => new PairIds(this.maxId, index === last ? this.lastUnmatched : 0));
    this.#matches = matchers.map(() => new Uint32Array(AT_ONCE));
    this.#selected = within && new PairIds(this.maxId, 0);
  }

  /** Calls back right before all ids are forgotten, so that everything stored by id can be forgotten, too. */
  onForget(forget: () => void): void {
    this.#onForget.push(forget);
  }

  /** Replaces the matches of the kernel's chunk with joined ids. */
  joinChunk(kernel: Kernel): void {
    const { matches, words4, lines4, count4, words6, lines6, count6 } = kernel;
    this.#makeRoom();
    this.#lookUp(4, words4, count4);
    for (let index = 0; index < count4; index++)
      matches[lines4[index]!] = this.#joined(matches[lines4[index]!]!, index);
    this.#lookUp(6, words6, count6);
    for (let index = 0; index < count6; index++)
      matches[lines6[index]!] = this.#joined(matches[lines6[index]!]!, index);
  }

  /** Replaces the matches of `count` addresses (at most 640) with joined ids; `words` as for a batch. */
  join(family: Family, words: Uint32Array, matches: Uint32Array, count: number): void {
    this.#makeRoom();
    this.#lookUp(family, words, count);
    for (let index = 0; index < count; index++) matches[index] = this.#joined(matches[index]!, index);
  }

  /** The matches that an id stands for, the first snapshot's first; for 0 and -1 (no address), that id for each. */
  matchesOf(id: number): readonly number[] {
    const matches: number[] = [];
    let left = id;
    for (const pairs of this.#pairs.toReversed()) {
      matches.unshift(id <= 0 ? id : pairs.right(left));
      if (id > 0) left = pairs.left(left);
    }
    return [id > 0 && this.#selected !== null ? this.#selected.left(left) : left, ...matches];
  }

  #makeRoom(): void {
    const all = this.#selected === null ? this.#pairs : [this.#selected, ...this.#pairs];
    if (all.every((pairs) => pairs.hasRoom)) return;
    for (const forget of this.#onForget) forget();
    for (const pairs of all) pairs.clear();
  }

  #lookUp(family: Family, words: Uint32Array, count: number): void {
    for (let at = 0; at < this.#matchers.length; at++)
      this.#matchers[at]!.lookupBatchInto(family, words, this.#matches[at]!, count, this.#now);
    this.#within?.lookupBatchInto(family, words, this.#inside, count, this.#now);
  }

  #joined(first: number, index: number): number {
    const only = this.#only;
    if (only >= 0 && (only === 0 ? first : this.#matches[only - 1]![index]) === 0) return 0;
    if (this.#selected !== null && this.#inside[index] === 0) return 0;
    let id = this.#selected === null ? first : this.#selected.idOf(first, 1);
    for (let at = 0; at < this.#pairs.length; at++) id = this.#pairs[at]!.idOf(id, this.#matches[at]![index]!);
    return id;
  }
}

const HASH_LEFT = 0x9e3779b1;
const HASH_RIGHT = 0x85ebca6b;

/** Ids of pairs of numbers; 0 is the pair of zeros. Those of pairs with a left 0 are up to `lastUnmatched`, if that is not 0. */
class PairIds {
  readonly #maxId: number;
  readonly #lastUnmatched: number;
  #unmatched = 0;
  #matched: number;
  readonly #shift: number;
  readonly #lefts: Uint32Array;
  readonly #rights: Uint32Array;
  /** Twice as many as ids, so that a search takes few steps. */
  readonly #slots: Uint32Array;

  constructor(maxId: number, lastUnmatched: number) {
    this.#maxId = maxId;
    this.#lastUnmatched = this.#matched = lastUnmatched;
    this.#lefts = new Uint32Array(maxId + 1);
    this.#rights = new Uint32Array(maxId + 1);
    this.#slots = new Uint32Array(2 * (maxId + 1));
    this.#shift = Math.clz32(this.#slots.length) + 1;
  }

  /** Whether all ids of a chunk could be new. */
  get hasRoom(): boolean {
    const isFull = this.#lastUnmatched > 0 && this.#unmatched > this.#lastUnmatched - AT_ONCE;
    return !isFull && this.#matched <= this.#maxId - AT_ONCE;
  }

  idOf(left: number, right: number): number {
    if (left === 0 && right === 0) return 0;
    const slots = this.#slots;
    const mask = slots.length - 1;
    let slot = (Math.imul(left, HASH_LEFT) ^ Math.imul(right, HASH_RIGHT)) >>> this.#shift;
    for (; slots[slot] !== 0; slot = (slot + 1) & mask) {
      const id = slots[slot]!;
      if (this.#lefts[id] === left && this.#rights[id] === right) return id;
    }
    const id = left === 0 && this.#lastUnmatched > 0 ? ++this.#unmatched : ++this.#matched;
    slots[slot] = id;
    this.#lefts[id] = left;
    this.#rights[id] = right;
    return id;
  }

  left(id: number): number {
    return this.#lefts[id]!;
  }

  right(id: number): number {
    return this.#rights[id]!;
  }

  clear(): void {
    this.#slots.fill(0);
    this.#unmatched = 0;
    this.#matched = this.#lastUnmatched;
  }
}
