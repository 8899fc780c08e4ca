import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { Random } from "../../bench/data/random.ts";
import type { CtiDataset } from "../../src/cti/dataset.ts";
import { buildingIndex } from "../../src/cti/search/build-index.ts";
import { SEARCH_FIELDS } from "../../src/cti/search/search-fields.ts";
import { writeSnapshot } from "../../src/snapshot/write-snapshot.ts";
import { finished } from "../../src/turns/finished.ts";
import { searchedDataset, randomEntries, TODAY } from "../cti/search/searched-dataset.ts";
import { randomWanted, writtenQuery } from "../cti/search/random-query.ts";
import { SMALL_TABLE, writeSmallNetworks } from "../networks/small-networks.ts";
import { searchByReading, type SearchedDocument } from "../oracle/search-oracle.ts";
import { rounds } from "../rounds.ts";
import { until } from "../until.ts";
import { addKey, addOrganisation, ask, type Answer, startServer, type TestServer } from "./start-server.ts";

const folder = mkdtempSync(join(tmpdir(), "ipsieve-threat-search-"));
const path = join(folder, "cti.ipsieve");
const networks = join(folder, "networks.ipsieve");
const { dataset, documents: alone } = searchedDataset([
  ...randomEntries(new Random(3), 250),
  ["8.8.8.8", { tags: ["resolver"] }],
  ["8.8.9.0/24", { tags: ["resolver"], countryCode: "FR" }],
]);
/** What the small networks know about these addresses. */
const documents: readonly SearchedDocument[] = alone.map((each) => ({
  ...each,
  network: each.ip.startsWith("8.8.")
    ? { asn: 15169, name: "Google LLC", country: "US" }
    : each.ip.startsWith("2001:db8:")
      ? { asn: 64501, name: "Exemple SA", country: "FR" }
      : null,
}));
let t: TestServer;
let key = "";

async function write({ metadata, table }: CtiDataset, createdAt: string): Promise<void> {
  const index = finished(buildingIndex(dataset));
  await writeSnapshot(path, { table, metadata: { ...metadata, createdAt, index }, kind: "cti" });
}

before(async () => {
  await writeSmallNetworks(networks, SMALL_TABLE);
  await write(dataset, "2026-06-17T00:00:00.000Z");
  t = await startServer({}, undefined, path, undefined, undefined, [networks]);
  t.clock.now = TODAY * 86_400_000 + 1;
  key = (await addKey(t, await addOrganisation(t, "searching"))).text;
});
after(async () => {
  await t.close();
  rmSync(folder, { recursive: true });
});

const search = (q: string, more = "", headers: Record<string, string> = {}): Promise<Answer> =>
  ask(t, "GET", `/v1/cti/search?q=${encodeURIComponent(q)}${more}`, { key, headers });
const facets = (body: object): Promise<Answer> => ask(t, "POST", "/v1/cti/search:facets", { key, body });
const linesOf = ({ text }: Answer): { ip: string }[] =>
  text
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as { ip: string });

test("pages and streams agree with each other and with reading every document", async () => {
  const random = new Random(17);
  for (let i = 0; i < rounds({ short: 25, long: 300 }); i++) {
    const wanted = randomWanted(random, 2);
    const expected = searchByReading(documents, wanted, t.clock.now).map(({ ip }) => ip);
    const q = writtenQuery(random, wanted);
    const all = linesOf(await search(q, "", { accept: "application/x-ndjson" }));
    assert.deepEqual(
      all.map(({ ip }) => ip),
      expected,
      q,
    );
    const size = random.below(40) + 1;
    const paged: string[] = [];
    for (let next: string | null = `&page_size=${size}`; next !== null;) {
      const { status, body }: Answer = await search(q, next);
      assert.deepEqual([status, body.count], [200, expected.length], q);
      paged.push(...body.items.map(({ ip }: { ip: string }) => ip));
      next = body.next === null ? null : `&page_size=${size}&page=${new URL(body.next).searchParams.get("page")}`;
    }
    assert.deepEqual(paged, expected, q);
  }
});

test("a document is the one of a lookup, basic or extended", async () => {
  const { body } = await search("tag:resolver AND asn:15169");
  assert.deepEqual(body, {
    items: [{ ...dataset.lookup("8.8.8.8") }, { ...dataset.lookup("8.8.9.1"), ip: "8.8.9.0/24" }],
    count: 2,
    next: null,
    prev: null,
    unavailable: [],
  });
  const extended = await search("ip = 8.8.8.8", "&extended=true");
  assert.deepEqual(extended.body.items, [dataset.lookupExtended("8.8.8.8")]);
});

