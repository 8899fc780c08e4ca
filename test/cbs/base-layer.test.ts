import assert from "node:assert/strict";
import { describe, test } from "node:test";
import * as fc from "fast-check";
import { Random } from "../../bench/data/random.ts";
import { readAsnTable } from "../../data/asn-table.ts";
import { buildNetworkCatalogue } from "../../data/build-catalogue.ts";
import { readProviders } from "../../data/providers.ts";
import { lastAddress } from "../../src/address/range.ts";
import { parsePrefix } from "../../src/address/prefix.ts";
import type { Address, Prefix } from "../../src/address/address.ts";
import { AS_SOURCE, Catalogue, type CatalogueSource } from "../../src/cbs/catalogue.ts";
import { CatalogueBuilder } from "../../src/cbs/catalogue-builder.ts";
import { CatalogueTree } from "../../src/cbs/catalogue-tree.ts";
import { browse } from "../../src/cbs/browse.ts";
import { identifyText } from "../../src/cbs/identify.ts";
import { importCatalogue } from "../../src/cbs/import-catalogue.ts";
import { plainText } from "../../src/cbs/importers/plain-text.ts";
import type { Source } from "../../src/cbs/importers/sources.ts";
import { rangesOf } from "../../src/cbs/ranges.ts";
import { freeze } from "../../src/table/freeze.ts";
import { sourceOf } from "../update/lists.ts";
import { catalogueOf, CREATED, prefixes } from "./catalogues.ts";
import { noPublishedLists, readPublished } from "./published-lists.ts";

const AS_UPDATED = "2026-06-17T19:00:00.000Z";
const AS_NUMBERS: CatalogueSource = {
  id: AS_SOURCE,
  name: "routes",
  version: null,
  url: "https://routes.test",
  license: null,
  attribution: null,
  publishedAt: AS_UPDATED,
  fetchedAt: null,
  changedAt: null,
};

/** A catalogue of AS numbers. */
function baseOf(lines: readonly (readonly [prefix: string, id: string])[]): Catalogue {
  const builder = new CatalogueBuilder();
  for (const [prefix, id] of lines) builder.add(parsePrefix(prefix, "mask"), id, AS_SOURCE);
  const { trie, metadata } = builder.build({ title: "AS numbers", createdAt: CREATED, sources: [AS_NUMBERS] });
  return new Catalogue(metadata, freeze(trie));
}

function publisher(id: string, more: Partial<Source> = {}): Source {
  return sourceOf(id, [{ path: `${id}/list.txt`, url: `https://${id}.test/list.txt`, importer: plainText() }], {
    type: "cloud",
    ...more,
  });
}

const TIMES = { publishedAt: "2026-11-20T00:00:00.000Z", fetchedAt: "2026-11-21T00:00:00.000Z", changedAt: null };

/** The lists, by the id of their source, layered over a base. */
function laidOver(
  base: Catalogue | undefined,
  sources: readonly Source[],
  lists: Readonly<Record<string, readonly string[]>>,
): Catalogue {
  const { trie, metadata } = importCatalogue(
    (path) => lists[path.split("/")[0]!]?.join("\n"),
    { title: "Test", createdAt: CREATED },
    sources,
    () => TIMES,
    base,
  );
  return new Catalogue(metadata, freeze(trie));
}

const claims = (catalogue: Catalogue, address: string) =>
  identifyText(catalogue, address).matches.map(({ cidr, cbs_id, source }) => `${cbs_id} ${cidr} ${source}`);

