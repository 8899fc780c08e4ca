import assert from "node:assert/strict";
import { copyFileSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { once } from "node:events";
import { request } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test, type TestContext } from "node:test";
import { fileURLToPath } from "node:url";
import { parsePrefix } from "../../src/address/prefix.ts";
import { CatalogueBuilder } from "../../src/cbs/catalogue-builder.ts";
import { CatalogueTree } from "../../src/cbs/catalogue-tree.ts";
import { identifyText } from "../../src/cbs/identify.ts";
import { importCatalogue } from "../../src/cbs/import-catalogue.ts";
import { rangesOf } from "../../src/cbs/ranges.ts";
import { openCatalogue } from "../../src/datasets/open-catalogue.ts";
import { BUNDLED_NETWORKS, openNetworks } from "../../src/datasets/open-networks.ts";
import type { Networks } from "../../src/networks/networks.ts";
import { smallNetworks, writeSmallNetworks } from "../networks/small-networks.ts";
import { openCtiDataset } from "../../src/datasets/open-cti-dataset.ts";
import { writeSnapshot } from "../../src/snapshot/write-snapshot.ts";
import { freeze } from "../../src/table/freeze.ts";
import { exportRules, PARTIAL_FORMATS, RULE_EXPORT_FORMATS } from "../../src/rulesets/export-rules.ts";
import { setNameOf } from "../../src/formats/set-name.ts";
import { addKey, addOrganisation, ask, BUNDLED, startServer, type TestServer } from "./start-server.ts";
import { until } from "../until.ts";
import { takingTurns, onlyLong, rounds } from "../rounds.ts";

const THREATS = fileURLToPath(new URL("../../data/cti-sample.ipsieve", import.meta.url));

let t: TestServer;
let key = "";
let networks: Networks;
before(async () => {
  t = await startServer({ perMinute: 1_000_000 }, BUNDLED, THREATS, undefined, undefined, [BUNDLED_NETWORKS]);
  networks = await openNetworks();
  key = (await addKey(t, await addOrganisation(t, "lookups"), "read")).text;
});
after(() => t.close());

const ADDRESSES = [
  "1.1.1.1",
  "8.8.8.8",
  "203.0.113.1",
  "2606:4700::1111",
  "52.95.110.1",
  "17.0.0.0/8",
  "::ffff:1.1.1.1",
  "2600:1f00::/40",
  "0.0.0.0/0",
  "13.107.42.14",
];

test("CBS lookups: the documents of the library, single and in bulk; duplicates are merged", async () => {
  const catalogue = await openCatalogue();
  for (const ip of ADDRESSES)
    assert.deepEqual(
      (await ask(t, "GET", `/v1/cbs/lookup?ip=${ip}`, { key })).body,
      { ...identifyText(catalogue, ip), network: networks.lookup(ip) },
      ip,
    );
  const { status, body } = await ask(t, "POST", "/v1/cbs/lookup", { key, body: { ips: [...ADDRESSES, ...ADDRESSES] } });
  const documents = ADDRESSES.map((ip) => [ip, { ...identifyText(catalogue, ip), network: networks.lookup(ip) }]);
  assert.deepEqual([status, body], [200, Object.fromEntries(documents)]);
  assert.ok(documents.some(([, document]) => (document as { network: unknown }).network !== null));
});

