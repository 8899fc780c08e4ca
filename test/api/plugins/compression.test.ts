/**
 * Responses that are compressed on request: the same bytes in every coding, a tag for each, and nothing compressed that
 * should not be.
 */
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { once } from "node:events";
import { request } from "node:http";
import { after, before, test } from "node:test";
import { promisify } from "node:util";
import { brotliDecompressSync, createGunzip, gunzipSync } from "node:zlib";
import { addUser, type TestUser } from "../dashboard/browser.ts";
import { missingCommand } from "../../tools.ts";
import { addKey, addOrganisation, ask, BUNDLED, startServer, type TestServer } from "../start-server.ts";
import { PLAIN_NAME } from "../../../src/api/access/session-cookie.ts";
import { SAMPLE_THREATS } from "../harness/service-process.ts";
import { sampled } from "../../rounds.ts";
import { until } from "../../until.ts";

let t: TestServer;
let key: string;
let user: TestUser;
let rulesetId: string;
before(async () => {
  t = await startServer({}, BUNDLED, SAMPLE_THREATS);
  const organisation = await addOrganisation(t, "compression");
  key = (await addKey(t, organisation)).text;
  user = await addUser(t, organisation, "admin");
  rulesetId = (await ask(t, "POST", "/v1/edl/ip-rulesets/", { key, body: { name: "Offices", purpose: "blocklist" } }))
    .body.id;
  const rules = Array.from({ length: 3000 }, (_, i) => ({ ip: `10.0.${i >> 8}.${i & 255}`, name: `office ${i}` }));
  assert.equal((await ask(t, "PUT", `/v1/edl/ip-rulesets/${rulesetId}/rules`, { key, body: { rules } })).status, 200);
});
after(() => t.close());

interface Coded {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  /** As received. */
  readonly bytes: Buffer;
  /** Decoded. */
  readonly text: string;
}

interface Asked {
  readonly accept?: string | undefined;
  readonly headers?: Readonly<Record<string, string>>;
  readonly method?: string;
  readonly body?: string | undefined;
}

/** Sent with node:http, which decodes nothing. */
async function askRaw(path: string, { accept, headers = {}, method = "GET", body }: Asked = {}): Promise<Coded> {
  const scope: Record<string, string> = path.startsWith("/dashboard/api/")
    ? { Cookie: `${PLAIN_NAME}=${user.token}`, Origin: t.server.url }
    : { "X-API-Key": key };
  const all = {
    ...scope,
    ...(accept === undefined ? {} : { "Accept-Encoding": accept }),
    ...(body === undefined ? {} : { "Content-Type": "application/json" }),
    ...headers,
  };
  const sent = request(t.server.url + path, { method, headers: all });
  sent.end(body);
  const [response] = await once(sent, "response");
  const parts: Buffer[] = [];
  for await (const part of response) parts.push(part);
  const bytes = Buffer.concat(parts);
  return {
    status: response.statusCode,
    headers: response.headers,
    bytes,
    text: method === "HEAD" ? "" : decoded(bytes, response.headers["content-encoding"]),
  };
}

function decoded(bytes: Buffer, coding: string | undefined): string {
  if (coding === undefined || bytes.length === 0) return bytes.toString();
  return (coding === "br" ? brotliDecompressSync(bytes) : gunzipSync(bytes)).toString();
}

const ips = JSON.stringify({ ips: Array.from({ length: 2000 }, (_, i) => `1.1.${i >> 8}.${i & 255}`) });
const rules = (): string => `/edl/ip-rulesets/${rulesetId}/rules`;

/** Every kind of long response: text, JSON, CSV, lines, files, streams, errors, documents; in both scopes. */
function longAnswers(): [path: string, asked: Asked][] {
  const both: [string, Asked][] = [
    [rules(), {}],
    [rules(), { headers: { Accept: "text/plain" } }],
    [rules(), { headers: { Accept: "text/csv" } }],
    [`${rules()}:export?format=ndjson`, {}],
    [`${rules()}:check`, { method: "POST", body: ips }],
    ["/cbs/node?id=/cloud", {}],
    ["/cbs/search?q=a&page_size=100", {}],
    ["/cbs/providers?page_size=1000", {}],
    ["/cbs/ranges?page_size=1000", {}],
    ["/cbs/ranges?id=/cdn", { headers: { Accept: "text/csv" } }],
    ["/cbs/ranges?page=1&page_size=1000", { headers: { Accept: "text/plain" } }],
    ["/cbs/lookup", { method: "POST", body: ips }],
    ["/cti/bulk_lookup", { method: "POST", body: ips }],
    ["/cti/bulk_lookup", { method: "POST", body: "1.1.1.1\n".repeat(500), headers: { "Content-Type": "text/plain" } }],
    [`${rules()}:check`, { method: "POST", body: JSON.stringify({ ips: Array(200).fill("nonsense") }) }],
  ];
  const own: [string, Asked][] = [[`/edl/ip-rulesets/${rulesetId}/rows?limit=100`, {}]];
  return [
    ...both.map(([path, asked]): [string, Asked] => [`/v1${path}`, asked]),
    ...both.concat(own).map(([path, asked]): [string, Asked] => [`/dashboard/api${path}`, asked]),
    ...["/openapi.json", "/dashboard/api/openapi.json", "/docs", "/docs.css"].map((path): [string, Asked] => [
      path,
      {},
    ]),
  ];
}