describe("official lists over AS numbers", () => {
  const base = baseOf([
    ["20.0.0.0/16", "/cloud/acme"],
    ["30.0.0.0/16", "/isp/line"],
    ["40.0.0.0/24", "/cloud/acme"],
    ["50.0.0.0/16", "/cdn/part"],
    ["2600::/32", "/cloud/acme"],
  ]);
  const sources = [
    publisher("acme", { isWhole: true }),
    publisher("part", { type: "cdn" }),
    publisher("tenant", { type: "saas" }),
  ];
  const union = laidOver(base, sources, {
    acme: ["20.0.1.0/24", "2600:0:1::/48"],
    part: ["50.0.0.0/24"],
    tenant: ["20.0.1.7", "30.0.0.9", "40.0.0.128/25", "50.0.9.9"],
  });

  test("prefixes known only from AS numbers are found, with their source and its date", () => {
    assert.deepEqual(identifyText(union, "30.0.1.1").matches, [
      {
        provider: "line",
        type: "isp",
        service: null,
        region: null,
        cidr: "30.0.0.0/16",
        cbs_id: "/isp/line",
        label: "ISP > line",
        source: "asn",
        source_updated_at: AS_UPDATED,
      },
    ]);
    assert.deepEqual(
      claims(union, "20.0.9.9"),
      ["/cloud/acme 20.0.8.0/21 asn"],
      "beside the publisher's list, the part of the announced prefix that it leaves open",
    );
    assert.deepEqual(claims(union, "50.0.1.1"), ["/cdn/part 50.0.1.0/24 asn"]);
  });

  test("if a publisher's list contains an address, only the list determines its nodes of that publisher, with its date", () => {
    assert.deepEqual(claims(union, "20.0.1.1"), ["/cloud/acme 20.0.1.0/24 acme"]);
    assert.deepEqual(claims(union, "2600:0:1::1"), ["/cloud/acme 2600:0:1::/48 acme"]);
    assert.deepEqual(identifyText(union, "20.0.1.1").matches[0]!.source_updated_at, TIMES.publishedAt);
  });

  test("another owner's prefix in a completely listed network does not belong to that network; otherwise it does", () => {
    assert.deepEqual(
      claims(union, "40.0.0.200"),
      ["/saas/tenant 40.0.0.128/25 tenant"],
      "a customer's own prefix, which the network announces",
    );
    assert.deepEqual(claims(union, "40.0.0.1"), ["/cloud/acme 40.0.0.0/25 asn"]);
    assert.deepEqual(claims(union, "50.0.9.9"), ["/saas/tenant 50.0.9.9 tenant", "/cdn/part 50.0.8.0/21 asn"]);
    assert.deepEqual(claims(union, "30.0.0.9"), ["/saas/tenant 30.0.0.9 tenant", "/isp/line 30.0.0.0/16 asn"]);
    assert.deepEqual(claims(union, "20.0.1.7"), ["/saas/tenant 20.0.1.7 tenant", "/cloud/acme 20.0.1.0/24 acme"]);
  });

  test("a node names the sources of its prefixes and their ages; with one source it has that source's URL", () => {
    const tree = new CatalogueTree(union);
    const told = (id?: string) =>
      browse(tree, id).sources.map(({ source, layer, updated_at, fetched_at }) => [
        source,
        layer,
        updated_at,
        fetched_at,
      ]);
    const [acme, asn] = [
      ["acme", "official", TIMES.publishedAt, TIMES.fetchedAt],
      ["asn", "as-numbers", AS_UPDATED, null],
    ];
    assert.deepEqual(told("/cloud/acme"), [acme, asn]);
    assert.deepEqual(told("/isp/line"), [asn]);
    assert.deepEqual(
      told().map(([source]) => source),
      ["acme", "part", "tenant", "asn"],
    );
    assert.deepEqual(
      [browse(tree, "/isp").source_url, browse(tree, "/saas/tenant").source_url, browse(tree, "/cloud").source_url],
      ["https://routes.test", "https://tenant.test/list.txt", null],
    );
  });

  test("ranges name their sources, and can be limited to one source", () => {
    const tree = new CatalogueTree(union);
    const { items } = rangesOf(tree, "/cloud/acme", { family: 6 });
    assert.deepEqual(
      items.find(({ cidr }) => cidr === "2600:0:1::/48"),
      { cidr: "2600:0:1::/48", cbs_ids: ["/cloud/acme"], sources: ["acme"] },
    );
    assert.ok(items.length > 2 && items.every(({ sources }) => sources.length === 1));
    assert.deepEqual(
      rangesOf(tree, "/cloud/acme", { source: "acme" }).items.map(({ cidr }) => cidr),
      ["20.0.1.0/24", "2600:0:1::/48"],
    );
    assert.deepEqual(rangesOf(tree, undefined, { source: "asn", family: 4, aggregate: true }).items.at(-1), {
      cidr: "50.0.128.0/17",
      cbs_ids: [],
      sources: ["asn"],
    });
    assert.equal(rangesOf(tree, "/isp", { source: "acme" }).count, 0);
    assert.throws(() => rangesOf(tree, undefined, { source: "acne" }), {
      code: "unknown-source",
      message: /acme, part, tenant, asn/,
    });
  });

  test("a node has the name from its publisher's list", () => {
    const named = new CatalogueBuilder();
    named.addNode("/cloud/acme", "Acme, as registered");
    named.addNode("/isp/line", "Line");
    named.add(parsePrefix("20.0.0.0/16"), "/cloud/acme", AS_SOURCE);
    const { trie, metadata } = named.build({ title: "AS numbers", createdAt: CREATED, sources: [AS_NUMBERS] });
    const { nodes } = laidOver(new Catalogue(metadata, freeze(trie)), sources, { acme: ["20.0.1.0/24"] });
    assert.deepEqual(
      nodes.map(({ id, name }) => [id, name]).sort(),
      [
        ["/cloud", "Cloud"],
        ["/cloud/acme", "acme"],
        ["/isp", "ISP"],
        ["/isp/line", "Line"],
      ].sort(),
    );
  });
});

