import { fileURLToPath } from "node:url";
import { parsePrefix } from "../src/address/prefix.ts";
import { CtiBuilder } from "../src/cti/dataset-builder.ts";
import { type CtiRecord, recordOf } from "../src/cti/fields.ts";
import { writeSnapshot } from "../src/snapshot/write-snapshot.ts";
import { freeze } from "../src/table/freeze.ts";

const DAY = 86_400_000;
const day = (date: string): number => Date.parse(`${date}T00:00Z`) / DAY;

/**
 * Addresses that behave alike: `hosts` single ones of the prefix, spread over it, or the prefix itself where there are
 * none.
 */
interface Group {
  readonly prefix: string;
  readonly hosts: number;
  readonly known: Partial<CtiRecord>;
}

const EUROPE = { continentCode: "EU", continentName: "Europe" };
const NORTH_AMERICA = { continentCode: "NA", continentName: "North America" };

/**
 * All of it is invented: prefixes for documentation (RFC 5737, RFC 3849), AS numbers for documentation (RFC 5398),
 * names that no one has.
 */
const GROUPS: readonly Group[] = [
  {
    prefix: "192.0.2.0/25",
    hosts: 40,
    known: {
      spoofable: false,
      classification: "malicious",
      actor: "Example Botnet",
      tags: ["ssh-bruteforce", "telnet-bruteforce", "sample"],
      tagIds: ["sample-1", "sample-2"],
      cve: [],
      asnNumber: 64496,
      asnName: "Example Hosting",
      countryCode: "NL",
      countryName: "Netherlands",
      ...EUROPE,
      city: "Amsterdam",
      ports: [22, 23, 2222, 2323],
      nonSpoofablePorts: [22, 23],
      muonfp: ["64240:2-4-8-1-3:1460:7"],
      ja4: ["t13d1516h2_8daaf6152771_02713d6af862"],
    },
  },
  {
    prefix: "192.0.2.128/25",
    hosts: 30,
    known: {
      spoofable: false,
      classification: "malicious",
      tags: ["log4shell", "web-scanner", "sample"],
      cve: ["CVE-2021-44228", "CVE-2022-22965"],
      asnNumber: 64497,
      asnName: "Example Cloud",
      countryCode: "US",
      countryName: "United States",
      ...NORTH_AMERICA,
      city: "Ashburn",
      ports: [80, 443, 8080],
      nonSpoofablePorts: [80, 443],
      httpPaths: ["/", "/.env", "/actuator/health", "/wp-login.php"],
      userAgents: ["curl/8.14.1", "Go-http-client/1.1"],
    },
  },
  {
    prefix: "198.51.100.0/26",
    hosts: 24,
    known: {
      spoofable: false,
      classification: "benign",
      actor: "Example Research",
      tags: ["internet-census", "sample"],
      rdns: "census.example.org",
      asnNumber: 64498,
      asnName: "Example University",
      countryCode: "DE",
      countryName: "Germany",
      ...EUROPE,
      city: "Berlin",
      ports: [21, 22, 25, 53, 80, 443],
      nonSpoofablePorts: [80, 443],
    },
  },
  {
    prefix: "198.51.100.128/25",
    hosts: 0,
    known: {
      classification: "promiscuous",
      tags: ["vpn", "sample"],
      asnNumber: 64499,
      asnName: "Example VPN",
      countryCode: "SE",
      countryName: "Sweden",
      ...EUROPE,
    },
  },
  {
    prefix: "203.0.113.0/24",
    hosts: 50,
    known: {
      spoofable: true,
      classification: "unknown",
      tags: ["udp-flood", "sample"],
      asnNumber: 64500,
      asnName: "Example Telecom",
      ports: [53, 123, 1900],
    },
  },
  {
    prefix: "2001:db8:bad::/48",
    hosts: 12,
    known: {
      spoofable: false,
      classification: "malicious",
      actor: "Example Botnet",
      tags: ["ssh-bruteforce", "sample"],
      asnNumber: 64496,
      asnName: "Example Hosting",
      ports: [22],
      nonSpoofablePorts: [22],
    },
  },
  {
    prefix: "2001:db8:7::/48",
    hosts: 0,
    known: { classification: "promiscuous", tags: ["tor-exit", "sample"], actor: "Example Relays" },
  },
];

const LAST_DAY = day("2026-06-17");

/** The n-th address of a group, in steps that leave gaps, and when it was seen. */
function addGroup(builder: CtiBuilder, { prefix, hosts, known }: Group): void {
  const network = parsePrefix(prefix);
  const seen = { firstSeen: LAST_DAY - 60, lastSeen: LAST_DAY, activeDays: 31 };
  if (hosts === 0) builder.add(network, recordOf({ ...known, ...seen }));
  for (let host = 1; host <= hosts; host++) {
    const step = host * 2;
    const address = network.family === 4 ? { ...network, w0: network.w0 + step } : { ...network, w3: step };
    const times = {
      firstSeen: LAST_DAY - 20 - ((host * 7) % 40),
      lastSeen: LAST_DAY - (host % 5),
      activeDays: 3 + (host % 12),
    };
    builder.add({ ...address, length: network.family === 4 ? 32 : 128 }, recordOf({ ...known, ...times }));
  }
}

/** The sample dataset, the same every time. */
function sampleDataset(): ReturnType<CtiBuilder["build"]> {
  const builder = new CtiBuilder();
  for (const group of GROUPS) addGroup(builder, group);
  const sources = [{ name: "invented: no address, name or event in it is real", entries: builder.size }];
  return builder.build({ title: "Sample for trying things out", createdAt: new Date(LAST_DAY * DAY), sources });
}

if (import.meta.main) {
  const { trie, metadata } = sampleDataset();
  const path = fileURLToPath(new URL("cti-sample.ipsieve", import.meta.url));
  await writeSnapshot(path, { table: freeze(trie), metadata, kind: "cti", createdAt: new Date(metadata.createdAt) });
}
