import type { Family } from "../address/address.ts";
import type { PrefixTrie } from "../trie/prefix-trie.ts";
import type { ValueId } from "../trie/value-id.ts";
import { MatchInterner } from "./_match-interner.ts";
import { buildIndex, type Index } from "./_node-builder.ts";
import { ROOT_BITS_4, ROOT_BITS_6 } from "./_root-sizes.ts";
import { segmentsOf, type Segments } from "./_segments.ts";
import {
  HEADER_LAYOUT_VERSION,
  HEADER_MATCH_COUNT,
  HEADER_PREFIX_COUNT_4,
  HEADER_PREFIX_COUNT_6,
  HEADER_ROOT_BITS_4,
  HEADER_ROOT_BITS_6,
  HEADER_WORDS,
  LAYOUT_VERSION,
  VALUE_LIST_FLAG,
} from "./layout.ts";
import { PrefixTable } from "./prefix-table.ts";
import {
  SECTION_ALIGNMENT,
  SECTION_NAMES,
  type SectionName,
  type SectionSpan,
  type TableSections,
} from "./sections.ts";

export interface FreezeOptions {
  /** When a value expires, in milliseconds since the Unix epoch; null: never. Called once per value id in use. */
  readonly expiresAt?: (valueId: ValueId) => number | null;
  /** Makes the buffer for the table's bytes, zeroed; a plain `ArrayBuffer` by default. */
  readonly allocate?: (byteLength: number) => ArrayBufferLike;
}

type SectionContents = Record<SectionName, Int32Array | Uint8Array | Float64Array>;

/**
 * Compiles a trie into an immutable table over one flat buffer; the trie is left as it is and may change afterwards.
 * O(n) for n prefixes, about a third of a microsecond each.
 * @throws RangeError for an expiry that is neither a number of milliseconds since 1970 nor null
 */
export function freeze(trie: PrefixTrie, options: FreezeOptions = {}): PrefixTable {
  const interner = new MatchInterner();
  const index4 = indexOf(segmentsOf(trie, 4, interner));
  const index6 = indexOf(segmentsOf(trie, 6, interner));
  const header = new Int32Array(HEADER_WORDS);
  header[HEADER_LAYOUT_VERSION] = LAYOUT_VERSION;
  header[HEADER_ROOT_BITS_4] = Math.log2(index4.root.length);
  header[HEADER_ROOT_BITS_6] = Math.log2(index6.root.length);
  header[HEADER_PREFIX_COUNT_4] = trie.sizeOf(4);
  header[HEADER_PREFIX_COUNT_6] = trie.sizeOf(6);
  header[HEADER_MATCH_COUNT] = interner.count;
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
  return assemble(contents, options.allocate ?? ((byteLength) => new ArrayBuffer(byteLength)));
}

function indexOf(segments: Segments): Index {
  return buildIndex(segments, rootBitsFor(segments.family, segments.count));
}

/** A root of at most four slots per segment, or one for the largest root: no table is mostly root. */
function rootBitsFor(family: Family, segments: number): number {
  const sizes = family === 4 ? ROOT_BITS_4 : ROOT_BITS_6;
  return sizes.findLast((bits) => 2 ** bits <= segments * (bits === 18 ? 1 : 4)) ?? sizes[0];
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

/** Lays the sections out one after the other, each at a cache line, and copies them into a new buffer. */
function assemble(contents: SectionContents, allocate: (byteLength: number) => ArrayBufferLike): PrefixTable {
  let end = 0;
  const spans = SECTION_NAMES.map((name): [SectionName, SectionSpan] => {
    const span = { byteOffset: end, byteLength: contents[name].byteLength };
    end = Math.ceil((end + span.byteLength) / SECTION_ALIGNMENT) * SECTION_ALIGNMENT;
    return [name, span];
  });
  const buffer = allocate(end);
  for (const [name, { byteOffset, byteLength }] of spans) {
    const content = contents[name];
    new Uint8Array(buffer, byteOffset, byteLength).set(new Uint8Array(content.buffer, content.byteOffset, byteLength));
  }
  return new PrefixTable(buffer, Object.fromEntries(spans) as unknown as TableSections);
}
