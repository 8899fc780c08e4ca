import type { Prefix } from "../address/address.ts";
import type { MatchId } from "../table/match-id.ts";
import { nearest } from "../words/nearest.ts";
import type { Networks } from "./networks.ts";
import { NetworksError } from "./networks-error.ts";

/** Addresses that an AS number announces, or that are registered in a country. */
export type NetworkSelection = { readonly asn: number } | { readonly country: string };

/**
 * The prefixes of the selected networks, in order; an undefined one stands for something that was looked at and is not
 * selected, as `gathering` counts its pauses by it. O(prefixes of the dataset).
 * @throws NetworksError "unknown-network" for an AS number or a country that the dataset does not have, with the nearest
 * ones that it has
 */
export function* selectedPrefixes(
  networks: Networks,
  selection: NetworkSelection,
): Generator<Prefix | undefined, void, undefined> {
  const { table } = networks;
  const [from, to] = "asn" in selection ? valuesOf(networks, selection.asn) : [1, networks.valueCount + 1];
  if ("country" in selection) checkCountry(networks, selection.country);
  const isSelected = new Uint8Array(table.matchCount + 1);
  for (let match = 1 as MatchId; match < isSelected.length; match++) {
    const value = table.value(match);
    const isOwn = "asn" in selection || networks.countryOf(value) === selection.country;
    if (value >= from && value < to && isOwn) isSelected[match] = 1;
    yield undefined;
  }
  for (const family of [4, 6] as const)
    for (const { prefix, match } of table.entries(family)) yield isSelected[match] === 1 ? prefix : undefined;
}

function valuesOf(networks: Networks, asn: number): readonly [from: number, to: number] {
  const index = networks.indexOf(asn);
  if (index >= 0) return networks.valuesAt(index);
  const after = networks.indexAfter(asn);
  const known = [after - 1, after]
    .filter((at) => at >= 0 && at < networks.asnCount)
    .map((at) => `AS${networks.asnAt(at)} (${networks.nameAt(at)})`);
  throw new NetworksError(
    "unknown-network",
    asn,
    `no network has the number AS${asn}; the nearest are ${known.join(" and ")}`,
  );
}

function checkCountry(networks: Networks, country: string): void {
  const known = networks.countries();
  if (known.includes(country)) return;
  const meant = nearest(country, known);
  const cure = meant === undefined ? `there are ${known.join(", ")}` : `did you mean ${meant}?`;
  throw new NetworksError(
    "unknown-network",
    country,
    `no network is in the country ${JSON.stringify(country)} (two letters, ISO 3166-1); ${cure}`,
  );
}
