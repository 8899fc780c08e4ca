import type { Catalogue } from "./catalogue.ts";
import type { PrefixList } from "./_prefix-list.ts";
import type { InParts } from "./in-parts.ts";
import type { MatchId } from "../table/match-id.ts";

/**
 * The extent of a node with its descendants, or of any other group of nodes: each prefix and each address counts once.
 */
export interface Extent {
  readonly ipv4_count: number;
  readonly ipv6_count: number;
  /** IPv4 addresses, however many of the prefixes cover each. */
  readonly ipv4_addresses: number;
}

/** How many prefixes have each match, by match id. */
export function countMatches({ matches }: PrefixList, matchCount: number): Uint32Array {
  const counts = new Uint32Array(matchCount + 1);
  for (const match of matches) counts[match]!++;
  return counts;
}

const MATCHES_AT_ONCE = 500;

/**
 * The extents of groups 0 .. `groupCount` - 1, where `groupsOf` names the groups that a value belongs to. Everything
 * follows from matches: prefixes with one match have the same values, and so do those around them. A prefix adds its
 * addresses to a group unless one around it is in the group, which has added them already; those that do are disjoint.
 * O(matches x nesting x groups of a prefix).
 */
export function* tally(
  catalogue: Catalogue,
  counts4: Uint32Array,
  counts6: Uint32Array,
  groupCount: number,
  groupsOf: (value: number) => readonly number[],
): InParts<Extent[]> {
  const { table } = catalogue;
  const prefixes4 = new Float64Array(groupCount);
  const prefixes6 = new Float64Array(groupCount);
  const addresses4 = new Float64Array(groupCount);
  // The match in which a group was last met: in a prefix around the current one, and in the current one.
  const around = new Uint32Array(groupCount);
  const inside = new Uint32Array(groupCount);
  for (let match = 1 as MatchId; match <= table.matchCount; match++) {
    if (match % MATCHES_AT_ONCE === 0) yield;
    const count4 = counts4[match]!;
    const count6 = counts6[match]!;
    if (count4 + count6 === 0) continue;
    for (let outer = table.parent(match); outer !== 0; outer = table.parent(outer)) {
      for (const value of catalogue.valuesOf(outer)) for (const group of groupsOf(value)) around[group] = match;
    }
    const addresses = count4 === 0 ? 0 : count4 * 2 ** (32 - table.prefixLength(match));
    for (const value of catalogue.valuesOf(match)) {
      for (const group of groupsOf(value)) {
        if (inside[group] === match) continue;
        inside[group] = match;
        prefixes4[group]! += count4;
        prefixes6[group]! += count6;
        if (around[group] !== match) addresses4[group]! += addresses;
      }
    }
  }
  return Array.from({ length: groupCount }, (_, group) => ({
    ipv4_count: prefixes4[group]!,
    ipv6_count: prefixes6[group]!,
    ipv4_addresses: addresses4[group]!,
  }));
}