test("networks that are missing or damaged fail no lookup, are reported once, and are used once they are there", async (context) => {
  const path = join(temporary(context), "networks.ipsieve");
  writeFileSync(path, "no snapshot");
  const own = await startServer({}, undefined, null, undefined, undefined, [path]);
  context.after(() => own.close());
  const { text } = await addKey(own, await addOrganisation(own, "networks"));
  const get = async (ip: string) => ask(own, "GET", `/v1/cbs/lookup?ip=${ip}`, { key: text });
  assert.doesNotMatch(own.logged(), /networks/, "they are opened by the first lookup");
  const { body, headers } = await get("1.1.1.1");
  assert.deepEqual([body.cbs_ids, body.network], [["/cdn/cloudflare", "/isp/starlink"], null]);
  await get("1.1.1.1");
  assert.equal(own.logged().match(/the networks cannot be used; lookups have no network/g)?.length, 1);
  assert.match(own.logged(), /networks\.ipsieve: /);
  await writeSmallNetworks(path);
  await until("the networks are used", async () => (await get("1.1.1.1")).body.network !== null);
  const again = await get("1.1.1.1");
  assert.deepEqual(again.body.network, smallNetworks().lookup("1.1.1.1"));
  assert.notEqual(again.headers.get("etag"), headers.get("etag"));
  const bulk = await ask(own, "POST", "/v1/cbs/lookup", { key: text, body: { ips: ["1.1.1.1", "8.8.8.0/24", "::1"] } });
  assert.deepEqual(
    Object.values(bulk.body as Record<string, { network: { asn: number } | null }>).map(({ network }) => network?.asn),
    [13335, 15169, undefined],
  );
  const explained = await ask(own, "POST", "/v1/edl/ip-rulesets:explain", { key: text, body: { ip: "203.0.113.7" } });
  assert.deepEqual(explained.body.cbs.network, smallNetworks().lookup("203.0.113.7"));
});

test("a CBS bulk lookup names every bad index, and the maximum number of addresses", async () => {
  const { status, body } = await ask(t, "POST", "/v1/cbs/lookup", {
    key,
    body: { ips: ["1.1.1.1", "x", "10.0.0.1/8"] },
  });
  assert.deepEqual([status, Object.keys(body.validation_errors)], [400, ["ips[1]", "ips[2]"]]);
  const many = await ask(t, "POST", "/v1/cbs/lookup", {
    key,
    body: { ips: Array.from({ length: 10_001 }, () => "1.1.1.1") },
  });
  assert.match(many.body.validation_errors.ips[0], /10000/);
});

test("node, search and lists: equal to those of the library; 404 for an unknown id", async () => {
  const root = (await ask(t, "GET", "/v1/cbs/node", { key })).body;
  assert.deepEqual(
    [root.id, root.parent, root.children.some(({ id }: { id: string }) => id === "/cdn")],
    [null, null, true],
  );
  const { body } = await ask(t, "GET", "/v1/cbs/node?id=/cdn/cloudflare", { key });
  assert.deepEqual(
    [body.id, body.name, body.type, body.provider, body.parent, body.children],
    ["/cdn/cloudflare", "Cloudflare", "cdn", "cloudflare", "/cdn", []],
  );
  for (const path of ["/v1/cbs/node?id=/nowhere", "/v1/cbs/ranges?id=__proto__"])
    assert.equal((await ask(t, "GET", path, { key })).status, 404);
  assert.equal((await ask(t, "GET", "/v1/cbs/search?q=cloudflre", { key })).body.items[0].id, "/cdn/cloudflare");
  assert.equal((await ask(t, "GET", "/v1/cbs/search?q=1.1.1.1", { key })).body.items[0].id, "/cdn/cloudflare");
  assert.equal((await ask(t, "GET", "/v1/cbs/search?q=1.1.1.300", { key })).status, 400);
  const providers = (await ask(t, "GET", "/v1/cbs/providers?type=cdn&page_size=1000", { key })).body;
  assert.equal(providers.items.length, providers.count);
  assert.ok(providers.items.every(({ type }: { type: string }) => type === "cdn"));
});

test("ranges: in pages; complete as text and CSV by Accept; 406 for other types", async () => {
  const path = "/v1/cbs/ranges?id=/cdn/cloudflare";
  const text = (await ask(t, "GET", `${path}&family=4`, { key, headers: { Accept: "text/plain" } })).text
    .trimEnd()
    .split("\n");
  const csv = await ask(t, "GET", `${path}&family=4`, {
    key,
    headers: { Accept: "application/xml, text/*;q=0.5, text/csv" },
  });
  assert.deepEqual(await pagesOf(`${path}&page_size=4&family=4`, text.length), text);
  assert.deepEqual(
    [csv.headers.get("content-type"), csv.text.split("\n")[0], csv.text.split("\n")[1]],
    ["text/csv; charset=utf-8", "cidr,cbs_ids", `${text[0]},/cdn/cloudflare`],
  );
  assert.equal((await ask(t, "GET", path, { key, headers: { Accept: "image/png" } })).status, 406);
});

