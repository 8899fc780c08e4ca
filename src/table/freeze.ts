import type { PrefixSource } from "../trie/prefix-source.ts";
import type { ValueId } from "../trie/value-id.ts";
import { finished } from "../turns/finished.ts";
import { assembling, type SectionContents } from "./_assemble.ts";
import { headerOf } from "./_header.ts";
import { MatchInterner } from "./_match-interner.ts";
import { chosenIndex, type Favour } from "./_choose-index.ts";
import type { Index } from "./_node-builder.ts";
import { freeSegments, segmentsOf, type Segments } from "./_segments.ts";
import { VALUE_LIST_FLAG } from "./layout.ts";
import type { PrefixTable } from "./prefix-table.ts";

export type { Favour };

/** How a trie is frozen. */
export interface FreezeOptions {
  /** When a value expires, in milliseconds since the Unix epoch; null: never. Called once per value id in use. */
  readonly expiresAt?: (valueId: ValueId) => number | null;
  /** Makes the buffer for the table's bytes, zeroed; a plain `ArrayBuffer` by default. */
  readonly allocate?: (byteLength: number) => ArrayBufferLike;
  /**
   * What matters most: the time of a lookup, the bytes of the table, or both, the default. For speed or size, up to 14
   * indexes are built and compared by the cost model of this version, so it takes as many times as long.
   */
  readonly favour?: Favour;
}

/**
 * Compiles a trie, or another source of prefixes in order, into an immutable table over one flat buffer; the trie is
 * left as it is and may change afterwards.
 * O(n) for n prefixes, about a third of a microsecond each.
 * @throws RangeError for an expiry that is neither a number of milliseconds since 1970 nor null, and for an unknown
 * `favour`
 */
export function freeze(trie: PrefixSource, options: FreezeOptions = {}): PrefixTable {
  const favour = checkedFavour(options.favour ?? "balance");
  return freezeWith(trie, options, (segments) => chosenIndex(segments, favour));
}

/** As `freeze`, with an index of the caller's choice. */
export function freezeWith(
  trie: PrefixSource,
  options: FreezeOptions,
  choose: (segments: Segments) => Index,
): PrefixTable {
  const interner = new MatchInterner();
  const index4 = indexOf(segmentsOf(trie, 4, interner), choose);
  const index6 = indexOf(segmentsOf(trie, 6, interner), choose);
  const header = headerOf({
    root4: index4.root.length,
    root6: index6.root.length,
    prefixes4: trie.sizeOf(4),
    prefixes6: trie.sizeOf(6),
    matches: interner.count,
    hosts: index4.hosts,
  });
  const contents: SectionContents = {
    header,
    root4: index4.root,
    nodes4: index4.nodes,
    root6: index6.root,
    nodes6: index6.nodes,
    matchValue: interner.values.written(),
    matchParent: parentsOf(interner),
    matchLength: Uint8Array.from(interner.lengths.written()),
    valueLists: interner.lists.written(),
    expiresAt: expiries(interner, options.expiresAt),
  };
  return finished(assembling(contents, options.allocate ?? ((byteLength) => new ArrayBuffer(byteLength))));
}

function checkedFavour(favour: Favour): Favour {
  if (favour === "speed" || favour === "size" || favour === "balance") return favour;
  throw new RangeError(`favour is ${JSON.stringify(favour)}; choose from speed, size, balance`);
}

function indexOf(segments: Segments, choose: (segments: Segments) => Index): Index {
  const index = choose(segments);
  freeSegments(segments);
  return index;
}

/** Where nothing is nested every parent is 0: the section is left empty. */
function parentsOf(interner: MatchInterner): Int32Array {
  const parents = interner.parents.written();
  return parents.some((parent) => parent !== 0) ? parents : new Int32Array(0);
}

/**
 * The times of `expiresAt`, by match and not by value id, because ids may be sparse: first one per match (the latest of
 * its values), then one per word of the value lists. Empty without expiries.
 */
function expiries(interner: MatchInterner, expiresAt: FreezeOptions["expiresAt"]): Float64Array {
  if (expiresAt === undefined) return new Float64Array(0);
  const known = new Map<number, number>();
  const timeOf = (value: number): number => {
    const time = known.get(value) ?? expiryOf(value, expiresAt);
    known.set(value, time);
    return time;
  };
  //     times   |  0  | 1 ... matchCount         | matchCount + 1 ...                        |
  //             |  -  | of the match: the latest | by word of the value lists, 0 at a count  |
  const values = interner.values.written();
  const lists = interner.lists.written();
  const times = new Float64Array(values.length + lists.length);
  // Both loops read lists as `MatchInterner.listWord` wrote them, each a count and as many values: inside the array.
  for (let at = 0; at < lists.length; at += 1 + lists[at]!) {
    for (let i = at + 1; i <= at + lists[at]!; i++) times[values.length + i] = timeOf(lists[i]!);
  }
  for (let match = 1; match < values.length; match++) {
    const word = values[match]!;
    times[match] = word >= 0 ? timeOf(word) : latest(times, values.length, lists, word & ~VALUE_LIST_FLAG);
  }
  return times;
}

/** The latest expiry of the list at `offset`. */
function latest(times: Float64Array, matches: number, lists: Int32Array, offset: number): number {
  let time = -Infinity;
  for (let i = offset + 1; i <= offset + lists[offset]!; i++) time = Math.max(time, times[matches + i]!);
  return time;
}

function expiryOf(value: number, expiresAt: (valueId: number) => number | null): number {
  const time = expiresAt(value) ?? Infinity;
  if (typeof time !== "number" || Number.isNaN(time))
    throw new RangeError(`the expiry of value ${value} is neither a number of milliseconds since the epoch nor null`);
  return time;
}
