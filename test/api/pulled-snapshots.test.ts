import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";
import { brotliDecompressSync } from "node:zlib";
import { request } from "undici";
import { openRuleset } from "../../src/datasets/ruleset-files.ts";
import { verifySnapshot } from "../../src/snapshot/verify-snapshot.ts";
import { SMALL_CATALOGUE } from "./harness/small-catalogue.ts";
import { addKey, addOrganisation, ask, startServer, type TestServer } from "./start-server.ts";

const THREATS = fileURLToPath(new URL("../../data/cti-sample.ipsieve", import.meta.url));

let t: TestServer;
let key = "";
let ruleset = "";
before(async () => {
  t = await startServer({}, SMALL_CATALOGUE, THREATS);
  key = (await addKey(t, await addOrganisation(t, "pulls"), "read_write")).text;
  ruleset = (await ask(t, "GET", "/v1/edl/ip-rulesets/", { key })).body.items[0].id;
});
after(() => t.close());

const CATALOGUE = "/v1/cbs/snapshot";

interface Pulled {
  readonly status: number;
  readonly headers: Headers;
  readonly bytes: Buffer;
}

async function pull(path: string, headers: Record<string, string> = {}, method = "GET"): Promise<Pulled> {
  const response = await fetch(t.server.url + path, {
    method,
    headers: { "x-api-key": key, "accept-encoding": "identity", ...headers },
  });
  return { status: response.status, headers: response.headers, bytes: Buffer.from(await response.arrayBuffer()) };
}

function digestOf(bytes: Uint8Array): string {
  return `sha-256=:${createHash("sha256").update(bytes).digest("base64")}:`;
}

test("the catalogue and the threat intelligence are sent with the same bytes as in their files, with their digest", async () => {
  for (const [path, file, name] of [
    [CATALOGUE, SMALL_CATALOGUE, "catalogue.ipsieve"],
    ["/v1/cti/snapshot", THREATS, "cti.ipsieve"],
  ] as const) {
    const { status, headers, bytes } = await pull(path);
    const expected = readFileSync(file);
    assert.deepEqual([status, bytes.equals(expected)], [200, true], path);
    assert.equal(headers.get("repr-digest"), digestOf(expected));
    assert.equal(headers.get("content-type"), "application/octet-stream");
    assert.equal(headers.get("content-disposition"), `attachment; filename="${name}"`);
    assert.deepEqual([headers.get("accept-ranges"), headers.get("content-length")], ["bytes", `${expected.length}`]);
  }
});

test("a ruleset is sent as a file that decides as the server does; the same until it changes", async () => {
  const path = `/v1/edl/ip-rulesets/${ruleset}/snapshot`;
  const rules = `/v1/edl/ip-rulesets/${ruleset}/rules`;
  await ask(t, "POST", rules, { key, body: { ip: "192.0.2.0/24", name: "lab" } });
  await ask(t, "POST", rules, { key, body: { ip: "2001:db8::/32", expires_at: "2026-12-31T00:00:00Z" } });
  const { status, headers, bytes } = await pull(path);
  assert.deepEqual([status, headers.get("repr-digest")], [200, digestOf(bytes)]);
  const file = join(t.folder, "pulled.ipsieve");
  writeFileSync(file, bytes);
  assert.equal((await verifySnapshot(file)).kind, "ruleset");
  const opened = await openRuleset(file);
  assert.deepEqual(
    [...opened].map(({ name, expiresAt }) => [name, expiresAt]),
    [
      ["lab", null],
      [null, Date.parse("2026-12-31T00:00:00Z")],
    ],
  );
  const tag = headers.get("etag")!;
  assert.equal((await pull(path, { "if-none-match": tag })).status, 304);
  await ask(t, "POST", rules, { key, body: { ip: "198.51.100.7" } });
  const changed = await pull(path, { "if-none-match": tag });
  assert.deepEqual([changed.status, changed.headers.get("etag") === tag], [200, false]);
});

test("after a restart, the same version of a ruleset has the same bytes and the same tag", async () => {
  const path = `/v1/edl/ip-rulesets/${ruleset}/snapshot`;
  const before = await pull(path);
  await t.restart();
  const { status, bytes, headers } = await pull(path);
  assert.deepEqual([status, bytes.equals(before.bytes), headers.get("etag")], [200, true, before.headers.get("etag")]);
});

test("a range of one file is sent as 206; any other as the whole file", async () => {
  const whole = await pull(CATALOGUE);
  const { length } = whole.bytes;
  const tag = whole.headers.get("etag")!;
  const cases: readonly (readonly [range: string, start: number, end: number])[] = [
    ["bytes=0-", 0, length],
    ["bytes=1000-", 1000, length],
    ["bytes=1000-1000", 1000, 1001],
    ["BYTES=5-99999999999", 5, length],
    ["bytes=-7", length - 7, length],
    [`bytes=-${length + 1}`, 0, length],
    [`bytes=${length - 1}-`, length - 1, length],
  ];
  for (const [range, start, end] of cases) {
    const { status, headers, bytes } = await pull(CATALOGUE, { range, "if-range": tag });
    assert.equal(status, 206, range);
    assert.equal(headers.get("content-range"), `bytes ${start}-${end - 1}/${length}`, range);
    assert.equal(headers.get("repr-digest"), whole.headers.get("repr-digest"), range);
    assert.ok(bytes.equals(whole.bytes.subarray(start, end)), range);
  }
  for (const range of [`bytes=${length}-`, "bytes=5-4", "bytes=-0", "bytes=-", "bytes=0-1,3-4", "lines=1-2", "x"]) {
    const { status, bytes } = await pull(CATALOGUE, { range });
    assert.deepEqual([status, bytes.length], [200, length], range);
  }
});

test("a range of a file that has changed since gets the whole file", async () => {
  for (const condition of ['"another"', "W/x", "Tue, 24 Nov 2026 00:00:00 GMT"]) {
    const { status } = await pull(CATALOGUE, { range: "bytes=1000-", "if-range": condition });
    assert.equal(status, 200, condition);
  }
});

test("HEAD has the length of the file, and no body", async () => {
  const { status, headers, bytes } = await pull(CATALOGUE, { range: "bytes=5-" }, "HEAD");
  assert.deepEqual([status, bytes.length], [200, 0]);
  assert.equal(headers.get("content-length"), String(readFileSync(SMALL_CATALOGUE).length));
});

test("a client that rejects identity coding gets the file compressed, and no range of it", async () => {
  // `fetch` adds `identity` to requests for a range.
  const { statusCode, headers, body } = await request(t.server.url + CATALOGUE, {
    headers: { "x-api-key": key, "accept-encoding": "br, identity;q=0", range: "bytes=5-" },
  });
  assert.deepEqual([statusCode, headers["content-encoding"]], [200, "br"]);
  const bytes = brotliDecompressSync(await body.bytes());
  assert.ok(bytes.equals(readFileSync(SMALL_CATALOGUE)));
});

test("only with a key of the organisation, and a plan", async () => {
  for (const path of [CATALOGUE, "/v1/cti/snapshot", `/v1/edl/ip-rulesets/${ruleset}/snapshot`])
    assert.equal((await ask(t, "GET", path)).status, 401, path);
  const other = (await addKey(t, await addOrganisation(t, "others"), "read")).text;
  assert.equal((await ask(t, "GET", `/v1/edl/ip-rulesets/${ruleset}/snapshot`, { key: other })).status, 404);
  const without = (await addKey(t, await addOrganisation(t, "without plans", []), "read")).text;
  assert.equal((await ask(t, "GET", CATALOGUE, { key: without })).status, 403);
});