test(
  "lookups, nodes and ranges name their sources; ranges can be limited to one; search finds a crawler's network",
  { skip: takingTurns(2) },
  async (context) => {
    const path = join(temporary(context), "catalogue.ipsieve");
    const base = await openCatalogue();
    const lists: Record<string, string> = {
      "cloudflare/ips-v4": "104.16.0.0/13\n",
      "googlebot/googlebot.json": '{"prefixes":[{"ipv4Prefix":"66.249.66.0/27"}]}',
    };
    const { trie, metadata } = importCatalogue(
      (file) => lists[file],
      { title: "Both", createdAt: new Date("2026-11-20T00:00:00Z") },
      undefined,
      undefined,
      base,
    );
    await writeSnapshot(path, {
      table: freeze(trie),
      metadata,
      kind: "catalogue",
      createdAt: new Date(metadata.createdAt),
    });
    const own = await startServer({}, path);
    context.after(() => own.close());
    const { text } = await addKey(own, await addOrganisation(own, "sources"));
    const get = async (query: string) => (await ask(own, "GET", `/v1/cbs/${query}`, { key: text })).body;
    const sourceOf = async (ip: string) =>
      (await get(`lookup?ip=${ip}`)).matches.map(
        ({ cbs_id, source }: { cbs_id: string; source: string }) => `${cbs_id} ${source}`,
      );
    assert.deepEqual(
      [await sourceOf("1.1.1.1"), await sourceOf("104.16.0.1"), await sourceOf("66.249.66.1")],
      [["/cdn/cloudflare asn"], ["/cdn/cloudflare cloudflare"], ["/bot/google/googlebot googlebot"]],
    );
    const updated = metadata.sources.find(({ id }) => id === "asn")!.publishedAt;
    assert.equal((await get("lookup?ip=1.1.1.1")).matches[0].source_updated_at, updated);
    const node = await get("node?id=/cdn/cloudflare");
    assert.deepEqual(
      node.sources.map(({ source, layer, updated_at }: Record<string, string>) => [source, layer, updated_at]),
      [
        ["cloudflare", "official", null],
        ["asn", "as-numbers", updated],
      ],
    );
    assert.deepEqual((await get("ranges?id=/cdn/cloudflare&source=cloudflare")).items, [
      { cidr: "104.16.0.0/13", cbs_ids: ["/cdn/cloudflare"], sources: ["cloudflare"] },
    ]);
    assert.equal((await ask(own, "GET", "/v1/cbs/ranges?source=cloudflair", { key: text })).status, 404);
    assert.deepEqual(
      (await get("search?q=googlebot")).items.map(({ id }: { id: string }) => id),
      ["/bot/google/googlebot"],
    );
  },
);

/**
 * The prefixes on all pages, by number. Each page except the last must be full, and give the total count and the
 * adjacent pages.
 */
async function pagesOf(path: string, count: number): Promise<string[]> {
  const size = Number(new URLSearchParams(path).get("page_size"));
  const last = Math.ceil(count / size);
  const address = (page: number): string | null =>
    page < 1 || page > last ? null : `${t.server.url}${path}&page=${page}`;
  const seen: string[] = [];
  for (let page = 1; page <= last; page++) {
    const { body } = await ask(t, "GET", `${path}&page=${page}`, { key });
    const [next, prev] = [body.next, body.prev].map((url: string | null) => url && decodeURIComponent(url));
    assert.deepEqual(
      [body.count, body.items.length, next, prev],
      [count, page < last ? size : count - size * (last - 1), address(page + 1), address(page - 1)],
      `page ${page}`,
    );
    seen.push(...body.items.map(({ cidr }: { cidr: string }) => cidr));
  }
  assert.ok(last > 2 && count > 10);
  return seen;
}

