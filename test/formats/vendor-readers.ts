/**
 * Readers of lists for firewalls and clouds, each written from the vendor's documentation if that was available, and
 * otherwise from the formats that deployments were specified with; all fail on a malformed line.
 */
import assert from "node:assert/strict";
import { parseAddress } from "../../src/address/parse-address.ts";
import { parsePrefix } from "../../src/address/prefix.ts";
import type { RuleExportFormat } from "../../src/rulesets/export-rules.ts";
import { type AddressRange, AddressSet } from "../../src/sets/address-set.ts";

type Part = Parameters<typeof AddressSet.of>[0] extends Iterable<infer Each> ? Each : never;

const ADDRESS = String.raw`(?:\d{1,3}(?:\.\d{1,3}){3}|[0-9a-f:]*:[0-9a-f:]*)`;
const CIDR = String.raw`${ADDRESS}/\d{1,3}`;
const ENTRY = `${ADDRESS}(?:/\\d{1,3})?`;

/** The first group of each line; fails if any line has another form. */
function lines(text: string, line: string): string[] {
  const found = text.split("\n");
  assert.equal(found.pop(), "", "the last line has no end");
  const expression = new RegExp(`^${line}$`);
  return found.map((each) => expression.exec(each)?.[1] ?? assert.fail(`not a line: ${JSON.stringify(each)}`));
}

function prefixes(texts: readonly string[]): Part[] {
  return texts.map((text) => parsePrefix(text));
}

/** One entry per line; a comment would follow a space (PAN-OS) or a `#`, which these lists do not have. */
const entryLines = (text: string): Part[] => prefixes(lines(text, `(${ENTRY})`));

/** "A plain text file, one indicator per line, no comments"; IPv4 addresses only. */
const hostLines = (text: string): Part[] => prefixes(lines(text, String.raw`(\d{1,3}(?:\.\d{1,3}){3})`));

/** The items of a JSON array of texts, each of which is an entry. */
function jsonTexts(items: unknown, entry: string): Part[] {
  assert.ok(Array.isArray(items));
  for (const item of items) assert.match(item, new RegExp(`^${entry}$`));
  return prefixes(items);
}

/** The values of objects that have this member and no other. */
function jsonMembers(text: string, member: string): string[] {
  const items = JSON.parse(text) as Record<string, string>[];
  for (const item of items) assert.deepEqual(Object.keys(item), [member]);
  return items.map((item) => item[member]!);
}

function oneFamily(parts: Part[]): Part[] {
  const families = new Set(parts.map((part) => ("first" in part ? part.first.family : part.family)));
  assert.ok(families.size < 2, "a list of one family has both");
  return parts;
}

function noneOfLength0(texts: readonly string[]): readonly string[] {
  for (const text of texts) assert.doesNotMatch(text, /\/0$/);
  return texts;
}

/**
 * sk132193: fields separated by commas, the same number in each record; the first line, after `#`, names them. Names
 * are unique; `IP` is an IPv4 address, `IP Range` two addresses joined by a hyphen.
 */
function checkpoint(text: string): Part[] {
  const [header, ...records] = text.trimEnd().split("\n");
  assert.equal(header, "#UNIQ-NAME,VALUE,TYPE,CONFIDENCE,SEVERITY,PRODUCT,COMMENT");
  const names = new Set<string>();
  return records.map((record) => {
    const [name, value, type, confidence, severity, product, comment, ...more] = record.split(",");
    assert.match(name!, /^\w[\w.]*$/);
    assert.ok(!names.has(name!), `${name} is not unique`);
    names.add(name!);
    assert.deepEqual([confidence, severity, product, comment, more], ["high", "high", "AB", "", []]);
    const ends = value!.split("-").map((each) => parseAddress(each));
    assert.ok(ends.every(({ family }) => family === 4));
    assert.equal(ends.length, type === "IP" ? 1 : type === "IP Range" ? 2 : 0, record);
    return { first: ends[0]!, last: ends.at(-1)! } satisfies AddressRange;
  });
}

/** IPv4 prefixes of /8 to /32, IPv6 prefixes of /12 to /64, and IPv6 addresses. */
function cloudflareList(text: string): Part[] {
  const parts = prefixes(jsonMembers(text, "ip"));
  for (const part of parts) {
    assert.ok(!("first" in part));
    const { family, length } = part;
    assert.ok(family === 4 ? length >= 8 : length === 128 || (length >= 12 && length <= 64), `${family}/${length}`);
  }
  return parts;
}

/**
 * envoy.extensions.filters.http.rbac.v3.RBAC: principals are `remote_ip` of core.v3.CidrRange; at least one is
 * required.
 */
