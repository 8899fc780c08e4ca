import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { SMALL_TABLE, writeSmallNetworks } from "../networks/small-networks.ts";
import { until } from "../until.ts";
import { addKey, addOrganisation, ask, startServer, type TestServer } from "./start-server.ts";

const folder = mkdtempSync(join(tmpdir(), "ipsieve-network-sources-"));
const path = join(folder, "networks.ipsieve");
let t: TestServer;
let key = "";
before(async () => {
  await writeSmallNetworks(path);
  t = await startServer({}, undefined, null, undefined, undefined, [path]);
  key = (await addKey(t, await addOrganisation(t, "networks"))).text;
});
after(async () => {
  await t.close();
  rmSync(folder, { recursive: true });
});

const post = (at: string, body: object) => ask(t, "POST", at, { key, body });

test("AS numbers and countries are sets", async () => {
  const { status, body } = await post("/v1/sets:compute", {
    operation: "union",
    sets: [{ asn: 15169 }, { country: "FR" }],
  });
  assert.deepEqual([status, body.prefixes], [200, ["8.8.8.0/22", "203.0.113.0/24", "2001:db8::/32"]]);
});

test("unknown ones are errors with the nearest known, malformed ones are errors of the schema", async () => {
  for (const [source, message] of [
    [{ asn: 15170 }, /no network has the number AS15170; the nearest are AS15169 \(Google LLC\)/],
    [{ country: "FX" }, /no network is in the country \\"FX\\".*did you mean FR\?/],
    [{ country: "fr" }, /./],
    [{ asn: -1 }, /./],
    [{ asn: 1, country: "FR" }, /./],
  ] as const) {
    const { status, text } = await post("/v1/sets:compute", { operation: "union", sets: [source] });
    assert.equal(status, 400, JSON.stringify(source));
    assert.match(text, message);
  }
});

test("they are sources and excludes of deployments, whose lists follow the file", async () => {
  const { status, body } = await post("/v1/edl/deployments", {
    name: "edge",
    include: [{ asn: 15169 }, { country: "FR" }],
    exclude: [{ country: "DE" }],
  });
  assert.equal(status, 201, JSON.stringify(body));
  assert.deepEqual(body.include, [{ asn: 15169 }, { country: "FR" }]);
  const preview = async () =>
    (await post(`/v1/edl/deployments/${body.id}:preview`, {})).body.sample ??
    (await post("/v1/edl/deployments:preview", { include: body.include, exclude: body.exclude })).body;
  const listed = JSON.stringify(await preview());
  assert.match(listed, /8\.8\.8\.0\/24/);
  assert.doesNotMatch(listed, /8\.8\.9/);
  const explained = await post("/v1/edl/ip-rulesets:explain", { ip: "8.8.8.8" });
  const [deployment] = explained.body.deployments;
  assert.deepEqual([deployment.contains, deployment.include], ["all", [{ asn: 15169 }]]);

  const published = async (): Promise<number> =>
    (await ask(t, "GET", `/v1/edl/deployments/${body.id}`, { key })).body.generation as number;
  await until("the list is published", async () => (await published()) > 0);
  const before_ = await published();
  await writeSmallNetworks(path, SMALL_TABLE.replace("8.8.8.255", "8.8.8.127"));
  await until("the list of the new file is published", async () => (await published()) > before_);
  const later = await post("/v1/edl/ip-rulesets:explain", { ip: "8.8.8.200" });
  assert.deepEqual(later.body.deployments, []);
});

test("without networks, such a source cannot be read, and says so", async () => {
  const own = await startServer();
  try {
    const { text } = await addKey(own, await addOrganisation(own, "none"));
    const body = { operation: "union", sets: [{ asn: 15169 }] };
    const answer = await ask(own, "POST", "/v1/sets:compute", { key: text, body });
    assert.equal(answer.status, 400);
    assert.match(answer.text, /no networks are loaded/);
  } finally {
    await own.close();
  }
});

test("search finds organisations beside nodes, as the command does; the tag changes with the networks", async () => {
  const search = async (query: string, headers: Record<string, string> = {}) =>
    ask(t, "GET", `/v1/cbs/search?${query}`, { key, headers });
  const found = await search("q=cloudflare&page_size=1");
  assert.deepEqual([found.body.networks, found.body.network_count], [[{ asn: 13335, name: "Cloudflare, Inc." }], 1]);
  assert.equal(found.body.items.length, 1);
  for (const [q, networks] of [
    ["AS13335", [{ asn: 13335, name: "Cloudflare, Inc." }]],
    ["asn:32", [{ asn: 32, name: "Stanford University" }]],
    ["uni stanf", [{ asn: 32, name: "Stanford University" }]],
    ["s\u00f6hne", [{ asn: 64500, name: "Example & Söhne" }]],
    ["tanford", []],
    ["1.1.1.1", []],
    ["2606:4700::1", []],
  ] as const) {
    const { body } = await search(`q=${encodeURIComponent(q)}`);
    assert.deepEqual([body.networks, body.network_count], [networks, networks.length], q);
  }
  assert.deepEqual((await search("q=cloudflare&type=cdn")).body.networks, []);
  const again = await search("q=cloudflare&page_size=1", { "if-none-match": found.headers.get("etag")! });
  assert.equal(again.status, 304);
  const before = (await search("q=moved")).headers.get("etag");
  await writeSmallNetworks(path, `${SMALL_TABLE}\n198.51.100.0\t198.51.100.255\t64510\tDE\tMoved GmbH`);
  await until("the new file is searched", async () => (await search("q=moved")).body.network_count === 1);
  assert.notEqual((await search("q=moved")).headers.get("etag"), before);
});