test("ranges as files: equal to those of the library in every format; 400 if a format cannot express them, 304 if unchanged", async () => {
  const path = "/v1/cbs/ranges:export?id=/cdn/cachefly";
  const catalogue = await openCatalogue(BUNDLED);
  const tree = new CatalogueTree(catalogue);
  const now = Date.parse(catalogue.metadata.createdAt);
  for (const format of RULE_EXPORT_FORMATS) {
    // Some have only one family, and some no wide prefixes: all others export the whole node.
    const family = PARTIAL_FORMATS.has(format) ? 4 : undefined;
    const purpose = format === "traefik" ? "allowlist" : "blocklist";
    const rules = rangesOf(tree, "/cdn/cachefly", { family, aggregate: true }).items.map(({ cidr }) => ({
      prefix: parsePrefix(cidr),
      name: null,
      expiresAt: null,
      createdAt: 0,
      updatedAt: 0,
    }));
    const setName = setNameOf("/cdn/cachefly", "/cdn/cachefly");
    const query = `&format=${format}&purpose=${purpose}&aggregate=true${family === undefined ? "" : `&family=${family}`}`;
    const { status, text, headers } = await ask(t, "GET", path + query, { key });
    assert.equal(status, 200, `${format}: ${text}`);
    const parts = exportRules(rules, format, { setName, purpose, now }).map((part) => Buffer.from(part));
    assert.equal(text, Buffer.concat([...parts]).toString(), format);
    const again = await ask(t, "GET", path + query, { key, headers: { "If-None-Match": headers.get("etag")! } });
    assert.equal(again.status, 304, format);
  }
  for (const [query, field] of [
    ["&format=aws-waf", "format"],
    ["&format=text&set_name=cdn", "set_name"],
    ["&format=ipset&set_name=c%20d", "set_name"],
  ]) {
    const { status, body } = await ask(t, "GET", path + query, { key });
    assert.deepEqual([status, Object.keys(body.validation_errors)], [400, [field]], query);
  }
  assert.match((await ask(t, "GET", `${path}&format=ipset&set_name=cdn`, { key })).text, /cdn_4/);
  assert.equal((await ask(t, "GET", "/v1/cbs/ranges:export?id=/nowhere", { key })).status, 404);
});

test("ranges: an ETag for each form, the same on every server with this catalogue; 304 if unchanged", async (context) => {
  const path = "/v1/cbs/ranges?id=/cdn/cloudflare";
  const forms: [string, string][] = [
    ["", "application/json"],
    ["&page=2&page_size=3", "application/json"],
    ["", "text/plain"],
    ["", "text/csv"],
    ["&family=4", "text/csv"],
    ["&aggregate=1", "text/csv"],
  ];
  const other = await startServer({}, BUNDLED);
  context.after(() => other.close());
  const otherKey = (await addKey(other, await addOrganisation(other, "other"), "read")).text;
  const tags = new Set<string>();
  for (const [query, Accept] of forms) {
    const { status, headers, text } = await ask(t, "GET", path + query, { key, headers: { Accept } });
    const tag = headers.get("etag")!;
    tags.add(tag);
    assert.deepEqual([status, headers.get("cache-control")], [200, "private, no-cache"]);
    const again = await ask(t, "GET", path + query, { key, headers: { Accept, "If-None-Match": tag } });
    assert.deepEqual([again.status, again.text], [304, ""]);
    const there = await ask(other, "GET", path + query, { key: otherKey, headers: { Accept } });
    assert.equal(there.headers.get("etag"), tag);
    if (Accept !== "application/json") assert.equal(there.text, text);
  }
  assert.equal(tags.size, forms.length);
});

test(
  "parallel downloads of the whole catalogue share one file, equal to the library's",
  { skip: onlyLong() },
  async () => {
    const texts = await Promise.all(
      Array.from({ length: 8 }, () =>
        ask(t, "GET", "/v1/cbs/ranges", { key, headers: { Accept: "text/csv" } }).then(({ text }) => text),
      ),
    );
    assert.equal(new Set(texts).size, 1);
    const tree = new CatalogueTree(await openCatalogue());
    const lines = rangesOf(tree, undefined).items.map(
      ({ cidr, cbs_ids }) => `${cidr},${cbs_ids.length > 1 ? `"${cbs_ids.join(",")}"` : cbs_ids[0]}\n`,
    );
    assert.equal(texts[0], ["cidr,cbs_ids\n", ...lines].join(""));
    assert.equal(t.server.services.data.files.byteLength >= texts[0]!.length, true);
  },
);