/** The claims at an address by the three rules, directly from the two layers: sorted `id source`. */
function expected(at: string, lists: Catalogue, base: Catalogue, whole: ReadonlySet<string>): string[] {
  const listed = identifyText(lists, at).matches;
  const announced = identifyText(base, at).matches.filter(({ type, provider }) => {
    const isNamed = listed.some((match) => match.type === type && match.provider === provider);
    return !isNamed && !(whole.has(`/${type}/${provider}`) && listed.length > 0);
  });
  return [...new Set([...listed, ...announced].map(({ cbs_id, source }) => `${cbs_id} ${source}`))].sort();
}

function actual(at: string, union: Catalogue): string[] {
  return [...new Set(identifyText(union, at).matches.map(({ cbs_id, source }) => `${cbs_id} ${source}`))].sort();
}

test("the three rules hold at every address of random catalogues", () => {
  const line = fc.tuple(
    prefixes,
    fc.constantFrom("/cloud/acme", "/cdn/part", "/saas/tenant", "/isp/line", "/cloud/acme/by-region/eu"),
  );
  const listed = fc.array(prefixes, { maxLength: 8 });
  const sources = [
    publisher("acme", { isWhole: true }),
    publisher("part", { type: "cdn" }),
    publisher("tenant", { type: "saas" }),
  ];
  const counts = { compared: 0, announced: 0, dropped: 0 };
  fc.assert(
    fc.property(fc.array(line, { maxLength: 12 }), listed, listed, listed, (lines, acme, part, tenant) => {
      const lists = { acme: acme.map(masked), part: part.map(masked), tenant: tenant.map(masked) };
      const [base, official] = [baseOf(lines), laidOver(undefined, sources, lists)];
      const union = laidOver(base, sources, lists);
      // A list may be rejected, for 0.0.0.0/0.
      const whole = new Set(official.metadata.sources.some(({ id }) => id === "acme") ? ["/cloud/acme"] : []);
      for (const text of [...lines.map(([prefix]) => prefix), ...acme, ...part, ...tenant]) {
        for (const at of edges(parsePrefix(text, "mask"))) {
          const right = expected(at, official, base, whole);
          assert.deepEqual(actual(at, union), right, at);
          counts.compared++;
          counts.announced += Number(right.some((claim) => claim.endsWith(" asn")));
          counts.dropped += Number(right.length < actual(at, official).length + actual(at, base).length);
        }
      }
    }),
    { seed: 14, numRuns: 150 },
  );
  assert.ok(counts.compared > 1000 && counts.announced > 100 && counts.dropped > 100, JSON.stringify(counts));
});

/** Clears the host bits. */
function masked(text: string): string {
  const { family, w0, w1, w2, w3, length } = parsePrefix(text, "mask");
  return `${textOf({ family, w0, w1, w2, w3 })}/${length}`;
}

/** The first and the last address of a prefix. */
function edges(prefix: Prefix): string[] {
  return [textOf(prefix), textOf(lastAddress(prefix))];
}

function textOf(address: Address): string {
  const words = [address.w0, address.w1, address.w2, address.w3];
  if (address.family === 4) return [24, 16, 8, 0].map((shift) => (address.w0 >>> shift) & 255).join(".");
  return words.flatMap((word) => [(word >>> 16).toString(16), (word & 0xffff).toString(16)]).join(":");
}

test("negative control: a harness without one of the rules fails", () => {
  const base = baseOf([["40.0.0.0/24", "/cloud/acme"]]);
  const sources = [publisher("acme", { isWhole: true }), publisher("tenant", { type: "saas" })];
  const lists = { acme: ["20.0.0.0/24"], tenant: ["40.0.0.128/25"] };
  const broken = laidOver(
    base,
    sources.map((source) => ({ ...source, isWhole: false })),
    lists,
  );
  assert.notDeepEqual(
    actual("40.0.0.200", broken),
    expected("40.0.0.200", laidOver(undefined, sources, lists), base, new Set(["/cloud/acme"])),
  );
});

