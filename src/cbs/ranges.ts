import type { Family, Prefix } from "../address/address.ts";
import { comparePrefixes, formatPrefix } from "../address/prefix.ts";
import { mergeNext } from "../address/range.ts";
import { csvField, csvRow } from "../csv/write-row.ts";
import { compareTexts } from "./_node-id.ts";
import { prefixAt, prefixList, type PrefixList } from "./_prefix-list.ts";
import { sourceKey } from "./catalogue.ts";
import { CatalogueError } from "./catalogue-error.ts";
import { type CatalogueTree, ROOT } from "./catalogue-tree.ts";
import type { InParts } from "./in-parts.ts";
import { finished } from "../turns/finished.ts";
import { type Grouped, grouping } from "../table/grouping.ts";
import type { MatchId } from "../table/match-id.ts";

/** Which prefixes of a node to return. */
export interface RangeSelection {
  /** Both by default, IPv4 first. */
  readonly family?: Family | undefined;
  /** Return the fewest prefixes that cover exactly the same addresses instead of those that lists name. */
  readonly aggregate?: boolean | undefined;
  /** Only prefixes that this source names, given by its key: a publisher's list, or `asn`. */
  readonly source?: string | undefined;
}

/** Which ranges of a node `rangesOf` returns, and which page of them; `offset` and `limit` count ranges. */
export interface RangeOptions extends RangeSelection {
  /** How many to skip; 0 by default. */
  readonly offset?: number | undefined;
  /** How many to return; all by default. */
  readonly limit?: number | undefined;
}

/** A prefix of a node or of one below it. */
export interface RangeDocument {
  readonly cidr: string;
  /** All nodes that lists name for this prefix, sorted; if prefixes are aggregated, the requested node. */
  readonly cbs_ids: readonly string[];
  /**
   * The sources that name it, sorted; empty if the catalogue is too old to record them, or prefixes of several
   * sources are aggregated.
   */
  readonly sources: readonly string[];
}

/** One page of the ranges of a node, in the order of prefixes. */
export interface RangePage {
  readonly items: readonly RangeDocument[];
  /** How many there are on all pages. */
  readonly count: number;
}

/**
 * The prefixes of a node and all nodes below it, each once, by address, the less specific first; without an id, those
 * of the whole catalogue. O(prefixes of the catalogue), a nanosecond each, and O(page); aggregated O(n) for n prefixes
 * of the node.
 * @throws CatalogueError "unknown-id", "unknown-source", RangeError
 */
export function rangesOf(tree: CatalogueTree, id: string | undefined, options: RangeOptions = {}): RangePage {
  const { offset = 0, limit = Infinity, ...selection } = options;
  checkPage(offset, limit);
  const list = finished(listRanges(tree, id, selection));
  return { items: list.page(offset, limit), count: list.count };
}

const PREFIXES_AT_ONCE = 2000;

/** All ranges of a node, from which pages are read. @throws CatalogueError "unknown-id", "unknown-source" */
export function* listRanges(
  tree: CatalogueTree,
  id: string | undefined,
  { family, aggregate = false, source }: RangeSelection = {},
): InParts<RangeList> {
  const value = id === undefined ? ROOT : tree.valueOf(id);
  const wanted = yield* tree.matchesIn(tree.below(value), source === undefined ? undefined : positionOf(tree, source));
  const own = aggregate
    ? { ids: value === ROOT ? [] : [tree.node(value).id], sources: source === undefined ? [] : [source] }
    : null;
  return new RangeList(tree, yield* partsOf(tree, wanted, family === undefined ? [4, 6] : [family], aggregate), own);
}

/** All ranges of these nodes, given by number as `CatalogueTree.below` returns them. */
export function* listRangesOf(tree: CatalogueTree, nodes: Uint8Array): InParts<RangeList> {
  return new RangeList(tree, yield* partsOf(tree, yield* tree.matchesIn(nodes), [4, 6], false), null);
}

function* partsOf(
  tree: CatalogueTree,
  wanted: Uint8Array,
  families: readonly Family[],
  aggregate: boolean,
): InParts<RangePart[]> {
  const parts: RangePart[] = [];
  for (const each of families) {
    const list = yield* tree.listingPrefixes(each);
    const indexes = yield* indexesOf(list, wanted);
    parts.push(aggregate ? { list: yield* mergedList(list, indexes), indexes: null } : { list, indexes });
  }
  return parts;
}

