import assert from "node:assert/strict";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { Client } from "../../src/client/client.ts";
import { writeSnapshot } from "../../src/snapshot/write-snapshot.ts";
import { catalogueOf } from "../cbs/catalogues.ts";
import { addKey, addOrganisation, ask, startServer, type TestServer } from "./start-server.ts";

/** The service of 192.0.2.0/24, by the time from which a catalogue names it. */
const GENERATIONS = [
  ["2026-01-01T00:00:00.000Z", "/cdn/akamai"],
  ["2026-03-01T23:59:59.999Z", "/cdn/fastly"],
  ["2026-06-01T12:00:00.000Z", "/saas/github"],
] as const;
/** The answer of the current catalogue. */
const CURRENT = ["/cloud/aws/by-service/ec2/us-east-1", "/cdn/cloudflare"];
const PATHS = [
  "/v1/cbs/lookup?ip=192.0.2.1",
  "/v1/cbs/ranges?id=/cdn",
  "/v1/cbs/ranges:export?format=text",
  "/v1/cbs/node?id=/cdn",
  "/v1/cbs/search?q=192.0.2.1",
  "/v1/cbs/providers?page_size=5",
];

let t: TestServer;
let key = "";

before(async () => {
  t = await startServer();
  key = (await addKey(t, await addOrganisation(t, "earlier"), "read")).text;
});
after(() => t.close());

const get = (path: string) => ask(t, "GET", path, { key });
const lookUp = (asOf?: string) =>
  get(`/v1/cbs/lookup?ip=192.0.2.1${asOf === undefined ? "" : `&as_of=${encodeURIComponent(asOf)}`}`);
const errorOf = async (asOf: string): Promise<string> => {
  const { status, body, text } = await lookUp(asOf);
  assert.equal(status, 400, text);
  assert.deepEqual(Object.keys(body.validation_errors), ["as_of"]);
  return body.validation_errors.as_of[0];
};

test("before the first update there is no earlier catalogue, and the error says so", async () => {
  assert.match(await errorOf("2026-06-30"), /^this server has no earlier catalogues yet: each update /);
  mkdirSync(join(t.folder, "history"));
  assert.match(await errorOf("2026-06-30"), /no earlier catalogues yet/);
  for (const [time, id] of GENERATIONS) {
    const { table, metadata } = catalogueOf([["192.0.2.0/24", id]]);
    const path = join(t.folder, "history", `${time.replaceAll(/[-:]/g, "")}.ipsieve`);
    await writeSnapshot(path, { table, metadata, kind: "catalogue", createdAt: new Date(time) });
  }
});

test("lookups (single, bulk and lines) and ranges use the newest catalogue that was not made later", async () => {
  const client = new Client({ baseUrl: t.server.url, key });
  const cases = [
    ["2026-01-01T00:00:00Z", "/cdn/akamai"],
    ["2026-03-01T23:59:59.998Z", "/cdn/akamai"],
    ["2026-03-01", "/cdn/fastly"],
    ["2026-03-02T01:00+01:00", "/cdn/fastly"],
    ["2026-06-01T12:00:00Z", "/saas/github"],
    ["2099-12-31", "/saas/github"],
  ] as const;
  for (const [asOf, id] of cases) {
    const query = `as_of=${encodeURIComponent(asOf)}`;
    assert.deepEqual((await lookUp(asOf)).body.cbs_ids, [id], asOf);
    const bulk = await ask(t, "POST", `/v1/cbs/lookup?${query}`, { key, body: { ips: ["192.0.2.1"] } });
    assert.deepEqual(bulk.body["192.0.2.1"].cbs_ids, [id]);
    const lines: unknown[] = [];
    for await (const line of client.lookUpServices(["192.0.2.1"], { asOf }))
      lines.push("cbs_ids" in line && line.cbs_ids);
    assert.deepEqual(lines, [[id]]);
    const ranges = await get(`/v1/cbs/ranges?${query}`);
    assert.deepEqual(
      ranges.body.items.map(({ cbs_ids }: any) => cbs_ids),
      [[id]],
    );
    const text = await ask(t, "GET", `/v1/cbs/ranges?${query}`, { key, headers: { Accept: "text/plain" } });
    assert.equal(text.text, "192.0.2.0/24\n");
    const type = id.split("/")[1]!;
    const idsOf = async (path: string) => (await get(path)).body.items.map((item: any) => item.id);
    assert.deepEqual(await idsOf(`/v1/cbs/search?q=192.0.2.1&${query}`), [id]);
    assert.deepEqual(await idsOf(`/v1/cbs/providers?${query}`), [id]);
    const root = await get(`/v1/cbs/node?${query}`);
    assert.deepEqual(
      root.body.children.map((child: any) => child.id),
      [`/${type}`],
    );
    const file = await get(`/v1/cbs/ranges:export?format=text&id=${id}&${query}`);
    assert.equal(file.text.trim().split("\n").at(-1), "192.0.2.0/24");
  }
  assert.deepEqual((await lookUp()).body.cbs_ids.toSorted(), CURRENT.toSorted(), "without a time: the current one");
});

