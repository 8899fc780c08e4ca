import type { TimeUnit } from "../../batch/engine/time-counter.ts";
import type { IdentifyResult, TimeCounts } from "../../batch/identify-result.ts";
import type { AddressRanking, CountedAddress } from "../../batch/top-addresses.ts";
import { csvRow } from "../../csv/write-row.ts";
import type { MatchId } from "../../table/match-id.ts";
import { type CountedSection, type LabelledCounts, matchedLines } from "./snapshot-counts.ts";

/** What a run has counted in one of its snapshots. */
export interface CountsOfSnapshot {
  readonly label: string;
  readonly matched: number;
  readonly sections: readonly CountedSection[];
}

/** An address and its lines, with what the snapshots say about it. */
export interface TopAddress {
  readonly ip: string;
  readonly lines: number;
  /** Its members in JSON. */
  readonly members: object;
  readonly words: string;
}

/** Addresses with or without a match: how many different ones, and those with the most lines. */
export interface TopList {
  readonly distinct: number;
  readonly addresses: readonly TopAddress[];
}

/** The lines of a minute, hour or day. */
export interface CountedTime {
  /** Its beginning in ISO 8601: a day, or the minute in UTC. */
  readonly from: string;
  readonly lines: number;
  readonly matched: number;
  readonly unmatched: number;
}

/** Lines by their own times, those without one apart. */
export interface CountedTimes {
  readonly unit: TimeUnit;
  /** Ascending; without those that have no lines. */
  readonly counts: readonly CountedTime[];
  readonly withoutTime: number;
}

/** What a run has counted, whatever the format. */
export interface Counts {
  readonly lines: number;
  readonly matched: number;
  readonly unmatched: number;
  readonly no_address: number;
  /** One per snapshot; none without a summary. */
  readonly snapshots: readonly CountsOfSnapshot[];
  /** Null unless lines were counted by their times. */
  readonly times: CountedTimes | null;
  readonly top: { readonly matched: TopList; readonly unmatched: TopList } | null;
}

/** The counts of a run: with `isSummary` (of one with `countMatches`) by snapshot, and its top addresses. */
export function countsOf(
  result: IdentifyResult,
  lists: readonly LabelledCounts[],
  { isSummary, unit }: { readonly isSummary: boolean; readonly unit?: TimeUnit | undefined },
): Counts {
  const { lines, matched, unmatched, withoutAddress, top, times } = result;
  const perMatch = [result.perMatch, ...result.perMatchOfFurther];
  return {
    lines,
    matched,
    unmatched,
    no_address: withoutAddress,
    snapshots: !isSummary
      ? []
      : lists.map(({ label, counts }, at) => ({
          label,
          matched: matchedLines(perMatch[at]!),
          sections: counts.sections(perMatch[at]!),
        })),
    times: times && unit !== undefined ? timesOf(times, unit) : null,
    top: top && { matched: topList(top.matched, lists), unmatched: topList(top.unmatched, lists) },
  };
}

function timesOf({ counts, withoutTime }: TimeCounts, unit: TimeUnit): CountedTimes {
  return {
    unit,
    counts: counts.map(({ from, lines, addresses, matched }) => ({
      from: `${new Date(from).toISOString().slice(0, unit === "day" ? 10 : 16)}${unit === "day" ? "" : "Z"}`,
      lines,
      matched,
      unmatched: addresses - matched,
    })),
    withoutTime,
  };
}

function topList({ distinct, addresses }: AddressRanking, lists: readonly LabelledCounts[]): TopList {
  return { distinct, addresses: addresses.map((address) => topAddress(address, lists)) };
}

function topAddress({ address, lines, match, further }: CountedAddress, lists: readonly LabelledCounts[]): TopAddress {
  const known = lists.map(({ label, counts }, at) => {
    const own = (at === 0 ? match : further[at - 1]!) as MatchId;
    return { label, members: counts.members(address, own), words: counts.words(address, own) };
  });
  const [first] = known;
  const isOne = known.length === 1;
  return {
    ip: address,
    lines,
    members: isOne ? first!.members : { snapshots: byLabel(known.map(({ label, members }) => [label, members])) },
    words: isOne
      ? first!.words
      : known.flatMap(({ label, words }) => (words === "" ? [] : [`${label}: ${words}`])).join("; "),
  };
}

/** Any label is a member of its own, also `__proto__`. */
function byLabel<Value>(entries: readonly (readonly [string, Value])[]): Record<string, Value> {
  return Object.fromEntries(entries);
}

/** One JSON document. With several snapshots, what belongs to one of them is below its name. */
export function countsJson({ lines, matched, unmatched, no_address, snapshots, times, top }: Counts): string {
  const members = ({ sections }: CountsOfSnapshot): object =>
    byLabel(
      sections.map(({ all, entries }) => [
        all,
        entries.map(({ members: own, lines: ofIt }) => ({ ...own, lines: ofIt })),
      ]),
    );
  const list = ({ distinct, addresses }: TopList): object => ({
    distinct,
    addresses: addresses.map(({ ip, lines: ofIt, members: own }) => ({ ip, lines: ofIt, ...own })),
  });
  const document = {
    lines,
    matched,
    unmatched,
    no_address,
    ...(snapshots.length === 1 && members(snapshots[0]!)),
    ...(snapshots.length > 1 && {
      snapshots: byLabel(snapshots.map((one) => [one.label, { matched: one.matched, ...members(one) }])),
    }),
    ...(times !== null && {
      by_time: { unit: times.unit, counts: times.counts, lines_without_time: times.withoutTime },
    }),
    ...(top !== null && { top: { matched: list(top.matched), unmatched: list(top.unmatched) } }),
  };
  return `${JSON.stringify(document)}\n`;
}

/**
 * One row per count: what is counted, its key, its name, and the number of lines. With several snapshots, what is counted
 * in one of them begins with its name and a dot.
 */
export function countsCsv({ lines, matched, unmatched, no_address, snapshots, times, top }: Counts): string {
  const several = snapshots.length > 1;
  const rows: (readonly [count: string, key: string | null, name: string | null, lines: number])[] = [
    ["lines", null, null, lines],
    ["matched", null, null, matched],
    ["unmatched", null, null, unmatched],
    ["no_address", null, null, no_address],
    ...(several ? snapshots : []).map((one) => [`${one.label}.matched`, null, null, one.matched] as const),
    ...snapshots.flatMap(({ label, sections }) =>
      sections.flatMap(({ one, entries }) =>
        entries.map(({ key, name, lines: own }) => [several ? `${label}.${one}` : one, key, name, own] as const),
      ),
    ),
    ...(times?.counts ?? []).map(({ from, lines: own }) => [times!.unit, from, null, own] as const),
    ...(times === null ? [] : [["lines_without_time", null, null, times.withoutTime] as const]),
    ...(top?.matched.addresses ?? []).map(
      ({ ip, words, lines: own }) => ["matched_address", ip, words || null, own] as const,
    ),
    ...(top?.unmatched.addresses ?? []).map(({ ip, lines: own }) => ["unmatched_address", ip, null, own] as const),
  ];
  return [
    "count,key,name,lines\n",
    ...rows.map(([count, key, name, own]) => csvRow([count, key, name, String(own)])),
  ].join("");
}
