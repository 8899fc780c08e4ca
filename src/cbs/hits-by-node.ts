import type { Family } from "../address/address.ts";
import type { MatchId } from "../table/match-id.ts";
import type { Catalogue } from "./catalogue.ts";

/** Addresses of a log, as they are counted: IPv4 addresses of one word, IPv6 addresses of four. */
export interface CountedWords {
  readonly words4: Uint32Array;
  readonly counts4: Float64Array;
  readonly words6: Uint32Array;
  readonly counts6: Float64Array;
}

/** What a log has of a service. */
export interface NodeHits {
  readonly id: string;
  readonly lines: number;
  readonly addresses: number;
}

/** Addresses looked up between two interruptions: a millisecond or two. */
const STEP = 4096;

/**
 * The services of the addresses of a log whose number in `chosen` is not 0, with the most lines first, then by id; an
 * address counts for each of its services. O(addresses + distinct matches). Can be interrupted after each step.
 */
export function* hitsByNode(
  catalogue: Catalogue,
  seen: CountedWords,
  chosen: Readonly<Record<Family, Uint32Array>>,
): Generator<undefined, NodeHits[], undefined> {
  const { table } = catalogue;
  const lines = new Float64Array(table.matchCount + 1);
  const addresses = new Float64Array(table.matchCount + 1);
  const matches = new Uint32Array(STEP);
  for (const family of [4, 6] as const) {
    const [words, counts] = family === 4 ? [seen.words4, seen.counts4] : [seen.words6, seen.counts6];
    const width = family === 4 ? 1 : 4;
    for (let from = 0; from < counts.length; from += STEP) {
      const count = Math.min(STEP, counts.length - from);
      table.lookupBatchInto(family, words.subarray(from * width), matches, count);
      for (let at = 0; at < count; at++) {
        if (chosen[family][from + at] === 0) continue;
        lines[matches[at]!]! += counts[from + at]!;
        addresses[matches[at]!]!++;
      }
      yield;
    }
  }
  return yield* addedUp(catalogue, lines, addresses);
}

/** From matches, of which few have any, to nodes. */
function* addedUp(
  catalogue: Catalogue,
  lines: Float64Array,
  addresses: Float64Array,
): Generator<undefined, NodeHits[], undefined> {
  const hits = new Map<string, { lines: number; addresses: number }>();
  for (let match = 1; match < addresses.length; match++) {
    if (match % STEP === 0) yield;
    if (addresses[match] === 0) continue;
    for (const { id } of catalogue.nodesOf(match as MatchId)) {
      const own = hits.get(id) ?? { lines: 0, addresses: 0 };
      hits.set(id, { lines: own.lines + lines[match]!, addresses: own.addresses + addresses[match]! });
    }
  }
  const all = [...hits].map(([id, own]) => ({ id, ...own }));
  return all.sort((a, b) => b.lines - a.lines || (a.id < b.id ? -1 : 1));
}