test("the difference of two catalogues is that of the library, in pages, with a tag", async () => {
  const diff = (query: string, headers: Record<string, string> = {}) =>
    ask(t, "GET", `/v1/cbs/diff?${query}`, { key, headers });
  const spring = await diff("from=2026-02-01&to=2026-04-01");
  assert.equal(spring.status, 200, spring.text);
  assert.deepEqual(spring.body.items, [{ cidr: "192.0.2.0/24", added: ["/cdn/fastly"], removed: ["/cdn/akamai"] }]);
  assert.deepEqual(
    [spring.body.count, spring.body.prefixes_moved, spring.body.nodes_added, spring.body.nodes_removed],
    [1, 1, ["/cdn/fastly"], ["/cdn/akamai"]],
  );
  const same = await diff("from=2026-04-01&to=2026-05-01");
  assert.deepEqual([same.body.count, same.body.nodes], [0, []]);
  const now = await diff("from=2026-04-01&page_size=1");
  assert.ok(now.body.count > 1);
  assert.equal(now.body.items.length, 1);
  assert.notEqual(now.body.next, null);
  const again = await diff("from=2026-04-01&page_size=1", { "If-None-Match": now.headers.get("etag")! });
  assert.equal(again.status, 304);
  for (const [query, field] of [
    ["from=x", "from"],
    ["from=2026-04-01&to=2025-01-01", "to"],
    ["from=2025-01-01", "from"],
  ] as const)
    assert.deepEqual(Object.keys((await diff(query)).body.validation_errors), [field], query);
  assert.equal((await diff("to=2026-04-01")).status, 400);
});

test("each catalogue has a tag of its own, and a node that it does not have is not found", async () => {
  const tags = await Promise.all(
    ["2026-02-01", "2026-04-01"].map(async (asOf) => (await lookUp(asOf)).headers.get("etag")!),
  );
  assert.equal(new Set([...tags, (await lookUp()).headers.get("etag")]).size, 3);
  const again = (asOf: string) =>
    ask(t, "GET", `/v1/cbs/lookup?ip=192.0.2.1&as_of=${asOf}`, { key, headers: { "If-None-Match": tags[0]! } });
  assert.deepEqual([(await again("2026-02-01")).status, (await again("2026-04-01")).status], [304, 200]);
  const statusOf = async (id: string) => (await get(`/v1/cbs/ranges?id=${id}&as_of=2026-02-01`)).status;
  assert.deepEqual([await statusOf("/cdn/akamai"), await statusOf("/cdn/fastly")], [200, 404]);
});

test("times before the oldest catalogue, and malformed times, are errors that say what to do", async () => {
  assert.equal(
    await errorOf("2025-12-31"),
    "no catalogue was made by 2025-12-31T23:59:59.999Z; the oldest that is kept is of 2026-01-01T00:00:00.000Z",
  );
  assert.equal(await errorOf("2026-02-30"), "there is no such day");
  assert.match(await errorOf("2026-02-03T10:00"), /^the zone is missing/);
  for (const text of ["", "yesterday", "2026-2-3", "1767225600"]) assert.match(await errorOf(text), /not an ISO 8601/);
  for (const path of PATHS) assert.equal((await get(`${path}&as_of=x`)).status, 400);
});

test("an unreadable file of the history is unavailable, its path is only in the log, and the current catalogue still works", async () => {
  const path = join(t.folder, "history", "bad.ipsieve");
  writeFileSync(path, "not a snapshot");
  const { status, text } = await lookUp("2026-04-01");
  assert.deepEqual([status, text.includes("bad.ipsieve")], [503, false]);
  assert.match(t.logged(), /bad\.ipsieve/);
  assert.equal((await lookUp()).status, 200);
  rmSync(path);
  assert.equal((await lookUp("2026-04-01")).status, 200);
});