test("every long response is compressed for clients that accept it, with the same content", async () => {
  for (const [path, asked] of sampled(longAnswers(), 5)) {
    const what = `${asked.method ?? "GET"} ${path} ${asked.headers?.["Accept"] ?? ""}`;
    const plain = await askRaw(path, asked);
    assert.equal(plain.headers["content-encoding"], undefined, what);
    assert.ok(plain.bytes.length >= 1024, `${what} has ${plain.bytes.length} bytes only`);
    assert.match(String(plain.headers["vary"]), /\bAccept-Encoding\b/, what);
    for (const coding of ["gzip", "br"]) {
      const coded = await askRaw(path, { ...asked, accept: coding });
      assert.deepEqual(
        [coded.status, coded.headers["content-encoding"], coded.headers["content-type"], coded.headers["vary"]],
        [plain.status, coding, plain.headers["content-type"], plain.headers["vary"]],
        what,
      );
      assert.ok(coded.bytes.length < plain.bytes.length, what);
      assert.equal(withoutRequest(coded.text), withoutRequest(plain.text), what);
      if (coded.headers["content-length"] !== undefined)
        assert.equal(Number(coded.headers["content-length"]), coded.bytes.length, what);
    }
  }
});

/** The headers that differ between responses. */
function withoutRequest(text: string): string {
  return text.replaceAll(/"request_id":"[^"]*"/g, "");
}

