import type { Networks } from "../../networks/networks.ts";
import { networkText } from "../snapshots/chosen-networks.ts";
import { oneLine } from "./one-line.ts";
import { type CountedSection, countedBy, type SnapshotCounts } from "./snapshot-counts.ts";

/**
 * What counts say about the catalogue, and about the networks beside it: `perMatch` are the lines of each match of
 * these.
 */
export function countsWithNetworks(counts: SnapshotCounts, networks: Networks, perMatch: Float64Array): SnapshotCounts {
  return {
    sections: (own) => [...counts.sections(own), ...networkSections(networks, perMatch)],
    members: (address, match) => ({ ...counts.members(address, match), network: networks.lookup(address) }),
    words(address, match) {
      const network = networks.lookup(address);
      return [counts.words(address, match), network === null ? "" : networkText(network)]
        .filter((text) => text !== "")
        .join("; ");
    },
  };
}

/** Names of organisations are long, and bars would have no room beside them. */
const MOST_SHOWN = 34;

function cut(text: string): string {
  return text.length <= MOST_SHOWN ? text : `${text.slice(0, MOST_SHOWN - 1)}…`;
}

/** Lines by AS number, and by country; lines of addresses that no one announces are in neither. */
function networkSections(networks: Networks, perMatch: Float64Array): CountedSection[] {
  const names = new Map<string, string>();
  const byNetwork = countedBy(
    perMatch,
    (match) => {
      const { asn, name } = networks.ownerOf(match);
      names.set(String(asn), name);
      return [String(asn)];
    },
    (key) => {
      const name = names.get(key)!;
      return { key, name, shown: cut(`AS${key} ${oneLine(name)}`), members: { asn: Number(key), name } };
    },
  );
  const byCountry = countedBy(
    perMatch,
    (match) => {
      const { country } = networks.ownerOf(match);
      return country === null ? [] : [country];
    },
    (key) => ({ key, name: null, shown: key, members: { country: key } }),
  );
  return [
    { one: "network", all: "networks", color: "yellow", entries: byNetwork },
    { one: "country", all: "countries", color: "green", entries: byCountry },
  ];
}