test("networks say where an address belongs if its document does not, and follow their file", async () => {
  const ips = async (q: string): Promise<string[]> => (await search(q)).body.items.map(({ ip }: { ip: string }) => ip);
  assert.deepEqual(await ips("country:US AND tag:resolver"), ["8.8.8.8"]);
  assert.deepEqual(await ips("country:FR AND tag:resolver"), ["8.8.9.0/24"]);
  assert.deepEqual(await ips('src.asn.name:"google*"'), ["8.8.8.8", "8.8.9.0/24"]);
  assert.deepEqual((await facets({ q: "tag:resolver", fields: ["asn", "country", "src.asn.name"] })).body.facets, [
    { field: "src.asn.number", distinct: 1, values: [{ value: "15169", count: 2 }] },
    {
      field: "src.geo.country.code",
      distinct: 2,
      values: [
        { value: "FR", count: 1 },
        { value: "US", count: 1 },
      ],
    },
    { field: "src.asn.name", distinct: 1, values: [{ value: "Google LLC", count: 2 }] },
  ]);
  await writeSmallNetworks(networks, SMALL_TABLE.replaceAll("15169", "64512"));
  await until("the new networks are searched", async () => (await ips("AS64512")).length === 2);
  assert.deepEqual(await ips("AS15169"), []);
  await writeSmallNetworks(networks, SMALL_TABLE);
  await until("the former networks are searched", async () => (await ips("AS15169")).length === 2);
});

test("fields that no dataset holds match nothing and are named", async () => {
  const { body } = await search('tag:resolver AND NOT (dst.geo.city:"Prague" OR ssh.auth.attempt_count > 3)');
  assert.deepEqual([body.count, body.unavailable], [2, ["dst.geo.city", "ssh.auth.attempt_count"]]);
  assert.deepEqual((await facets({ q: "technique:T1595", fields: ["tactic", "seen"] })).body, {
    count: 0,
    unavailable: ["mitre_attack.techniques", "mitre_attack.tactics"],
    facets: [
      { field: "mitre_attack.tactics", distinct: 0, values: [] },
      { field: "seen", distinct: 0, values: [] },
    ],
  });
});

test("facets count the documents that have a value", async () => {
  const counted = SEARCH_FIELDS.filter(({ name, isAvailable }) => isAvailable && name !== "ip").map(({ name }) => name);
  for (let at = 0; at < counted.length; at += 20) {
    const { status, body } = await facets({
      q: "classification:malicious",
      fields: counted.slice(at, at + 20),
      limit: 100,
    });
    assert.equal(status, 200);
    for (const { field, values, distinct } of body.facets) {
      assert.equal(values.length, distinct, field);
      for (const { value, count } of values) {
        const written = String(value).includes('"') ? `'${value}'` : `"${value}"`;
        const wanted = {
          and: [
            { field: "classification", op: ":", values: ["malicious"] },
            { field, op: "=", values: [String(value)] },
          ],
        };
        assert.equal(count, searchByReading(documents, wanted, 0).length, `${field} ${value}`);
        assert.equal((await search(`classification:malicious AND ${field} = ${written}`)).body.count, count);
      }
      const counts = values.map(({ count }: { count: number }) => count);
      assert.deepEqual(
        counts,
        counts.toSorted((a: number, b: number) => b - a),
      );
    }
  }
  const top = (await facets({ fields: ["tag"], limit: 2 })).body;
  assert.deepEqual([top.count, top.facets[0].values.length], [documents.length, 2]);
});

