import type { CtiDataset } from "../../cti/dataset.ts";
import type { Classification, CtiRecord } from "../../cti/fields.ts";
import { AddressSet } from "../../sets/address-set.ts";
import type { MatchId } from "../../table/match-id.ts";
import { AddressTimes, type EndingPrefix } from "../../sets/address-times.ts";
import type { Capability } from "../../sets/capability.ts";
import { type Gathered, PrefixTally, endSecondOf } from "../gathered.ts";
import { PrefixColumns } from "../_prefix-columns.ts";

const DAY = 24 * 60 * 60 * 1000;
/** Records read, or prefixes looked at, between two interruptions: less than a millisecond. */
const STEP = 256;

/** Which addresses of threat intelligence to select; all given conditions must hold. */
export interface ThreatSelection {
  readonly classification?: Classification | undefined;
  /** At least one of these. */
  readonly tags?: readonly string[] | undefined;
  /** Seen today (UTC), or at most this many days before. */
  readonly seenWithinDays?: number | undefined;
}

/**
 * The addresses whose document fits. An address has the document of the most specific prefix that covers it, and of no
 * other: what lies in a prefix that fits, and has a document of its own that does not, is not listed. O(prefixes of the
 * dataset), and O(documents).
 *
 * From the outside in, the prefixes that cover an address fit or not; where one differs from the one around it, it is
 * an edge. The address is listed if it has passed an odd number of edges. Edges of one level are disjoint, so that is
 * the symmetric difference of all levels:
 *
 *     fits        [ yes           [ yes ]   [ no          [ yes ]  ]       ]
 *     edge        [ level 1                 [ level 2     [ level 3]  ]     ]
 */
export function* gatheringThreats(
  name: string,
  dataset: CtiDataset,
  selection: ThreatSelection,
  now: number,
  isTimed = false,
  expresses?: Capability,
): Generator<undefined, Gathered, undefined> {
  const ends = yield* endsOf(dataset, selection);
  const levels = yield* levelsOf(dataset, (match) => now < ends[match]!);
  const { edges, prefixes } = yield* edgesOf(dataset, levels, expresses);
  let addresses = AddressSet.EMPTY;
  for (const level of edges)
    addresses = yield* addresses.combining("symmetricDifference", yield* AddressSet.collecting(level));
  const until = ends.reduce((next, end) => (now < end && end < next ? end : next), Number.POSITIVE_INFINITY);
  const gathered = { name, addresses, prefixes, until, ...(yield* prefixes.finishing()) };
  if (!isTimed || until === Infinity) return gathered;
  const times = yield* AddressTimes.collecting(endingPrefixes(dataset, ends, now), "closest");
  return { ...gathered, times };
}

/** An address ends with the document of the most specific prefix that covers it. */
function* endingPrefixes({ table }: CtiDataset, ends: Float64Array, now: number): Generator<EndingPrefix> {
  for (const family of [4, 6] as const)
    for (const { prefix, match } of table.entries(family)) {
      const end = ends[match]!;
      yield { prefix, end: now < end ? endSecondOf(end) : 0 };
    }
}

/** By match, how many edges there are from the outside in, up to its own prefix; it fits where that is odd. */
function* levelsOf(
  { table }: CtiDataset,
  fits: (match: MatchId) => boolean,
): Generator<undefined, Uint8Array, undefined> {
  const levels = new Uint8Array(table.matchCount + 1);
  // A parent is an older match than its children, so that its level is known.
  for (let match = 1 as MatchId; match <= table.matchCount; match++) {
    const around = levels[table.parent(match)]!;
    levels[match] = around % 2 === (fits(match) ? 1 : 0) ? around : around + 1;
    if (match % STEP === 0) yield;
  }
  return levels;
}

/** The prefixes that are edges, by level, and those that fit. The table is read once: that takes most of the time. */
function* edgesOf(
  { table }: CtiDataset,
  levels: Uint8Array,
  expresses: Capability | undefined,
): Generator<undefined, { edges: PrefixColumns[]; prefixes: PrefixTally }, undefined> {
  const edges: PrefixColumns[] = [];
  const prefixes = new PrefixTally(expresses);
  let count = 0;
  for (const family of [4, 6] as const)
    for (const { prefix, match } of table.entries(family)) {
      const level = levels[match]!;
      if (level % 2 === 1) prefixes.add(prefix);
      if (level !== levels[table.parent(match)]) (edges[level - 1] ??= new PrefixColumns()).push(prefix);
      if (++count % STEP === 0) yield;
    }
  return { edges, prefixes };
}

/** By match, the first moment at which its document no longer fits: -Infinity if it never does, Infinity if it always does. */
function* endsOf(dataset: CtiDataset, selection: ThreatSelection): Generator<undefined, Float64Array, undefined> {
  const { table } = dataset;
  const ends = new Float64Array(table.matchCount + 1).fill(Number.NEGATIVE_INFINITY);
  for (let match = 1 as MatchId; match <= table.matchCount; match++) {
    ends[match] = endOf(dataset.recordOf(match), selection);
    if (match % STEP === 0) yield;
  }
  return ends;
}

function endOf({ classification, tags, lastSeen }: CtiRecord, wanted: ThreatSelection): number {
  if (wanted.classification !== undefined && classification !== wanted.classification) return Number.NEGATIVE_INFINITY;
  if (wanted.tags !== undefined && !wanted.tags.some((tag) => tags.includes(tag))) return Number.NEGATIVE_INFINITY;
  if (wanted.seenWithinDays === undefined) return Number.POSITIVE_INFINITY;
  return lastSeen === null ? Number.NEGATIVE_INFINITY : (lastSeen + wanted.seenWithinDays + 1) * DAY;
}