test(
  "the published lists over the bundled AS numbers: the whole knows what either layer knows",
  { skip: noPublishedLists },
  (t) => {
    const networks = buildNetworkCatalogue(readAsnTable(), readProviders());
    const base = new Catalogue(networks.metadata, freeze(networks.trie));
    const read = (with_: Catalogue | undefined): { catalogue: Catalogue; whole: Set<string> } => {
      const { trie, metadata, reports } = importCatalogue(
        readPublished,
        { title: "Test", createdAt: CREATED },
        undefined,
        undefined,
        with_,
      );
      const whole = reports
        .filter(({ source, status }) => status === "imported" && source.isWhole === true)
        .map(({ source }) => `/${source.type}/${source.provider}`);
      return { catalogue: new Catalogue(metadata, freeze(trie)), whole: new Set(whole) };
    };
    const { catalogue: official, whole } = read(undefined);
    const { catalogue: union } = read(base);
    const counts = { addresses: 0, official: 0, asNumbers: 0, union: 0 };
    const random = new Random(14);
    for (const layer of [base, official]) {
      for (const family of [4, 6] as const) {
        const all = [...layer.table.entries(family)];
        for (let i = 0; i < 1500; i++) {
          const { prefix } = all[random.below(all.length)]!;
          const at = textOf(i % 2 === 0 ? prefix : lastAddress(prefix));
          assert.deepEqual(actual(at, union), expected(at, official, base, whole), at);
          const found = [official, base, union].map((catalogue) => identifyText(catalogue, at).found);
          assert.equal(found[2], found[0] || found[1], at);
          counts.addresses++;
          counts.official += Number(found[0]);
          counts.asNumbers += Number(found[1]);
          counts.union += Number(found[2]);
        }
      }
    }
    t.diagnostic(JSON.stringify(counts));
    assert.ok(counts.union > counts.official && counts.union > counts.asNumbers);
    assert.deepEqual(claims(union, "1.1.1.1"), ["/cdn/cloudflare 1.1.1.0/24 asn"]);
    assert.ok(claims(union, "66.249.66.1").some((claim) => claim.startsWith("/bot/google/googlebot ")));
  },
);

test("a catalogue of format 2, written by an older version, works; its matches have a source only if there is one source", () => {
  const { metadata, table } = catalogueOf([
    ["192.0.2.0/24", "/cloud/acme"],
    ["192.0.2.0/25", "/cloud/acme/compute"],
  ]);
  // In that format, values were the numbers of nodes: here, those of two nodes below /cloud.
  const { claims: _, ...rest } = metadata;
  const nodes = new CatalogueBuilder();
  nodes.add(parsePrefix("192.0.2.0/24"), "one");
  nodes.add(parsePrefix("192.0.2.0/25"), "two");
  const old = { ...rest, format: 2, nodes: nodes.build({ title: "", createdAt: CREATED, sources: [] }).metadata.nodes };
  const read = (sources: readonly CatalogueSource[]) =>
    identifyText(new Catalogue({ ...old, sources }, table), "192.0.2.1").matches.map(({ cbs_id, source }) => [
      cbs_id,
      source,
    ]);
  assert.deepEqual(read([AS_NUMBERS, AS_NUMBERS]), [
    ["two", null],
    ["one", null],
  ]);
  assert.deepEqual(read([AS_NUMBERS]), [
    ["two", "asn"],
    ["one", "asn"],
  ]);
  const newer = { ...rest, format: 4, claims: metadata.claims };
  assert.throws(() => new Catalogue(newer, table), { code: "bad-metadata", message: /neither 2 nor 3/ });
});

describe("forged claims", () => {
  const { metadata, table } = catalogueOf([["192.0.2.0/24", "one"]]);
  const words = (...numbers: number[]) => new Uint8Array(Uint32Array.from(numbers).buffer);
  const bad: [what: string, claims: unknown, message: RegExp][] = [
    ["none", undefined, /they are not bytes/],
    ["a text", "1,0", /they are not bytes/],
    ["half a claim", words(1), /within a claim/],
    ["the node 0", words(0, 0), /unknown node 0/],
    ["a node that is not there", words(2, 0), /unknown node 2/],
    ["a source that is not there", words(1, 1), /unknown source 1/],
  ];
  for (const [what, claims, message] of bad) {
    test(what, () =>
      assert.throws(() => new Catalogue({ ...metadata, claims }, table), { code: "bad-metadata", message }),
    );
    test(`${what}, when it is requested`, () =>
      assert.throws(
        () => {
          const catalogue = new Catalogue({ ...metadata, claims }, table, 0, "on demand");
          return [catalogue.numberOf(1), catalogue.sourceOf(1)];
        },
        { code: "bad-metadata", message },
      ));
  }
  test("claims are read in place, at any byte; the one that is requested may stand beside a bad one", () => {
    const stored = new Uint8Array([0, ...words(1, 0, 2, 0)]).subarray(1);
    const catalogue = new Catalogue({ ...metadata, claims: stored }, table, 0, "on demand");
    assert.deepEqual([catalogue.numberOf(1), catalogue.sourceOf(1)], [1, 0]);
    assert.throws(() => catalogue.numberOf(2), { code: "bad-metadata", message: /unknown node 2/ });
    assert.throws(() => catalogue.numberOf(3), { code: "unknown-value", value: 3 });
  });
  test("fewer than the table has values", () => {
    assert.throws(() => new Catalogue({ ...metadata, claims: words() }, table).checkValues(), {
      code: "unknown-value",
      value: 1,
    });
  });
});