/**
 * The prefixes of a node and all nodes below it, in order, with the time at which the last list that names it ends;
 * undefined between two steps.
 * @throws CatalogueError "unknown-id"
 */
export function* rangeExpiries(
  tree: CatalogueTree,
  id: string,
): Generator<{ readonly prefix: Prefix; readonly expiresAt: number } | undefined> {
  const { catalogue } = tree;
  const below = tree.below(tree.valueOf(id));
  const ends = new Float64Array(catalogue.table.matchCount + 1);
  for (let match = 1 as MatchId; match < ends.length; match++) {
    const values = catalogue.table.values(match);
    for (const [at, expiresAt] of catalogue.table.expiriesOf(match).entries())
      if (below[catalogue.numberOf(values[at]!)] === 1 && catalogue.now < expiresAt)
        ends[match] = Math.max(ends[match]!, expiresAt);
    if (match % PREFIXES_AT_ONCE === 0) yield undefined;
  }
  for (const family of [4, 6] as const) {
    const list = yield* tree.listingPrefixes(family);
    for (let at = 0; at < list.count; at++) {
      const expiresAt = ends[list.matches[at]!]!;
      yield expiresAt === 0 ? undefined : { prefix: prefixAt(list, at), expiresAt };
    }
  }
}

/** Of a source, from 1. @throws CatalogueError "unknown-source" */
function positionOf({ catalogue }: CatalogueTree, source: string): number {
  const keys = catalogue.metadata.sources.map(sourceKey);
  if (keys.includes(source)) return keys.indexOf(source) + 1;
  throw new CatalogueError(
    "unknown-source",
    source,
    `the catalogue has no source ${JSON.stringify(source)}; it has ${keys.join(", ")}`,
  );
}

interface RangePart {
  readonly list: PrefixList;
  /** Which of the list; null: all. */
  readonly indexes: Uint32Array | null;
}

interface OfEveryRange {
  readonly ids: readonly string[];
  readonly sources: readonly string[];
}

/** The ranges of a node. It keeps numbers only; texts are made as they are asked for. */
export class RangeList {
  readonly count: number;
  readonly #tree: CatalogueTree;
  readonly #parts: readonly RangePart[];
  /** The ids and sources of every range; null: those of its match. */
  readonly #own: OfEveryRange | null;
  /** By match. */
  readonly #sources = new Map<number, readonly string[]>();

  constructor(tree: CatalogueTree, parts: readonly RangePart[], own: OfEveryRange | null) {
    this.count = parts.reduce((sum, part) => sum + countOf(part), 0);
    this.#tree = tree;
    this.#parts = parts;
    this.#own = own;
  }

  /** Of what belongs to this list alone. */
  get byteLength(): number {
    return this.#parts.reduce(
      (sum, { list, indexes }) =>
        sum + (indexes ?? list.words).byteLength + (indexes === null ? list.lengths.byteLength : 0),
      0,
    );
  }

  /** The prefixes of all ranges, in order. */
  *prefixes(): Generator<Prefix> {
    for (const part of this.#parts) {
      const { list, indexes } = part;
      for (let at = 0; at < countOf(part); at++) yield prefixAt(list, indexes === null ? at : indexes[at]!);
    }
  }

  /** Up to `limit` ranges, from the one with `offset` before it. O(limit). */
  page(offset: number, limit: number): RangeDocument[] {
    return [
      ...this.#read(offset, limit, (cidr, match) => ({
        cidr,
        cbs_ids: this.#idsOf(match),
        sources: this.#sourcesOf(match),
      })),
    ];
  }

  /** How many ranges are not after a prefix, which may be in the list or not. O(log n). */
  countUpTo(prefix: Prefix): number {
    let count = 0;
    for (const { list, indexes } of this.#parts) {
      let [low, high] = [0, countOf({ list, indexes })];
      while (low < high) {
        const middle = (low + high) >>> 1;
        if (comparePrefixes(prefixAt(list, indexes === null ? middle : indexes[middle]!), prefix) <= 0)
          low = middle + 1;
        else high = middle;
      }
      count += low;
    }
    return count;
  }

  /** A line for every range of a page: its prefix. */
  lines(offset = 0, limit = Infinity): Generator<string> {
    return this.#read(offset, limit, (cidr) => `${cidr}\n`);
  }

  /** The same as CSV: the prefix and its ids, with commas between them; the first line names the columns. */
  *csvLines(offset = 0, limit = Infinity): Generator<string> {
    const known = new Map<number, string>();
    yield csvRow(["cidr", "cbs_ids"]);
    yield* this.#read(offset, limit, (cidr, match) => {
      let ids = known.get(match);
      if (ids === undefined) known.set(match, (ids = csvField(this.#idsOf(match).join(",") || null)));
      return `${cidr},${ids}\n`;
    });
  }

  #idsOf(match: MatchId): readonly string[] {
    return this.#own?.ids ?? this.#tree.catalogue.ownNodesOf(match).map(({ id }) => id);
  }

  #sourcesOf(match: MatchId): readonly string[] {
    if (this.#own !== null) return this.#own.sources;
    let keys = this.#sources.get(match);
    if (keys === undefined) {
      const all = this.#tree.catalogue
        .claimsOf(match)
        .flatMap(({ source }) => (source === null ? [] : [sourceKey(source)]));
      this.#sources.set(match, (keys = [...new Set(all)].sort(compareTexts)));
    }
    return keys;
  }

  *#read<Item>(offset: number, limit: number, make: (cidr: string, match: MatchId) => Item): Generator<Item> {
    let skip = offset;
    let left = limit;
    for (const part of this.#parts) {
      const { list, indexes } = part;
      const end = Math.min(countOf(part), skip + left);
      for (let at = skip; at < end; at++, left--) {
        const index = indexes === null ? at : indexes[at]!;
        yield make(formatPrefix(prefixAt(list, index)), list.matches[index]! as MatchId);
      }
      skip = Math.max(0, skip - countOf(part));
    }
  }
}

