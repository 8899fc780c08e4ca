import type { MatchId } from "../table/match-id.ts";
import type { Networks } from "./networks.ts";

/** Lines of a log by who announces their addresses, and by country; the most lines first. */
export interface NetworkCounts {
  readonly networks: readonly { readonly asn: number; readonly name: string; readonly lines: number }[];
  readonly countries: readonly { readonly country: string; readonly lines: number }[];
}

/**
 * The counts of a log, by the lines of each match of the networks: O(matches). Lines of addresses that no one announces
 * are in neither, and those without a country in no country. The command and the dashboard both show these.
 */
export function networkCounts(networks: Networks, perMatch: Float64Array): NetworkCounts {
  const names = new Map<number, string>();
  const byNetwork = new Map<number, number>();
  const byCountry = new Map<string, number>();
  for (let match = 1 as MatchId; match < perMatch.length; match++) {
    const lines = perMatch[match]!;
    if (lines === 0) continue;
    const { asn, name, country } = networks.ownerOf(match);
    names.set(asn, name);
    byNetwork.set(asn, (byNetwork.get(asn) ?? 0) + lines);
    if (country !== null) byCountry.set(country, (byCountry.get(country) ?? 0) + lines);
  }
  return {
    networks: mostFirst(byNetwork).map(([asn, lines]) => ({ asn, name: names.get(asn)!, lines })),
    countries: mostFirst(byCountry).map(([country, lines]) => ({ country, lines })),
  };
}

function mostFirst<Key extends number | string>(counts: ReadonlyMap<Key, number>): [Key, number][] {
  return [...counts].sort(([keyA, a], [keyB, b]) => b - a || (String(keyA) < String(keyB) ? -1 : 1));
}
