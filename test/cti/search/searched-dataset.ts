import type { Random } from "../../../bench/data/random.ts";
import type { Prefix } from "../../../src/address/address.ts";
import { formatPrefix, parsePrefix } from "../../../src/address/prefix.ts";
import { CtiBuilder } from "../../../src/cti/dataset-builder.ts";
import { CtiDataset } from "../../../src/cti/dataset.ts";
import { CLASSIFICATIONS, type CtiRecord, recordOf } from "../../../src/cti/fields.ts";
import type { SearchedNetworks } from "../../../src/cti/search/network-supply.ts";
import { freeze } from "../../../src/table/freeze.ts";
import type { SearchedDocument } from "../../oracle/search-oracle.ts";

/** A dataset, the networks beside it, and both as the oracle reads them, in the order of addresses. */
export interface Searched {
  readonly dataset: CtiDataset;
  readonly networks: SearchedNetworks;
  readonly documents: readonly SearchedDocument[];
}

const OWNERS = [
  { asn: 64500, name: "Example Transit", country: "DE" },
  { asn: 64501, name: "EXAMPLE Hosting", country: null },
  { asn: 13335, name: "Cloudy", country: "US" },
] as const;

/** Networks by the last octet of the first word: as good as any, and known to both sides. */
export const NETWORKS: SearchedNetworks = {
  valueCount: OWNERS.length,
  valueOf: ({ w0 }: Prefix) => ((w0 >>> 8) & 0xff) % (OWNERS.length + 1),
  owner: (value) => OWNERS[value - 1]!,
};

/** A dataset of these entries. */
export function searchedDataset(entries: Iterable<readonly [prefix: string, known: Partial<CtiRecord>]>): Searched {
  const builder = new CtiBuilder();
  for (const [prefix, known] of entries) builder.add(parsePrefix(prefix), recordOf(known));
  const { trie, metadata } = builder.build({ title: "test", createdAt: new Date("2026-06-17T00:00:00Z"), sources: [] });
  const dataset = new CtiDataset(metadata, freeze(trie));
  const documents = ([4, 6] as const).flatMap((family) =>
    [...dataset.table.entries(family)].map(({ prefix }) => {
      const ip = formatPrefix(prefix);
      const owner = NETWORKS.valueOf(prefix);
      // Looked up by its first address: a more specific prefix there has a document of its own.
      const match = dataset.table.get(prefix);
      return {
        ip,
        document: dataset.extendedDocumentOf(ip, match),
        network: owner === 0 ? null : NETWORKS.owner(owner),
      };
    }),
  );
  return { dataset, networks: NETWORKS, documents };
}

/** Values of each field, few enough that random queries meet them. */
export const VALUES = {
  tags: ["mirai", "Mirai", "Telnet Bruteforce", "ssh", "a*b", "23", "true", "Größe", "ΣΑΣ"],
  actor: ["censys", "Censys", 'say "so"', "it's", "İstanbul"],
  rdns: ["host-1.example.com", "HOST-1.example.com", "scan.shodan.io", "x.example.org", "ß.example.de"],
  tagIds: ["telnet_bruteforce", "SSH", "ssh"],
  cve: ["CVE-2024-3400", "cve-2024-3400", "CVE-2021-44228"],
  asnName: ["Cloudy", "cloudy", "Example Transit", "Other GmbH"],
  countryCode: ["DE", "US", "CN"],
  countryName: ["Germany", "United States", "China"],
  continentCode: ["EU", "NA"],
  continentName: ["Europe", "North America"],
  city: ["Amsterdam", "AMSTERDAM", "Prague"],
  muonfp: ["64240:2-4-8-1-3:1460:7", "*:::", "1024::1460:"],
  ja3: ["6734f37431670b3ab4292b8f60f29984", "aa"],
  ja4: ["t13i190800_9dc949149365_97f8aa674fd9", "t13d"],
  httpPaths: ["/wp-login.php", "/.env", "/a/b/.env", "/admin/Login"],
  userAgents: ["Mozilla/5.0 (compatible; zgrab/0.x)", "curl/8.1", "zgrab", "Go-http-client/1.1"],
} as const;

/** Days since 1970 around 2026-06-17. */
export const TODAY = 20_621;

/** Random entries: nested prefixes of both families, and addresses. */
export function randomEntries(random: Random, count: number): [prefix: string, known: Partial<CtiRecord>][] {
  return Array.from({ length: count }, () => [randomPrefix(random), randomRecord(random)]);
}

/** In a small part of both address spaces, so that prefixes nest. */
export function randomPrefix(random: Random): string {
  if (random.below(4) === 0) {
    const length = [128, 128, 64, 48, 33][random.below(5)]!;
    const whole = `2001:db8:${random.below(3).toString(16)}:${random.below(3)}::${random.below(4)}`;
    return formatPrefix(parsePrefix(`${whole}/${length}`, "mask"));
  }
  const length = [32, 32, 32, 31, 24, 16, 8][random.below(7)]!;
  return formatPrefix(parsePrefix(`198.51.${random.below(4)}.${random.below(8)}/${length}`, "mask"));
}

function randomRecord(random: Random): Partial<CtiRecord> {
  const one = <Value>(values: readonly Value[]): Value => values[random.below(values.length)]!;
  const some = <Value>(values: readonly Value[]): Value[] =>
    random.below(3) === 0 ? [] : Array.from({ length: random.below(3) + 1 }, () => one(values));
  const maybe = <Value>(value: Value, none: Value): Value => (random.below(3) === 0 ? none : value);
  return {
    classification: one(CLASSIFICATIONS),
    spoofable: one([true, false, null]),
    actor: maybe<string>(one(VALUES.actor), ""),
    tags: some(VALUES.tags),
    rdns: maybe<string>(one(VALUES.rdns), ""),
    firstSeen: maybe<number | null>(TODAY - random.below(30), null),
    lastSeen: maybe<number | null>(TODAY - random.below(10), null),
    activeDays: maybe<number | null>(random.below(8), null),
    tagIds: some(VALUES.tagIds),
    cve: some(VALUES.cve),
    asnNumber: maybe<number | null>(one([64500, 13335, 4_294_967_295, 0]), null),
    asnName: maybe<string>(one(VALUES.asnName), ""),
    countryCode: maybe<string>(one(VALUES.countryCode), ""),
    countryName: maybe<string>(one(VALUES.countryName), ""),
    continentCode: maybe<string>(one(VALUES.continentCode), ""),
    continentName: maybe<string>(one(VALUES.continentName), ""),
    city: maybe<string>(one(VALUES.city), ""),
    ports: some([22, 23, 80, 2323, 8080, 65535, 0]),
    nonSpoofablePorts: some([22, 445]),
    muonfp: some(VALUES.muonfp),
    ja3: some(VALUES.ja3),
    ja4: some(VALUES.ja4),
    httpPaths: some(VALUES.httpPaths),
    userAgents: some(VALUES.userAgents),
  };
}