function countOf({ list, indexes }: RangePart): number {
  return indexes === null ? list.count : indexes.length;
}

/** Where in the list the prefixes of these matches stand. O(matches + found log found), or one pass for many. */
function* indexesOf(list: PrefixList, wanted: Uint8Array): InParts<Uint32Array> {
  const { starts, items } = yield* indexesByMatch(list, wanted.length);
  let count = 0;
  for (let match = wanted.indexOf(1); match >= 0; match = wanted.indexOf(1, match + 1))
    count += starts[match + 1]! - starts[match]!;
  const found = new Uint32Array(count);
  let next = 0;
  if (count > MAX_SORTED) {
    for (let at = 0; at < list.count; at++) {
      if (wanted[list.matches[at]!] === 1) found[next++] = at;
      if (at % (8 * PREFIXES_AT_ONCE) === 0) yield;
    }
    return found;
  }
  for (let match = wanted.indexOf(1); match >= 0; match = wanted.indexOf(1, match + 1))
    for (let at = starts[match]!; at < starts[match + 1]!; at++) found[next++] = items[at]!;
  return found.sort();
}

/** More are found in order by one pass over the list: sorting them would take longer than a slice. */
const MAX_SORTED = 1 << 13;

/** By match, the indexes of its prefixes; made once for each list, which lives as long as its catalogue. */
const byMatch = new WeakMap<PrefixList, Grouped>();

function* indexesByMatch(list: PrefixList, matchCount: number): InParts<Grouped> {
  const known = byMatch.get(list);
  if (known !== undefined) return known;
  const made = yield* grouping(matchCount, function* (put) {
    for (let at = 0; at < list.count; at++) {
      put(list.matches[at]!, at);
      if (at % (8 * PREFIXES_AT_ONCE) === 0) yield;
    }
  });
  byMatch.set(list, made);
  return made;
}

/** The fewest prefixes that cover the same addresses. Their matches are 0. */
function* mergedList(list: PrefixList, indexes: Uint32Array): InParts<PrefixList> {
  const merged: Prefix[] = [];
  for (const [at, index] of indexes.entries()) {
    mergeNext(merged, prefixAt(list, index));
    if (at % PREFIXES_AT_ONCE === 0) yield;
  }
  return yield* prefixList(list.family, merged);
}

function checkPage(offset: number, limit: number): void {
  const isCount = (value: number): boolean => Number.isInteger(value) && value >= 0;
  if (!isCount(offset)) throw new RangeError(`the offset must be a whole number, 0 or greater, not ${String(offset)}`);
  if (!isCount(limit) && limit !== Infinity)
    throw new RangeError(`the limit must be a whole number, 0 or greater, not ${String(limit)}`);
}
