import type { PrefixTable } from "../table/prefix-table.ts";
import { type OpenOptions, openSnapshot } from "./open-snapshot.ts";
import { asTable, type SnapshotInfo } from "./snapshot.ts";
import type { MatchId } from "../table/match-id.ts";

/** The result of a deep check. */
export interface VerifiedSnapshot extends SnapshotInfo {
  /** Distinct value ids that prefixes map to. */
  readonly valueCount: number;
  /** The maximum depth of nested prefixes. */
  readonly deepestNesting: number;
}

/**
 * Opens a snapshot and proves that it can be used: the whole table is walked, its prefixes are counted again and each
 * is looked up, the metadata is decoded. O(prefixes); throws `SnapshotError`.
 */
export async function verifySnapshot(path: string, options?: OpenOptions): Promise<VerifiedSnapshot> {
  const snapshot = await openSnapshot(path, options);
  const { table } = snapshot;
  asTable(path, () => table.checkStructure());
  void snapshot.metadata;
  return { ...snapshot.info, ...countMatches(table) };
}

function countMatches(table: PrefixTable): Pick<VerifiedSnapshot, "valueCount" | "deepestNesting"> {
  const values = new Set<number>();
  // Parents have smaller ids, so their depth is known before their children's. Lengths ascend along a chain: at most 129.
  const depth = new Uint8Array(table.matchCount + 1);
  for (let match = 1 as MatchId; match <= table.matchCount; match++) {
    for (const value of table.values(match)) values.add(value);
    depth[match] = depth[table.parent(match)]! + 1; // `parent` returns a smaller id
  }
  return { valueCount: values.size, deepestNesting: depth.reduce((deepest, level) => Math.max(deepest, level), 0) };
}