function envoy(text: string): Part[] {
  const [, body] =
    /^name: envoy\.filters\.http\.rbac\ntyped_config:\n {2}"@type": "type\.googleapis\.com\/envoy\.extensions\.filters\.http\.rbac\.v3\.RBAC"\n {2}rules:\n {4}action: DENY\n {4}policies:([^]*)$/.exec(
      text,
    )!;
  if (body === " {}\n") return [];
  const head = "\n      list:\n        permissions:\n        - any: true\n        principals:\n";
  assert.ok(body!.startsWith(head));
  const principal = `        - remote_ip: \\{ (address_prefix: "${ADDRESS}", prefix_len: \\d+) \\}`;
  const found = lines(body!.slice(head.length), principal);
  assert.ok(found.length > 0);
  return found.map((each) => parsePrefix(each.replace(/^address_prefix: "(.*)", prefix_len: /, "$1/")));
}

const EVERYTHING = AddressSet.of([parsePrefix("0.0.0.0/0"), parsePrefix("::/0")]);

/**
 * http.middlewares.NAME.ipAllowList.sourceRange, with at least one range; everything that is not allowed is blocked.
 */
function traefik(text: string): Part[] {
  const head = "http:\n  middlewares:\n    list:\n      ipAllowList:\n        sourceRange:\n";
  assert.ok(text.startsWith(head));
  const allowed = lines(text.slice(head.length), `        - "(${CIDR})"`);
  assert.ok(allowed.length > 0);
  return [...EVERYTHING.difference(AddressSet.of(prefixes(allowed))).prefixes()];
}

/** `type hash:net`: no prefix of length 0, and none that overlaps another. */
function firewalld(text: string): Part[] {
  const parts = oneFamily(prefixes(noneOfLength0(lines(text, `(${ENTRY})`))));
  const alone = parts.reduce((sum, part) => sum + AddressSet.of([part]).size(4) + AddressSet.of([part]).size(6), 0n);
  const all = AddressSet.of(parts);
  assert.equal(alone, all.size(4) + all.size(6));
  return parts;
}

/** Ranges that do not overlap, as integers. */
function rangesCsv(text: string): Part[] {
  const [header, ...rows] = text.trimEnd().split("\n");
  assert.equal(header, "family,lo,hi,name,expires_at");
  let before = { family: 4, high: -1n };
  return rows.map((row) => {
    const [, family, low, high] = /^([46]),(\d+),(\d+),(?:[^",]*|"(?:[^"]|"")*"),(?:[-\d:.TZ]{24})?$/.exec(row)!;
    const [from, to] = [BigInt(low!), BigInt(high!)];
    assert.ok(from <= to && (Number(family) > before.family || from > before.high), row);
    before = { family: Number(family), high: to };
    return { first: addressOf(family!, from), last: addressOf(family!, to) };
  });
}

function addressOf(family: string, number: bigint): AddressRange["first"] {
  const word = (at: bigint): number => Number((number >> at) & 0xffff_ffffn);
  if (family === "4") return { family: 4, w0: word(0n), w1: 0, w2: 0, w3: 0 };
  return { family: 6, w0: word(96n), w1: word(64n), w2: word(32n), w3: word(0n) };
}

const READERS = {
  "aws-prefix-list": (text) => oneFamily(prefixes(noneOfLength0(jsonMembers(text, "Cidr")))),
  "aws-waf": (text) => oneFamily(jsonTexts(noneOfLength0(JSON.parse(text)), CIDR)),
  "azure-ip-group": (text) => oneFamily(jsonTexts(JSON.parse(text), ENTRY)),
  checkpoint,
  cisco: entryLines,
  "cloudflare-list": cloudflareList,
  envoy,
  "exabgp-flowspec": (text) =>
    prefixes(lines(text, `announce flow route \\{ match \\{ source (${CIDR}); \\} then \\{ discard; \\} \\}`)),
  firewalld,
  fortinet: entryLines,
  "gcp-address-group": (text) => oneFamily(jsonTexts((JSON.parse(text) as { items: unknown }).items, CIDR)),
  json: (text) => prefixes((JSON.parse(text) as { ip: string }[]).map(({ ip }) => ip)),
  juniper: entryLines,
  ntop: hostLines,
  opnsense: entryLines,
  paloalto: entryLines,
  pfsense: entryLines,
  "ranges-csv": rangesCsv,
  rspamd: entryLines,
  sonicwall: entryLines,
  sophos: hostLines,
  traefik,
} as const satisfies Partial<Record<RuleExportFormat, (text: string) => Part[]>>;

/** Formats of products that cannot be run here, or that only read a list. */
export type VendorFormat = keyof typeof READERS;
export const VENDOR_FORMATS = Object.keys(READERS) as VendorFormat[];

export function isVendorFormat(format: RuleExportFormat): format is VendorFormat {
  return format in READERS;
}

/** The addresses that a file lists, as its consumer would read it. */
export function readByVendor(format: VendorFormat, text: string): AddressSet {
  return AddressSet.of(READERS[format](text));
}
