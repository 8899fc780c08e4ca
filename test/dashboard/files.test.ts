/** The dashboard's files as the server sends them. */
import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { get, type IncomingMessage } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { brotliDecompressSync, gunzipSync } from "node:zlib";
import fastify from "fastify";
import type { App } from "../../src/api/app-type.ts";
import { answerProblems } from "../../src/api/plugins/problems.ts";
import { readBuiltFiles } from "../../src/api/built-files.ts";
import { followConnections } from "../../src/api/plugins/connections.ts";
import { addDashboard } from "../../src/api/routes/built-files.ts";
import { startServer, type TestServer } from "../api/start-server.ts";

const BUILT = join(import.meta.dirname, "../../dist/dashboard");
const PAGE = readFileSync(join(BUILT, "index.html"));
const script = `/${/assets\/index-[\w-]+\.js/.exec(PAGE.toString())![0]}`;

let t: TestServer;
before(async () => {
  t = await startServer();
});
after(() => t.close());

/** Not with `fetch`, which sends an Accept-Encoding and decompresses by itself. */
async function fetchRaw(
  path: string,
  headers: Readonly<Record<string, string>> = {},
): Promise<{ status: number; headers: IncomingMessage["headers"]; body: Buffer }> {
  const response = await new Promise<IncomingMessage>(
    (resolve, reject) => void get(t.server.url + path, { headers }, resolve).on("error", reject),
  );
  return { status: response.statusCode!, headers: response.headers, body: Buffer.concat(await response.toArray()) };
}

test("the page and its parts, with a policy that allows nothing else", async () => {
  const page = await fetchRaw("/");
  assert.deepEqual(
    [page.status, page.headers["content-type"], page.headers["cache-control"]],
    [200, "text/html; charset=utf-8", "private, no-cache"],
  );
  assert.deepEqual(page.body, PAGE);
  assert.match(
    String(page.headers["content-security-policy"]),
    /^default-src 'none'; script-src 'self'; style-src 'self'; .*frame-ancestors 'none'$/,
  );
  assert.deepEqual(
    [
      page.headers["x-content-type-options"],
      page.headers["referrer-policy"],
      page.headers["cross-origin-opener-policy"],
    ],
    ["nosniff", "no-referrer", "same-origin"],
  );
  for (const [, path] of PAGE.toString().matchAll(/(?:src|href)="\.(\/assets[^"]*)"/g))
    assert.equal((await fetchRaw(path!)).status, 200, path);
});

test("files with a digest in their names are cached forever", async () => {
  const { headers } = await fetchRaw(script);
  assert.deepEqual(
    [headers["content-type"], headers["cache-control"]],
    ["text/javascript; charset=utf-8", "public, max-age=31536000, immutable"],
  );
});

test("the smallest accepted form is sent; each has a tag of its own", async () => {
  const plain = readFileSync(join(BUILT, script));
  const forms: [accepts: string | undefined, coding: string | undefined, decode: (bytes: Buffer) => Buffer][] = [
    [undefined, undefined, (bytes) => bytes],
    ["", undefined, (bytes) => bytes],
    ["gzip", "gzip", gunzipSync],
    ["gzip, deflate, br, zstd", "br", brotliDecompressSync],
    ["br;q=0, gzip;q=0.5", "gzip", gunzipSync],
    ["identity", undefined, (bytes) => bytes],
    ["*", "br", brotliDecompressSync],
    ["gzip;q=0", undefined, (bytes) => bytes],
  ];
  const tags = new Map<string | undefined, string | undefined>();
  for (const [accepts, coding, decode] of forms) {
    const { headers, body } = await fetchRaw(script, accepts === undefined ? {} : { "accept-encoding": accepts });
    assert.deepEqual(
      [headers["content-encoding"], headers["vary"], headers["content-length"]],
      [coding, "Accept-Encoding", String(body.length)],
      accepts,
    );
    assert.deepEqual(decode(body), plain);
    tags.set(coding, headers["etag"]);
  }
  assert.equal(new Set(tags.values()).size, 3);
});

test("files that the browser already has are not sent again", async () => {
  const { headers } = await fetchRaw("/");
  const again = await fetchRaw("/", { "if-none-match": headers["etag"]! });
  assert.deepEqual([again.status, again.body.length, again.headers["etag"]], [304, 0, headers["etag"]]);
  assert.equal((await fetchRaw("/", { "if-none-match": '"other"' })).status, 200);
});

test("no other file can be requested", async () => {
  for (const path of [
    "/assets/",
    "/assets/..%2findex.html",
    "/../package.json",
    "/%2e%2e/package.json",
    `${script}.gz`,
    "/index.html",
    "/assets/none.js",
  ]) {
    assert.equal((await fetchRaw(path)).status, 404, path);
  }
});

test("a server without the built files says how they are built", async () => {
  const folder = mkdtempSync(join(tmpdir(), "ipsieve-dashboard-"));
  const app = fastify() as unknown as App;
  followConnections(app);
  answerProblems(app, t.server.services);
  addDashboard(app, readBuiltFiles(folder));
  rmSync(folder, { recursive: true });
  const { statusCode, body } = await app.inject("/");
  assert.deepEqual(
    [statusCode, JSON.parse(body).detail],
    [404, "the dashboard has not been built; run `npm run build` and start the server again"],
  );
});
