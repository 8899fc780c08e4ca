import { createWriteStream } from "node:fs";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { fileURLToPath } from "node:url";
import { formatAddress } from "../src/address/format-address.ts";
import { readAsnTable } from "./asn-table.ts";
import type { AsnPrefixes, AsnTable } from "./asn-table.ts";
import { readProviders } from "./providers.ts";
import type { Provider } from "./providers.ts";

/** Who sends requests: what stands in the first column of the log, a browser or program, and what it asks for. */
export interface Visitor {
  readonly address: string;
  readonly agent: string;
  readonly requests: readonly Request[];
}

/** Visitors who together send a share of the requests; shares are relative to each other. */
export interface VisitorGroup {
  readonly share: number;
  readonly visitors: readonly Visitor[];
}

export interface LogOptions {
  readonly lines: number;
  /** Lengthens query strings until the log has about this many bytes; without it a line takes about 190. */
  readonly bytes?: number;
  readonly seed: number;
  readonly groups: readonly VisitorGroup[];
}

type Random = () => number;

/** Numbers in [0, 1) that a seed decides (Mulberry32). */
function randomFrom(seed: number): Random {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

function pick<T>(from: readonly T[], random: Random): T {
  return from[Math.floor(random() * from.length)]!;
}

const BROWSERS = [
  "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/137.0.0.0 Safari/537.36",
  "Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/137.0.0.0 Safari/537.36",
  "Mozilla/5.0 (Linux; Android 10; K) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/137.0.0.0 Mobile Safari/537.36",
  "Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.5 Mobile/15E148 Safari/604.1",
  "Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.5 Safari/605.1.15",
  "Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:139.0) Gecko/20100101 Firefox/139.0",
  "Mozilla/5.0 (X11; Linux x86_64; rv:139.0) Gecko/20100101 Firefox/139.0",
  "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/137.0.0.0 Safari/537.36 Edg/137.0.0.0",
];
const PROGRAMS = [
  "curl/8.14.1",
  "python-requests/2.32.4",
  "Go-http-client/2.0",
  "okhttp/4.12.0",
  "axios/1.9.0",
  "Java/21.0.7",
  "-",
];

type Request = readonly [request: string, status: number, size: number];

/** What people ask a shop with a blog for, what its customers' programs do, and what crawlers and scanners try. */
const VISITS: readonly Request[] = [
  ["GET / HTTP/2.0", 200, 18432],
  ["GET /products HTTP/2.0", 200, 31877],
  ["GET /products/4711-walnut-desk HTTP/2.0", 200, 22107],
  ["GET /products/1203-desk-lamp HTTP/1.1", 200, 20954],
  ["GET /cart HTTP/2.0", 200, 9120],
  ["POST /cart/items HTTP/2.0", 303, 0],
  ["POST /checkout HTTP/2.0", 200, 5311],
  ["GET /blog/2026/03/how-we-make-drawers HTTP/2.0", 200, 14201],
  ["GET /assets/app.6f1c2b.js HTTP/2.0", 200, 88412],
  ["GET /assets/app.91ad07.css HTTP/2.0", 304, 0],
  ["GET /images/desk-hero.avif HTTP/2.0", 200, 154223],
  ["GET /favicon.ico HTTP/1.1", 200, 4286],
  ["GET /search?q=oak+table HTTP/2.0", 200, 17640],
  ["GET /old-catalogue.pdf HTTP/1.1", 404, 1534],
];
const CALLS: readonly Request[] = [
  ["GET /api/v1/stock?sku=4711 HTTP/1.1", 200, 187],
  ["GET /api/v1/orders/88123 HTTP/1.1", 401, 64],
  ["POST /api/v1/webhooks HTTP/1.1", 202, 2],
  ["HEAD / HTTP/1.1", 200, 0],
  ["GET /wp-login.php HTTP/1.1", 404, 1534],
  ["GET /.env HTTP/1.1", 403, 162],
];
const CRAWLS: readonly Request[] = [
  ["GET /robots.txt HTTP/1.1", 200, 231],
  ["GET /sitemap.xml HTTP/1.1", 200, 40771],
  ["GET /blog/feed.xml HTTP/1.1", 304, 0],
  ["GET /blog/2026/03/how-we-make-drawers HTTP/1.1", 200, 14201],
  ["GET /products/4711-walnut-desk HTTP/1.1", 200, 22107],
  ["GET /products/1203-desk-lamp HTTP/1.1", 200, 20954],
];
const HEALTH_CHECKS: readonly Request[] = [["GET /healthz HTTP/1.1", 200, 2]];
const REFERERS = [
  "-",
  "-",
  "https://www.google.com/",
  "https://shop.example/",
  "https://shop.example/products",
  "https://duckduckgo.com/",
  "https://www.bing.com/",
];
const MONTHS = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
const FIRST_SECOND = Date.UTC(2026, 5, 17) / 1000;
const CHUNK_LINES = 512;

/**
 * The log in pieces: combined access-log lines over one day, the same for the same options. About two microseconds per
 * line.
 */
export function* logChunks({ lines, bytes, seed, groups }: LogOptions): Generator<Buffer> {
  const random = randomFrom(seed);
  const allShares = groups.reduce((sum, group) => sum + group.share, 0);
  const perLine = (bytes ?? 0) / lines;
  let written = 0;
  let chunk = "";
  for (let line = 0; line < lines; line++) {
    const { address, agent, requests } = pickVisitor(groups, allShares, random);
    const time = timeText(FIRST_SECOND + Math.floor(((line + random()) / lines) * 86_400));
    const [request, status, size] = pick(requests, random);
    const referer = requests === VISITS ? pick(REFERERS, random) : "-";
    const missing =
      Math.floor(perLine * (line + 1)) - written - chunk.length - address.length - request.length - agent.length - 60;
    const asked = missing < 8 ? request : lengthen(request, missing, random);
    chunk += `${address} - - [${time}] "${asked}" ${status} ${size} "${referer}" "${agent}"\n`;
    if ((line + 1) % CHUNK_LINES !== 0 && line + 1 < lines) continue;
    written += chunk.length;
    yield Buffer.from(chunk, "latin1");
    chunk = "";
  }
}

/** Streams the log to a file. */
export async function writeLog(path: string, options: LogOptions): Promise<void> {
  await pipeline(Readable.from(logChunks(options)), createWriteStream(path));
}

function pickVisitor(groups: readonly VisitorGroup[], allShares: number, random: Random): Visitor {
  let left = random() * allShares;
  const group = groups.find(({ share }) => (left -= share) < 0) ?? groups[0]!;
  // A few visitors send most of the requests.
  return group.visitors[Math.floor(group.visitors.length * random() ** 3)]!;
}

let lastSecond = -1;
let lastTime = "";

function timeText(second: number): string {
  if (second === lastSecond) return lastTime;
  const date = new Date(second * 1000);
  const two = (value: number): string => String(value).padStart(2, "0");
  const clock = [date.getUTCHours(), date.getUTCMinutes(), date.getUTCSeconds()].map(two).join(":");
  lastSecond = second;
  lastTime = `${two(date.getUTCDate())}/${MONTHS[date.getUTCMonth()]}/${date.getUTCFullYear()}:${clock} +0000`;
  return lastTime;
}

const TRACKING = "abcdefghijklmnopqrstuvwxyz".repeat(8);

function lengthen(request: string, missing: number, random: Random): string {
  const end = request.lastIndexOf(" ");
  const from = Math.floor(random() * 26);
  const query = `${request.includes("?") ? "&" : "?"}ref=${TRACKING.slice(from, from + missing - 5)}`;
  return request.slice(0, end) + query + request.slice(end);
}

/** Visitors with browsers and programs whose addresses are drawn from these prefixes, each as likely as any other. */
export function visitorsFrom(prefixes: readonly AsnPrefixes[], count: number, seed: number): Visitor[] {
  const random = randomFrom(seed);
  const all = prefixes.reduce((sum, each) => sum + each.count, 0);
  return Array.from({ length: count }, () => {
    let at = Math.floor(random() * all);
    const from = prefixes.find((each) => (at -= each.count) < 0)!;
    return visitor(drawAddress(from, at + from.count, random), pick([...BROWSERS, ...PROGRAMS], random));
  });
}

function visitor(address: string, agent: string): Visitor {
  return { address, agent, requests: BROWSERS.includes(agent) ? VISITS : PROGRAMS.includes(agent) ? CALLS : CRAWLS };
}

/**
 * A random address of a prefix; IPv6 hosts are numbered in the last 16 bits or the last 64, as they are in practice.
 */
function drawAddress({ family, wordsPerPrefix, words, lengths }: AsnPrefixes, at: number, random: Random): string {
  const host = new Uint32Array(4).map(() => random() * 2 ** 32);
  if (family === 6 && random() < 0.5) host.set([0, host[3]! & 0xffff], 2);
  const word = (offset: number): number => {
    if (offset >= wordsPerPrefix) return 0;
    const inside = Math.min(Math.max(lengths[at]! - offset * 32, 0), 32);
    const hostBits = inside === 32 ? 0 : 0xffffffff >>> inside;
    return (words[at * wordsPerPrefix + offset]! | (host[offset]! & hostBits)) >>> 0;
  };
  return formatAddress({ family, w0: word(0), w1: word(1), w2: word(2), w3: word(3) });
}

/**
 * Who comes to the sample log, in percent of its lines: a provider of the map, and its programs unless people use
 * browsers there.
 */
const CAST: readonly (readonly [share: number, provider: string, agents?: readonly string[]])[] = [
  [7, "/isp/comcast"],
  [5, "/isp/deutsche-telekom"],
  [4, "/isp/att"],
  [3, "/isp/charter"],
  [3, "/isp/bt"],
  [3, "/isp/orange-fr"],
  [3, "/isp/t-mobile-us"],
  [3, "/isp/jio"],
  [2, "/isp/vodafone-de"],
  [2, "/isp/telecom-italia"],
  [2, "/isp/kddi"],
  [2, "/isp/ntt"],
  [2, "/isp/vivo"],
  [2, "/isp/telstra"],
  [2, "/isp/bell-canada"],
  [1, "/isp/starlink"],
  [1, "/isp/turk-telekom"],
  [1, "/isp/telkom-za"],
  [1, "/isp/kpn"],
  [1, "/isp/swisscom"],
  [7, "/saas/google", ["Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)"]],
  [
    4,
    "/cloud/azure",
    [
      "Mozilla/5.0 (compatible; bingbot/2.0; +http://www.bing.com/bingbot.htm)",
      "Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko; compatible; GPTBot/1.2; +https://openai.com/gptbot)",
      ...PROGRAMS,
    ],
  ],
  [
    6,
    "/cloud/aws",
    [
      "Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko; compatible; ClaudeBot/1.0; +claudebot@anthropic.com)",
      "Amazonbot/0.1",
      ...PROGRAMS,
    ],
  ],
  [3, "/cloud/google", PROGRAMS],
  [2, "/cloud/digitalocean", PROGRAMS],
  [2, "/cloud/hetzner", PROGRAMS],
  [2, "/cloud/ovh", PROGRAMS],
  [1, "/cloud/oracle", PROGRAMS],
  [1, "/cloud/alibaba", PROGRAMS],
  [1, "/cloud/vultr", PROGRAMS],
  [2, "/cdn/cloudflare"],
  [1, "/cdn/fastly"],
  [1, "/cdn/akamai/private-relay"],
  [2, "/bot/ahrefs", ["Mozilla/5.0 (compatible; AhrefsBot/7.0; +http://ahrefs.com/robot/)"]],
  [1, "/bot/semrush", ["Mozilla/5.0 (compatible; SemrushBot/7~bl; +http://www.semrush.com/bot.html)"]],
  [1, "/bot/censys", ["Mozilla/5.0 (compatible; CensysInspect/1.1; +https://about.censys.io/)"]],
  [
    1,
    "/bot/internet-archive",
    ["Mozilla/5.0 (compatible; archive.org_bot +http://archive.org/details/archive.org_bot)"],
  ],
  [1, "/saas/yandex", ["Mozilla/5.0 (compatible; YandexBot/3.0; +http://yandex.com/bots)"]],
  [
    2,
    "/saas/meta",
    ["facebookexternalhit/1.1 (+http://www.facebook.com/externalhit_uatext.php)", "meta-externalagent/1.1"],
  ],
  [
    1,
    "/saas/apple",
    [
      "Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.4 Safari/605.1.15 (Applebot/0.1)",
    ],
  ],
  [1, "/saas/stripe", ["Stripe/1.0 (+https://stripe.com/docs/webhooks)"]],
  [1, "/saas/github", ["GitHub-Hookshot/7f3c2a1"]],
  [3, "/security/zscaler"],
  [1, "/security/netskope"],
  [1, "/security/packethub"],
];

/** What no catalogue knows: health checks from inside, and lines whose client is no address. */
const STRANGERS: readonly VisitorGroup[] = [
  {
    share: 3,
    visitors: ["10.0.1.17", "10.0.2.17", "192.168.7.20"].map((address) => ({
      address,
      agent: "ELB-HealthChecker/2.0",
      requests: HEALTH_CHECKS,
    })),
  },
  { share: 0.6, visitors: [visitor("-", "-"), visitor("localhost", "curl/8.14.1")] },
];

/** The visitors of the sample log: `CAST`, some from anywhere on the internet, and `STRANGERS`. */
export function sampleGroups(table: AsnTable, providers: readonly Provider[], seed: number): VisitorGroup[] {
  const random = randomFrom(seed);
  const groups = CAST.map(([share, id, agents = BROWSERS]): VisitorGroup => {
    const asns = new Set(providers.find((provider) => provider.id === id)?.asns);
    const indexes = [table.ipv4, table.ipv6].map((prefixes) => indexesOf(prefixes, asns));
    const visitors = Array.from({ length: Math.ceil(share * 6) }, () => {
      const six = indexes[1]!.length > 0 && random() < 0.3;
      const address = drawAddress(six ? table.ipv6 : table.ipv4, pick(indexes[six ? 1 : 0]!, random), random);
      return visitor(address, pick(agents, random));
    });
    return { share, visitors };
  });
  return [...groups, { share: 6, visitors: visitorsFrom([table.ipv4, table.ipv6], 40, seed) }, ...STRANGERS];
}

function indexesOf(prefixes: AsnPrefixes, asns: ReadonlySet<number>): number[] {
  const indexes: number[] = [];
  for (let at = 0; at < prefixes.count; at++) if (asns.has(prefixes.asns[at]!)) indexes.push(at);
  if (prefixes.family === 4 && indexes.length === 0) throw new Error(`no IPv4 prefix of AS${[...asns].join(", AS")}`);
  return indexes;
}

export const SAMPLE_LINES = 2000;
export const SAMPLE_SEED = 20260617;

if (import.meta.main) {
  const groups = sampleGroups(readAsnTable(), readProviders(), SAMPLE_SEED);
  await writeLog(fileURLToPath(new URL("sample.log", import.meta.url)), {
    lines: SAMPLE_LINES,
    seed: SAMPLE_SEED,
    groups,
  });
  console.error(`data/sample.log: ${SAMPLE_LINES} synthetic lines`);
}