test("a CBS bulk lookup of ten thousand is sent in parts, and equals the documents of the library", async () => {
  const ips = Array.from({ length: 10_000 }, (_, i) => `${1 + (i % 200)}.${i >> 8}.${i & 255}.1`);
  const { status, body } = await ask(t, "POST", "/v1/cbs/lookup", { key, body: { ips } });
  const catalogue = await openCatalogue();
  assert.equal(status, 200);
  assert.deepEqual(Object.keys(body), ips);
  for (const ip of ips) assert.deepEqual(body[ip], { ...identifyText(catalogue, ip), network: networks.lookup(ip) });
});

const SEEN = ["198.51.100.130", "192.0.2.1", "203.0.113.1", "2001:db8:7::1", "1.1.1.1", "::ffff:198.51.100.130"];

test("CTI: basic, extended and bulk at both paths, from an object and from a bare array", async () => {
  const dataset = await openCtiDataset(THREATS);
  for (const ip of SEEN) {
    assert.deepEqual((await ask(t, "GET", `/v1/cti/lookup/${ip}`, { key })).body, dataset.lookup(ip));
    assert.deepEqual((await ask(t, "GET", `/v1/cti/extended_lookup/${ip}`, { key })).body, dataset.lookupExtended(ip));
  }
  assert.deepEqual((await ask(t, "GET", "/v1/cti/lookup/1.1.1.1", { key })).body, {
    ip: "1.1.1.1",
    seen: false,
    spoofable: null,
    classification: "unknown",
    actor: "",
    tags: [],
  });
  const wanted = Object.fromEntries(
    SEEN.map((ip) => [ip, { seen: dataset.lookup(ip).seen, spoofable: dataset.lookup(ip).spoofable }]),
  );
  for (const path of ["/v1/cti/bulk_lookup", "/bulk_lookup"]) {
    for (const body of [{ ips: [...SEEN, ...SEEN] }, SEEN])
      assert.deepEqual((await ask(t, "POST", path, { key, body })).body, wanted);
    const lines = (await ask(t, "POST", path, { key, body: SEEN, headers: { Accept: "application/x-ndjson" } })).text
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line));
    assert.deepEqual(
      lines,
      SEEN.map((ip) => ({ ip, ...wanted[ip] })),
    );
  }
});

test("CTI: malformed addresses: 400 with message and request_id, listing every bad index", async () => {
  for (const ip of ["1.2.3", "1.2.3.4%2F24", "1.2.3.4/24", "2001:db8::/32", "x", "%20", "fe80::1%25eth0"]) {
    const { status, body, headers } = await ask(t, "GET", `/v1/cti/lookup/${ip}`, { key });
    assert.deepEqual(
      [status, Object.keys(body), body.request_id, headers.get("content-type")],
      [400, ["message", "request_id"], headers.get("x-request-id"), "application/json"],
    );
  }
  const { body } = await ask(t, "POST", "/v1/cti/bulk_lookup", { key, body: ["1.1.1.1", "a", 7, "2.2.2.2", null] });
  assert.match(body.message, /index 1 .*, 2 .*, 4 /);
  const many = await ask(t, "POST", "/bulk_lookup", { key, body: Array.from({ length: 10_001 }, () => "1.1.1.1") });
  assert.match(many.body.message, /10000/);
});

test("CTI: a stream of lines is answered while it arrives, in order, with the numbers of bad lines", async () => {
  const { hostname, port } = new URL(t.server.url);
  const call = request({
    hostname,
    port,
    method: "POST",
    path: "/v1/cti/bulk_lookup",
    headers: { "X-API-Key": key, "Content-Type": "application/x-ndjson" },
  });
  call.write('"198.51.100.130"\n{"ip":"1.1.1.1"}\n');
  const [response] = await once(call, "response");
  const [first] = await once(response, "data");
  assert.deepEqual(
    String(first)
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line)),
    [
      { ip: "198.51.100.130", seen: true, spoofable: null },
      { ip: "1.1.1.1", seen: false, spoofable: null },
    ],
  );
  call.end("2.2.2.2\n\nnonsense\n[1]");
  let rest = "";
  for await (const chunk of response) rest += chunk;
  const lines = rest
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line));
  assert.deepEqual(
    [lines[0], lines[1].line, lines[2].line, lines.length],
    [{ ip: "2.2.2.2", seen: false, spoofable: null }, 5, 6, 3],
  );
});

