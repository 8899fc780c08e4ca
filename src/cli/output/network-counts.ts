import { networkCounts } from "../../networks/lines-by.ts";
import type { Networks } from "../../networks/networks.ts";
import { networkText } from "./network-text.ts";
import { oneLine } from "../runner/one-line.ts";
import type { CountedSection, SnapshotCounts } from "./snapshot-counts.ts";

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

/** Lines by AS number, and by country. */
function networkSections(networks: Networks, perMatch: Float64Array): CountedSection[] {
  const counts = networkCounts(networks, perMatch);
  const byNetwork = counts.networks.map(({ asn, name, lines }) => ({
    key: String(asn),
    name,
    shown: cut(`AS${asn} ${oneLine(name)}`),
    lines,
    members: { asn, name },
  }));
  const byCountry = counts.countries.map(({ country, lines }) => ({
    key: country,
    name: null,
    shown: country,
    lines,
    members: { country },
  }));
  return [
    { one: "network", all: "networks", color: "yellow", entries: byNetwork },
    { one: "country", all: "countries", color: "green", entries: byCountry },
  ];
}
