import * as fc from "fast-check";
import type { Address, Prefix } from "../../src/address/address.ts";
import { formatAddress } from "../../src/address/format-address.ts";
import { parseAddress } from "../../src/address/parse-address.ts";
import { parsePrefix, prefixContains } from "../../src/address/prefix.ts";
import { lastAddress } from "../../src/address/range.ts";
import type { Catalogue } from "../../src/cbs/catalogue.ts";
import { CatalogueTree } from "../../src/cbs/catalogue-tree.ts";
import { type ExportFormat, exportCatalogue } from "../../src/cbs/export-catalogue.ts";
import { openCatalogue } from "../../src/datasets/open-catalogue.ts";
import { catalogueOf, prefixes } from "../cbs/catalogues.ts";
import { codePoint } from "../code-points.ts";

export type Line = readonly [prefix: string, ...ids: string[]];

/**
 * Nested prefixes, both whole address spaces, single addresses, and ids with every character that some format must
 * quote.
 */
export const HARD_LINES: readonly Line[] = [
  ["0.0.0.0/0", "everything"],
  ["10.0.0.0/8", "/cloud/aws"],
  ["10.1.0.0/16", "/cloud/aws/by-service/ec2/us-east-1", "/cloud/aws/by-region/us-east-1/ec2"],
  ["10.1.2.3/32", 'it\'s "quoted" \\ \\n; {x} $y #z', "=1+1", "é💡 '; '"],
  ["10.1.2.4/31", "/cdn/x"],
  ["255.255.255.255/32", "/cdn/x"],
  ["::/0", "/isp/everything"],
  ["2000::/3", "/isp/unicast"],
  ["2001:db8::/32", "/saas/docs/pages"],
  ["2001:db8::1/128", "'];['"],
  ["ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff/128", "/cdn/last"],
];

/**
 * An IPv6 prefix around the mapped block, and no IPv4 prefix that covers everything: readers that map addresses must
 * not confuse the two.
 */
export const AROUND_MAPPED: readonly Line[] = [
  ["::/0", "six"],
  ["::/64", "six-low"],
  ["10.0.0.0/8", "ten"],
  ["::fffe:0:0/95", "six-around"],
];

/**
 * No IPv6 prefix around the forms of IPv6 that hold IPv4 addresses: readers that unwrap those must not take their
 * answer from IPv4.
 */
const UNWRAPPED: readonly Line[] = [
  ["10.0.0.0/8", "ten"],
  ["2002:a01:200::/40", "six-to-four"],
  ["2001:db8::/32", "docs"],
];

export async function subjects(): Promise<[name: string, tree: CatalogueTree][]> {
  return [
    ["hard cases", new CatalogueTree(catalogueOf(HARD_LINES))],
    ["around the mapped block", new CatalogueTree(catalogueOf(AROUND_MAPPED))],
    ["IPv4 alone", new CatalogueTree(catalogueOf(UNWRAPPED))],
    ["an empty catalogue", new CatalogueTree(catalogueOf([]))],
    ["the bundled catalogue", new CatalogueTree(await openCatalogue())],
  ];
}

export function bytesOf(tree: CatalogueTree, format: ExportFormat): Buffer {
  return Buffer.concat([...exportCatalogue(tree, format)]);
}

export function linesOf(tree: CatalogueTree, format: ExportFormat): string[] {
  const text = bytesOf(tree, format).toString("utf8");
  return text === "" ? [] : text.replace(/\n$/, "").split("\n");
}

/**
 * Every prefix of the catalogue in order, with the ids that lists name for it, and with those of all prefixes around it
 * as well.
 */
export function* entriesOf({
  table,
  nodesOf,
  ownNodesOf,
}: BoundCatalogue): Generator<{ prefix: Prefix; own: string[]; all: string[] }> {
  const known = new Map<number, { own: string[]; all: string[] }>();
  for (const family of [4, 6] as const) {
    for (const { prefix, match } of table.entries(family)) {
      let ids = known.get(match);
      if (ids === undefined)
        known.set(
          match,
          (ids = { own: ownNodesOf(match).map(({ id }) => id), all: nodesOf(match).map(({ id }) => id) }),
        );
      yield { prefix, ...ids };
    }
  }
}

type BoundCatalogue = Pick<Catalogue, "table" | "nodesOf" | "ownNodesOf">;

