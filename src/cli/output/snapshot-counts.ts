import type { MatchId } from "../../table/match-id.ts";
import type { BarColor } from "./bars.ts";

/** Lines of a log that have something in common, such as a type of service. */
export interface CountedEntry {
  /** What CSV has in its columns: what identifies it, and its name, if it has one. */
  readonly key: string;
  readonly name: string | null;
  /** What the summary shows. */
  readonly shown: string;
  readonly lines: number;
  /** Its members in JSON; the number of lines is added. */
  readonly members: object;
}

/** One way to divide the lines that match in a snapshot, the most lines first. */
export interface CountedSection {
  /** What CSV calls one entry, and JSON all of them. */
  readonly one: string;
  readonly all: string;
  readonly color: BarColor;
  readonly entries: readonly CountedEntry[];
}

/** What counts say about one snapshot, whatever kind it is of. */
export interface SnapshotCounts {
  /** `perMatch` are the lines of each match id. O(matches). */
  sections(perMatch: Float64Array): readonly CountedSection[];
  /** The members of an address in JSON. */
  members(address: string, match: MatchId): object;
  /** The same in a few words; "" for no match. */
  words(address: string, match: MatchId): string;
}

/** A snapshot of a run, with the name that the run gives it. */
export interface LabelledCounts {
  readonly label: string;
  readonly counts: SnapshotCounts;
}

/** Lines by key, the most first; each match is looked at once. `entryOf` is called once per key. O(matches). */
export function countedBy(
  perMatch: Float64Array,
  keysOf: (match: MatchId) => Iterable<string>,
  entryOf: (key: string) => Omit<CountedEntry, "lines">,
): CountedEntry[] {
  const lines = new Map<string, number>();
  for (let match = 1 as MatchId; match < perMatch.length; match++) {
    if (perMatch[match] === 0) continue;
    for (const key of keysOf(match)) lines.set(key, (lines.get(key) ?? 0) + perMatch[match]!);
  }
  return [...lines]
    .sort(([keyA, a], [keyB, b]) => b - a || (keyA < keyB ? -1 : 1))
    .map(([key, own]) => ({ ...entryOf(key), lines: own }));
}

/** How many lines match in a snapshot. */
export function matchedLines(perMatch: Float64Array): number {
  return perMatch.reduce((sum, lines, match) => (match === 0 ? 0 : sum + lines), 0);
}