test("what is wrong with a query is said with its position and the nearest name", async () => {
  for (const [q, message] of [
    ["", /^q: character 1 of the query: expected a field/],
    ["tga:x", /^q: character 1 .*no field "tga"; did you mean tag\?$/],
    ["tag:a AND classification:malicous", /^q: character 26 .*did you mean malicious\?$/],
    ["tag > 5", /^q: character 5 .*tag \(text\) does not have >/],
    [`${"(".repeat(50)}seen:true${")".repeat(50)}`, /32 levels of nesting/],
    [`port IN (${"1,".repeat(1500)}1)`, /1000 values/],
    [Array.from({ length: 9 }, () => 'rdns:"*a*"').join(" OR "), /4 values with words/],
    [`tag:"${"*a".repeat(70)}"`, /64 stars/],
    [Array.from({ length: 20 }, (_, i) => `port > ${i}`).join(" OR "), /16 clauses that compare/],
  ] as const) {
    const { status, body } = await search(q);
    assert.deepEqual([status, Object.keys(body)], [400, ["message", "request_id"]], q.slice(0, 60));
    assert.match(body.message, message, q.slice(0, 60));
  }
  const terms = (count: number): string => Array.from({ length: count }, (_, i) => `port:${i}`).join(" OR ");
  assert.match((await search(terms(400))).body.message, /^q: character 4097 .*at most 4096 characters/);
  assert.match((await facets({ q: terms(400), fields: ["tag"] })).body.message, /at most 4096 characters/);
  // What does not fit into a URL, or a body, is refused before.
  assert.ok([414, 431].includes((await search(terms(10_000))).status));
  assert.equal((await facets({ q: terms(10_000), fields: ["tag"] })).status, 413);
  assert.match((await facets({ fields: ["contry"] })).body.message, /did you mean country\?/);
  assert.match((await facets({ fields: ["ip"] })).body.message, /an ip of its own/);
  assert.match((await facets({ q: "(", fields: ["tag"] })).body.message, /^q: character 2/);
});

test("the fields are listed with their operators", async () => {
  const { body } = await ask(t, "GET", "/v1/cti/search:fields", { key });
  assert.equal(body.length, SEARCH_FIELDS.length);
  assert.deepEqual(
    body.find(({ name }: { name: string }) => name === "last_seen"),
    {
      name: "last_seen",
      aliases: [],
      type: "date",
      operators: [":", "=", ">", ">=", "<", "<=", "range"],
      is_available: true,
      ignores_case: false,
      values: null,
    },
  );
});

test("a query is a set, and a source of deployments whose list follows the dataset", async () => {
  const compute = (sets: object[]) => ask(t, "POST", "/v1/sets:compute", { key, body: { operation: "union", sets } });
  assert.deepEqual((await compute([{ cti_query: "tag:resolver" }])).body.prefixes, ["8.8.8.8", "8.8.9.0/24"]);
  const bad = await compute([{ cti_query: "tag:resolver AND tga:x" }]);
  assert.equal(bad.status, 400);
  assert.match(bad.text, /sets\[0\]\.cti_query.*character 18 of the query.*did you mean tag\?/);
  const created = await ask(t, "POST", "/v1/edl/deployments", {
    key,
    body: {
      name: "resolvers",
      include: [{ cti_query: "tag : resolver and not country:FR" }],
      options: { allow_empty: true },
    },
  });
  assert.equal(created.status, 201, created.text);
  assert.deepEqual(created.body.include, [{ cti_query: 'tag:"resolver" AND NOT src.geo.country.code:"FR"' }]);
  const listed = async (): Promise<string> =>
    JSON.stringify(
      (await ask(t, "POST", "/v1/edl/deployments:preview", { key, body: { include: created.body.include } })).body,
    );
  assert.match(await listed(), /8\.8\.8\.8/);
  assert.doesNotMatch(await listed(), /8\.8\.9/);
  const published = async () => (await ask(t, "GET", `/v1/edl/deployments/${created.body.id}`, { key })).body;
  await until("the list is published", async () => (await published()).ipv4_entries_count === 1);
  const other = searchedDataset([
    ["8.8.8.8", { tags: ["resolver"] }],
    ["9.9.9.9", { tags: ["resolver"] }],
  ]);
  const index = finished(buildingIndex(other.dataset));
  const metadata = { ...other.dataset.metadata, createdAt: "2026-06-17T12:00:00.000Z", index };
  await writeSnapshot(path, { table: other.dataset.table, metadata, kind: "cti" });
  await until("the list of the new dataset is published", async () => (await published()).ipv4_entries_count === 2);
  await write(dataset, "2026-06-17T13:00:00.000Z");
});

test("a dataset of an earlier release, without an index, is searched as well", async () => {
  const { metadata, table } = dataset;
  await writeSnapshot(path, { table, metadata: { ...metadata, createdAt: "2026-06-18T00:00:00.000Z" }, kind: "cti" });
  await t.restart();
  assert.equal((await search("tag:resolver")).body.count, 2);
});
