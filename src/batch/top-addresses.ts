import type { Family } from "../address/address.ts";
import { formatAddress } from "../address/format-address.ts";
import type { PrefixTable } from "../table/prefix-table.ts";
import type { AddressCounts } from "./messages.ts";

/** An address of the inputs. */
export interface CountedAddress {
  readonly address: string;
  readonly lines: number;
  /** Its match id; 0 without a match. */
  readonly match: number;
}

/** Addresses of one kind: how many different ones there are, and those of the most lines; of as many lines, in the order of addresses. */
export interface AddressRanking {
  readonly distinct: number;
  readonly addresses: readonly CountedAddress[];
}

export interface TopAddresses {
  readonly matched: AddressRanking;
  readonly unmatched: AddressRanking;
}

/** The `most` addresses with the most lines, with and without a match. O(addresses). */
export function topAddresses({ words4, counts4, words6, counts6 }: AddressCounts, table: PrefixTable, most: number): TopAddresses {
  const rankings = { matched: new Ranking(most), unmatched: new Ranking(most) };
  const rank = (family: Family, words: Uint32Array, counts: Float64Array): void => {
    const width = family === 4 ? 1 : 4;
    const matches = new Uint32Array(counts.length);
    table.lookupBatchInto(family, words, matches, counts.length);
    for (const [index, lines] of counts.entries()) {
      const match = matches[index]!;
      rankings[match === 0 ? "unmatched" : "matched"].add({ family, words: words.subarray(index * width, (index + 1) * width), lines, match });
    }
  };
  rank(4, words4, counts4);
  rank(6, words6, counts6);
  return { matched: rankings.matched.toResult(), unmatched: rankings.unmatched.toResult() };
}

interface Candidate {
  readonly family: Family;
  readonly words: Uint32Array;
  readonly lines: number;
  readonly match: number;
}

/** Keeps the best of many candidates: now and then all but these are dropped, so that each costs a constant time. */
class Ranking {
  readonly #most: number;
  #distinct = 0;
  #kept: Candidate[] = [];
  /** The lines of the worst of the best: fewer are too few. */
  #least = 0;

  constructor(most: number) {
    this.#most = most;
  }

  add(candidate: Candidate): void {
    this.#distinct++;
    if (candidate.lines < this.#least) return;
    this.#kept.push(candidate);
    if (this.#kept.length >= 2 * this.#most + 1024) this.#drop();
  }

  #drop(): void {
    this.#kept = this.#kept.sort(compare).slice(0, this.#most);
    if (this.#kept.length === this.#most) this.#least = this.#kept.at(-1)!.lines;
  }

  toResult(): AddressRanking {
    this.#drop();
    const addresses = this.#kept.map(({ family, words, lines, match }) => {
      const [w0 = 0, w1 = 0, w2 = 0, w3 = 0] = words;
      return { address: formatAddress({ family, w0, w1, w2, w3 }), lines, match };
    });
    return { distinct: this.#distinct, addresses };
  }
}

function compare(a: Candidate, b: Candidate): number {
  if (a.lines !== b.lines) return b.lines - a.lines;
  if (a.family !== b.family) return a.family - b.family;
  const word = a.words.findIndex((value, index) => value !== b.words[index]);
  return word < 0 ? 0 : a.words[word]! - b.words[word]!;
}
