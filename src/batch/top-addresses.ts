import type { Family } from "../address/address.ts";
import { formatAddress } from "../address/format-address.ts";
import type { PrefixTable } from "../table/prefix-table.ts";
import type { AddressCounts } from "./engine/address-counts.ts";

/** An address of the inputs. */
export interface CountedAddress {
  readonly address: string;
  readonly lines: number;
  /** Its match id; 0 without a match. */
  readonly match: number;
  /** Its match ids in further snapshots, in order. */
  readonly further: readonly number[];
}

/**
 * Addresses of one kind: how many distinct ones there are, and those with the most lines; with equal lines, in the
 * order of addresses.
 */
export interface AddressRanking {
  readonly distinct: number;
  readonly addresses: readonly CountedAddress[];
}

/** The most frequent addresses of a run, separately for those with a match and those without. */
export interface TopAddresses {
  readonly matched: AddressRanking;
  readonly unmatched: AddressRanking;
}

/** Addresses looked up between two interruptions: a millisecond or two. */
const STEP = 4096;

/** How counted addresses are looked up. */
export interface CountedLookup {
  /** Of the run's snapshot, then of each further one. */
  readonly tables: readonly [PrefixTable, ...PrefixTable[]];
  /** What has expired at this moment is skipped. */
  readonly now: number;
  /** The number of the table in which an address must have a match to have any; -1 or absent: any will do. */
  readonly only?: number;
  /** A further table in which an address must have a match to have any, and then has one. */
  readonly within?: PrefixTable;
  /** Whether the last table is beside the others: a match in it alone is none. */
  readonly hasBeside?: boolean;
}

/**
 * The `most` addresses with the most lines, with and without a match. O(addresses). Can be interrupted after each step.
 */
export function* topAddresses(
  { words4, counts4, words6, counts6 }: AddressCounts,
  { tables, now, only = -1, within, hasBeside = false }: CountedLookup,
  most: number,
): Generator<undefined, TopAddresses, undefined> {
  const rankings = { matched: new Ranking(most), unmatched: new Ranking(most) };
  const matches = tables.map(() => new Uint32Array(STEP));
  const deciding = hasBeside ? matches.slice(0, -1) : matches;
  const inside = new Uint32Array(STEP);
  const isMatched = (index: number): boolean => {
    if (within !== undefined) return inside[index] !== 0;
    return only < 0 ? deciding.some((own) => own[index] !== 0) : matches[only]![index] !== 0;
  };
  const rank = function* (
    family: Family,
    words: Uint32Array,
    counts: Float64Array,
  ): Generator<undefined, void, undefined> {
    const width = family === 4 ? 1 : 4;
    for (let from = 0; from < counts.length; from += STEP) {
      const lines = counts.subarray(from, from + STEP);
      const addresses = words.subarray(from * width);
      for (const [at, table] of tables.entries())
        table.lookupBatchInto(family, addresses, matches[at]!, lines.length, now);
      within?.lookupBatchInto(family, addresses, inside, lines.length, now);
      for (let index = 0; index < lines.length; index++) {
        const isOne = isMatched(index);
        rankings[isOne ? "matched" : "unmatched"].add({
          family,
          words: addresses.subarray(index * width, (index + 1) * width),
          lines: lines[index]!,
          matches: matches.map((own) => (isOne ? own[index]! : 0)),
        });
      }
      yield;
    }
  };
  yield* rank(4, words4, counts4);
  yield* rank(6, words6, counts6);
  return { matched: rankings.matched.toResult(), unmatched: rankings.unmatched.toResult() };
}

interface Candidate {
  readonly family: Family;
  readonly words: Uint32Array;
  readonly lines: number;
  /** In each table. */
  readonly matches: readonly number[];
}

/**
 * Keeps the best of many candidates: now and then all others are dropped, so that each candidate costs constant time.
 */
export class Ranking {
  readonly #most: number;
  #distinct = 0;
  #kept: Candidate[] = [];
  /** The worst of the best: a candidate that comes after it is not kept. */
  #worst: Candidate | null = null;

  constructor(most: number) {
    this.#most = most;
  }

  add(candidate: Candidate): void {
    this.#distinct++;
    if (this.#worst !== null && compare(candidate, this.#worst) > 0) return;
    this.#kept.push(candidate);
    if (this.#kept.length >= 2 * this.#most + 1024) this.#drop();
  }

  #drop(): void {
    this.#kept = this.#kept.sort(compare).slice(0, this.#most);
    if (this.#kept.length === this.#most) this.#worst = this.#kept.at(-1)!;
  }

  toResult(): AddressRanking {
    this.#drop();
    const addresses = this.#kept.map(({ family, words, lines, matches: [match = 0, ...further] }) => {
      const [w0 = 0, w1 = 0, w2 = 0, w3 = 0] = words;
      return { address: formatAddress({ family, w0, w1, w2, w3 }), lines, match, further };
    });
    return { distinct: this.#distinct, addresses };
  }
}

function compare(a: Candidate, b: Candidate): number {
  if (a.lines !== b.lines) return b.lines - a.lines;
  if (a.family !== b.family) return a.family - b.family;
  for (const [index, word] of a.words.entries()) if (word !== b.words[index]) return word - b.words[index]!;
  return 0;
}