test("CTI: a stream far beyond the bulk limit is answered completely", async () => {
  const count = rounds({ short: 30_000, long: 80_000 });
  const body = Array.from({ length: count }, (_, i) => `10.${(i >> 16) & 255}.${(i >> 8) & 255}.${i & 255}\n`).join("");
  const { status, text } = await ask(t, "POST", "/bulk_lookup", {
    key,
    body,
    headers: { "Content-Type": "text/plain" },
  });
  const lines = text.trimEnd().split("\n");
  assert.deepEqual(
    [status, lines.length, JSON.parse(lines[count - 1]!).ip],
    [200, count, `10.${((count - 1) >> 16) & 255}.${((count - 1) >> 8) & 255}.${(count - 1) & 255}`],
  );
});

/** A folder that is removed when the test ends. */
function temporary(context: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), "ipsieve-api-"));
  context.after(() => rmSync(folder, { recursive: true }));
  return folder;
}

/** A catalogue in which every prefix belongs to one node, whose id names the generation. */
async function writeCatalogue(path: string, generation: number): Promise<void> {
  const builder = new CatalogueBuilder();
  for (let i = 0; i < 100; i++) builder.add(parsePrefix(`10.0.${i}.0/24`), `/saas/generation-${generation}`);
  const { trie, metadata } = builder.build({ title: "swapped", createdAt: new Date(generation * 1000), sources: [] });
  await writeSnapshot(path, { kind: "catalogue", table: freeze(trie), metadata });
}

test("a newer catalogue takes over while requests run; no response mixes two; a corrupt one changes nothing", async (context) => {
  const path = join(temporary(context), "catalogue.ipsieve");
  await writeCatalogue(path, 1);
  const last = rounds({ short: 5, long: 12 });
  const own = await startServer({ perMinute: 1_000_000 }, path);
  context.after(() => own.close());
  const { text } = await addKey(own, await addOrganisation(own, "swap"));
  const ips = Array.from({ length: 100 }, (_, i) => `10.0.${i}.1`);
  const seen = new Set<string>();
  const end = new AbortController();
  const asking = (async () => {
    while (!end.signal.aborted) {
      const { body } = await ask(own, "POST", "/v1/cbs/lookup", { key: text, body: { ips } });
      const ids = new Set(Object.values<{ cbs_ids: string[] }>(body).map(({ cbs_ids }) => cbs_ids.join()));
      assert.equal(ids.size, 1);
      for (const each of ids) seen.add(each);
    }
  })();
  for (let generation = 2; generation <= last; generation++) {
    await writeCatalogue(path, generation);
    await own.server.reload();
    assert.deepEqual((await ask(own, "GET", "/v1/cbs/lookup?ip=10.0.7.7", { key: text })).body.cbs_ids, [
      `/saas/generation-${generation}`,
    ]);
  }
  end.abort();
  await asking;
  assert.ok(seen.size > 1);
  copyFileSync(fileURLToPath(import.meta.url), path);
  await own.server.reload();
  assert.deepEqual((await ask(own, "GET", "/v1/cbs/lookup?ip=10.0.7.7", { key: text })).body.cbs_ids, [
    `/saas/generation-${last}`,
  ]);
  assert.match((await ask(own, "GET", "/metrics")).text, /ipsieve_snapshot_failures_total\{snapshot="catalogue"\} 1/);
});

test("a file that replaces the watched one is found without a signal", async (context) => {
  const path = join(temporary(context), "catalogue.ipsieve");
  await writeCatalogue(path, 1);
  const own = await startServer({}, path);
  context.after(() => own.close());
  await writeCatalogue(path, 2);
  await until("the new catalogue is loaded", () => own.server.services.data.catalogue.generation >= 2);
  const { tree } = await own.server.services.data.catalogue.view().browsing();
  assert.equal(tree.has("/saas/generation-2"), true);
});