export function bound(catalogue: Catalogue): BoundCatalogue {
  return {
    table: catalogue.table,
    nodesOf: (match) => catalogue.nodesOf(match),
    ownNodesOf: (match) => catalogue.ownNodesOf(match),
  };
}

/**
 * The first address of every prefix; for every `step`th prefix also the last, those just outside, a random one, and one
 * near the prefix.
 */
export function* probes({ table }: Catalogue, step = 1): Generator<Address> {
  let seed = 20260617;
  const random = (): number => (seed = (Math.imul(seed, 1_664_525) + 1_013_904_223) >>> 0);
  for (const family of [4, 6] as const) {
    let at = 0;
    for (const { prefix } of table.entries(family)) {
      yield plain(prefix);
      if (at++ % step !== 0) continue;
      const last = lastAddress(prefix);
      yield plain(last);
      yield neighbour(prefix, -1);
      yield neighbour(last, 1);
      yield family === 4 ? four(random()) : plain({ family, w0: random(), w1: random(), w2: random(), w3: random() });
      yield family === 4
        ? four(((prefix.w0 & 0xffff0000) | (random() >>> 16)) >>> 0)
        : plain({ ...prefix, w3: random() });
    }
  }
}

/** Whether the address is in the block where the MMDB format stores IPv4, which leaves no room for IPv6. */
export function isInMmdbIpv4(address: Address): boolean {
  return address.family === 6 && prefixContains(IN_IPV4, { ...address, length: 128 });
}

const IN_IPV4 = parsePrefix("::/96");

/** The address as its text is parsed: without a length, and as IPv4 if mapped. */
function plain(address: Address): Address {
  return address.family === 4 ? four(address.w0) : parseAddress(formatAddress(address));
}

function four(w0: number): Address {
  return { family: 4, w0, w1: 0, w2: 0, w3: 0 };
}

/**
 * The address `by` further on, in the lowest word only: at the ends of the word it wraps around, which gives an address
 * too.
 */
export function neighbour({ family, w0, w1, w2, w3 }: Address, by: number): Address {
  return family === 4 ? four((w0 + by) >>> 0) : plain({ family, w0, w1, w2, w3: (w3 + by) >>> 0 });
}

/** Random catalogues whose labels are arbitrary texts. */
const labels = fc
  .string({ unit: codePoint, minLength: 1, maxLength: 6 })
  .filter(
    (text) =>
      text.trim() === text && !/[,\p{Cc}\u2028\u2029]/u.test(text) && !text.startsWith("/") && text.isWellFormed(),
  );
export const randomLines = fc.array(
  fc
    .tuple(
      prefixes,
      fc.array(fc.oneof(labels, fc.constantFrom("/cloud/aws/by-service/ec2", "/cdn/x", "/saas/a/b")), {
        minLength: 1,
        maxLength: 3,
      }),
    )
    .map(([prefix, ids]): Line => [prefix, ...ids]),
  { maxLength: 15 },
);

/** The longest match, found by trying every length in use: for programs that take the most specific prefix. */
export class LongestMatch<Value> {
  readonly #byLength = new Map<string, Map<string, Value>>();
  readonly #lengths = { 4: new Set<number>(), 6: new Set<number>() };

  add(text: string, value: Value): void {
    const prefix = parsePrefix(text);
    const length = `${prefix.family}/${prefix.length}`;
    let values = this.#byLength.get(length);
    if (values === undefined) this.#byLength.set(length, (values = new Map()));
    this.#lengths[prefix.family].add(prefix.length);
    values.set(cut(prefix, prefix.length), value);
  }

  get(address: Address): Value | undefined {
    for (const length of [...this.#lengths[address.family]].sort((a, b) => b - a)) {
      const found = this.#byLength.get(`${address.family}/${length}`)!.get(cut(address, length));
      if (found !== undefined) return found;
    }
    return undefined;
  }
}

function cut({ family, w0, w1, w2, w3 }: Address, length: number): string {
  const words = family === 4 ? [w0] : [w0, w1, w2, w3];
  return words
    .map((word, i) =>
      length <= i * 32 ? 0 : length >= (i + 1) * 32 ? word : (word & (-1 << ((i + 1) * 32 - length))) >>> 0,
    )
    .join(".");
}
