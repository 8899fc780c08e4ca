import type { Family } from "../address/address.ts";
import type { PrefixTable } from "../table/prefix-table.ts";
import { TableError } from "../table/table-error.ts";
import { asTable, openSnapshot, type SnapshotInfo } from "./open-snapshot.ts";

/** What a deep check counted on its way. */
export interface VerifiedSnapshot extends SnapshotInfo {
  /** Distinct value ids that prefixes map to. */
  readonly valueCount: number;
  /** The most prefixes that cover one another. */
  readonly deepestNesting: number;
}

/**
 * Opens a snapshot and proves that it can be used: the whole table is walked, its prefixes are counted again and each is
 * looked up, the metadata is decoded. O(prefixes); throws `SnapshotError`.
 */
export async function verifySnapshot(path: string): Promise<VerifiedSnapshot> {
  const snapshot = await openSnapshot(path);
  const { table } = snapshot;
  asTable(path, () => {
    checkParents(table);
    checkEntries(table, 4);
    checkEntries(table, 6);
    table.checkStructure();
  });
  void snapshot.metadata;
  return { ...snapshot.info, ...countMatches(table) };
}

/** Parents lead to smaller ids. First of all: what follows goes along chains, and must not go round in circles. */
function checkParents(table: PrefixTable): void {
  for (let match = 1; match <= table.matchCount; match++) {
    const parent = table.parent(match);
    if (parent < 0 || parent >= match) throw new TableError("bad-match", "matchParent", `match ${match} has the parent ${parent}, which is not an older one`);
  }
}

/**
 * The walk and the lookups read the same nodes in different ways, and must agree. Stops at one prefix too many: in a crafted
 * table, one word can stand for as many prefixes as there are addresses.
 */
function checkEntries(table: PrefixTable, family: Family): void {
  const told = table.prefixCount(family);
  let count = 0;
  for (const { prefix, match } of table.entries(family)) {
    if (++count > told) break;
    if (table.get(prefix) !== match) throw new TableError("bad-match", "matchParent", `an IPv${family} prefix with match ${match} is not found by a lookup`);
  }
  if (count !== told) throw new TableError("bad-count", "header", `${told} IPv${family} prefixes are told, ${count > told ? "more" : count} found`);
}

function countMatches(table: PrefixTable): Pick<VerifiedSnapshot, "valueCount" | "deepestNesting"> {
  const values = new Set<number>();
  // Parents have smaller ids, so their depth is known before their children's.
  const depth = new Uint8Array(table.matchCount + 1);
  for (let match = 1; match <= table.matchCount; match++) {
    for (const value of table.values(match)) values.add(value);
    depth[match] = depth[table.parent(match)] + 1;
  }
  return { valueCount: values.size, deepestNesting: depth.reduce((most, level) => Math.max(most, level), 0) };
}