test("short responses, other types and secrets are not compressed", async () => {
  const accept = "br, gzip";
  for (const path of ["/livez", "/v1/cti/lookup/203.0.113.1", "/nothing"]) {
    const { headers } = await askRaw(path, { accept });
    assert.deepEqual([headers["content-encoding"], headers["vary"]], [undefined, undefined], path);
  }
  const { bytes, headers } = await askRaw("/dashboard/api/keys", {
    accept: "gzip, identity;q=0",
    method: "POST",
    body: '{"label":"x","access":"read"}',
  });
  assert.equal(headers["content-encoding"], undefined);
  assert.match(bytes.toString(), /"text":"ips_/);
  const invited = await askRaw("/dashboard/api/users", {
    accept: "gzip, identity;q=0",
    method: "POST",
    body: '{"name":"ada","role":"viewer"}',
  });
  assert.deepEqual([invited.status, invited.headers["content-encoding"]], [201, undefined]);
});

test("the preferred coding is used: weights, *, and identity excluded", async () => {
  const cases: [accept: string | undefined, coding: string | undefined][] = [
    [undefined, undefined],
    ["", undefined],
    ["identity", undefined],
    ["gzip", "gzip"],
    ["x-gzip", "gzip"],
    ["GZIP", "gzip"],
    ["br", "br"],
    ["gzip, deflate, br", "br"],
    ["gzip;q=1, br;q=0.5", "gzip"],
    ["gzip;q=0.2, br;q=0.5", "br"],
    ["br;q=0, gzip;q=0.001", "gzip"],
    ["gzip;q=0", undefined],
    ["*", "br"],
    ["*;q=0", undefined],
    ["br;q=0, *", "gzip"],
    ["gzip;q=0.5, identity", undefined],
    ["gzip;q=0.5, identity;q=0.4", "gzip"],
    ["gzip;q=2", undefined],
    ["gzip;q=x", undefined],
    ["zstd, deflate", undefined],
    ["identity;q=0, gzip", "gzip"],
    ["gzip ; q=0.8 , br ; q=0.7", "gzip"],
  ];
  for (const [accept, coding] of cases) {
    for (const path of ["/v1/cbs/node?id=/cloud", "/openapi.json", `/v1${rules()}:export`])
      assert.equal((await askRaw(path, { accept })).headers["content-encoding"], coding, `${path} ${accept}`);
  }
  const short = await askRaw("/livez", { accept: "gzip, identity;q=0" });
  assert.deepEqual([short.headers["content-encoding"], short.text], ["gzip", "ok\n"]);
});

test("HEAD has the headers of GET", async () => {
  for (const path of ["/openapi.json", "/v1/cbs/node?id=/cloud", `/v1${rules()}`, `/v1${rules()}:export`]) {
    for (const accept of ["gzip", "br", "identity"]) {
      const [head, get] = [await askRaw(path, { accept, method: "HEAD" }), await askRaw(path, { accept })];
      for (const name of ["content-encoding", "content-length", "etag", "vary", "content-type"])
        assert.equal(head.headers[name], get.headers[name], `${path} ${accept} ${name}`);
      assert.equal(head.bytes.length, 0);
    }
  }
});

test("each coding has a tag of its own, which If-None-Match and If-Match accept", async () => {
  for (const path of [
    "/openapi.json",
    "/v1/cbs/node?id=/cloud",
    "/v1/cbs/lookup?ip=1.1.1.1",
    "/v1/cbs/search?q=amazon",
    "/v1/cbs/regions",
    "/v1/cbs/services",
    "/v1/cbs/providers",
    "/v1/cbs/ranges",
    `/v1${rules()}`,
    `/v1${rules()}:export`,
  ]) {
    const plain = await askRaw(path);
    const tags = new Set([plain.headers["etag"]]);
    for (const accept of ["gzip", "br"]) {
      const { headers } = await askRaw(path, { accept });
      const etag = String(headers["etag"]);
      if (headers["content-encoding"] !== undefined) tags.add(etag);
      const again = await askRaw(path, { accept, headers: { "If-None-Match": `"other", W/${etag}` } });
      assert.deepEqual(
        [again.status, again.headers["etag"], again.bytes.length, again.headers["content-encoding"]],
        [304, etag, 0, undefined],
        path,
      );
      assert.match(String(again.headers["vary"]), /\bAccept-Encoding\b/, path);
      assert.equal(
        again.headers["vary"],
        plain.headers["vary"],
        `${path}: a 304 says what its 200 says, also a short one`,
      );
      // Its copy has a coding that it does not accept now.
      assert.equal(
        (await askRaw(path, { headers: { "If-None-Match": etag } })).status,
        etag === plain.headers["etag"] ? 304 : 200,
        path,
      );
      assert.equal(
        (await askRaw(path, { accept, headers: { "If-None-Match": String(plain.headers["etag"]) } })).status,
        304,
        path,
      );
    }
    if (plain.bytes.length >= 1024) assert.equal(tags.size, 3, path);
  }
  const { headers } = await askRaw(`/v1${rules()}`, { accept: "gzip" });
  assert.match(String(headers["etag"]), /\.gzip"$/);
  const write = (tag: string): Promise<Coded> =>
    askRaw(`/v1${rules()}:import`, {
      method: "POST",
      body: '{"rules":[{"ip":"192.0.2.1"}]}',
      headers: { "If-Match": tag },
    });
  assert.equal((await write('"999999-0.gzip"')).status, 412);
  assert.equal((await write(String(headers["etag"]))).status, 200);
  assert.equal((await write(String(headers["etag"]))).status, 412);
});

test("the negative control: with another catalogue, or another rule, the tag differs", async () => {
  const [before, after] = [
    await askRaw(`/v1${rules()}`, { accept: "gzip" }),
    (await askRaw(`/v1${rules()}:import`, { method: "POST", body: '{"rules":[{"ip":"192.0.2.77"}]}' }),
    await askRaw(`/v1${rules()}`, { accept: "gzip" })),
  ];
  assert.notEqual(before.headers["etag"], after.headers["etag"]);
  const tags = [
    await askRaw("/v1/cbs/node?id=/cdn", { accept: "gzip" }),
    await askRaw("/v1/cbs/node?id=/cloud", { accept: "gzip" }),
  ].map(({ headers }) => headers["etag"]);
  assert.equal(tags[0], tags[1], "of one catalogue");
});

test("a line of a stream is answered before the next one is sent, compressed too", async () => {
  const sent = request(`${t.server.url}/v1/cti/bulk_lookup`, {
    method: "POST",
    headers: { "X-API-Key": key, "Content-Type": "text/plain", "Accept-Encoding": "gzip" },
  });
  sent.write("1.1.1.1\n");
  const [response] = await once(sent, "response");
  assert.equal(response.headers["content-encoding"], "gzip");
  let text = "";
  const lines = response.pipe(createGunzip()).on("data", (part: Buffer) => (text += String(part)));
  for (const [count, next] of [
    [1, "1.0.0.1\n"],
    [2, "9.9.9.9\n"],
    [3, ""],
  ] as const) {
    await until(`line ${count} has arrived`, () => text.split("\n").length > count);
    if (next !== "") sent.write(next);
  }
  const ended = once(lines, "end");
  sent.end();
  await ended;
  assert.equal(text.trim().split("\n").length, 3);
});

test("curl and fetch read compressed responses", { skip: missingCommand("curl", "--version", "curl") }, async () => {
  const url = `${t.server.url}/v1${rules()}:export?format=csv`;
  const curl = async (...options: string[]): Promise<string> =>
    (await promisify(execFile)("curl", ["-sS", ...options, "-H", `X-API-Key: ${key}`, url], { maxBuffer: 1 << 24 }))
      .stdout;
  const plain = await curl();
  const coded = await curl("--compressed", "-w", "%{size_download}");
  assert.ok(coded.startsWith(plain));
  assert.ok(Number(coded.slice(plain.length)) < plain.length / 2);
  const fetched = await fetch(url, { headers: { "X-API-Key": key } });
  assert.deepEqual(
    [["br", "gzip"].includes(fetched.headers.get("content-encoding")!), await fetched.text()],
    [true, plain],
  );
});
