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

/** Looks up `count` addresses of a family, of one word or four, in the catalogue's table. */
export interface BatchLookup {
  lookupBatchInto(family: Family, words: Uint32Array, out: Uint32Array, count: number): void;
}

/** Addresses looked up between two interruptions: a millisecond or two. */
const STEP = 4096;

/**
 * The services of the addresses of a log whose number in `chosen` is not 0, with the most lines first, then by id; an
 * address counts for each of its services. `batches` is the table unless something faster is given. O(addresses +
 * distinct matches). Can be interrupted after each step.
 */
export function* hitsByNode(
  catalogue: Catalogue,
  seen: CountedWords,
  chosen: Readonly<Record<Family, Uint32Array>>,
  batches: BatchLookup = catalogue.table,
): Generator<undefined, NodeHits[], undefined> {
  const { table } = catalogue;
  const lines = new Float64Array(table.matchCount + 1);
  const addresses = new Float64Array(table.matchCount + 1);
  const matches = new Uint32Array(STEP);
  const chosenAt = new Uint32Array(STEP);
  const chosenWords = new Uint32Array(4 * STEP);
  for (const family of [4, 6] as const) {
    const [words, counts] = family === 4 ? [seen.words4, seen.counts4] : [seen.words6, seen.counts6];
    const width = family === 4 ? 1 : 4;
    for (let from = 0; from < counts.length; from += STEP) {
      const end = Math.min(from + STEP, counts.length);
      let count = 0;
      for (let at = from; at < end; at++) if (chosen[family][at] !== 0) chosenAt[count++] = at;
      for (let index = 0; index < count; index++)
        for (let word = 0; word < width; word++)
          chosenWords[index * width + word] = words[chosenAt[index]! * width + word]!;
      batches.lookupBatchInto(family, chosenWords, matches, count);
      for (let index = 0; index < count; index++) {
        lines[matches[index]!]! += counts[chosenAt[index]!]!;
        addresses[matches[index]!]!++;
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
