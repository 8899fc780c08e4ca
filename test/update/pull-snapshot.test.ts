import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, afterEach, before, beforeEach, test } from "node:test";
import { fileURLToPath } from "node:url";
import { parsePrefix } from "../../src/address/prefix.ts";
import { CATALOGUE_KIND } from "../../src/cbs/catalogue.ts";
import { CatalogueBuilder } from "../../src/cbs/catalogue-builder.ts";
import { verifySnapshot } from "../../src/snapshot/verify-snapshot.ts";
import { writeSnapshot } from "../../src/snapshot/write-snapshot.ts";
import { type DownloadLimits, Downloader } from "../../src/update/download.ts";
import { type PullOptions, type PullReport, pullSnapshot } from "../../src/update/pull-snapshot.ts";
import { until } from "../until.ts";

const THREATS = readFileSync(fileURLToPath(new URL("../../data/cti-sample.ipsieve", import.meta.url)));

/** How the server handles a request. */
type Handler = (request: IncomingMessage, response: ServerResponse) => void;

let server: Server;
let url = "";
let handler: Handler;
let requests: IncomingMessage["headers"][] = [];
let folder = "";
let path = "";
let [first, second]: readonly Buffer[] = [];

before(async () => {
  server = createServer((request, response) => {
    requests.push(request.headers);
    handler(request, response);
  }).listen(0, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/catalogue.ipsieve`;
  const made = mkdtempSync(join(tmpdir(), "ipsieve-pull-made-"));
  [first, second] = [await catalogue(join(made, "1"), 300), await catalogue(join(made, "2"), 301)];
  rmSync(made, { recursive: true });
});
after(() => {
  server.closeAllConnections();
  server.close();
});
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "ipsieve-pull-"));
  path = join(folder, "catalogue.ipsieve");
  requests = [];
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

async function catalogue(file: string, prefixes: number): Promise<Buffer> {
  const builder = new CatalogueBuilder();
  for (let i = 0; i < prefixes; i++) builder.add(parsePrefix(`20.${i >> 8}.${i & 255}.0/24`), `label-${i}`);
  const createdAt = new Date(Date.UTC(2026, 10, 24));
  await writeSnapshot(file, {
    ...builder.finish({ title: "test", createdAt, sources: [] }),
    kind: CATALOGUE_KIND,
    createdAt,
  });
  return readFileSync(file);
}

interface Served {
  readonly etag?: string | null;
  readonly digest?: string | null;
  /** Bytes after which the connection is cut. */
  readonly cutAfter?: number;
}

function digestOf(bytes: Uint8Array): string {
  return `sha-256=:${createHash("sha256").update(bytes).digest("base64")}:`;
}

/** Responds like a server that supports ranges and tags; without a tag if that is null. */
function serving(
  bytes: Buffer,
  { etag = `"${digestOf(bytes).slice(9, 20)}"`, digest, cutAfter }: Served = {},
): Handler {
  const shown = digest === undefined ? digestOf(bytes) : digest;
  return ({ headers }, response) => {
    if (etag !== null) response.setHeader("etag", etag);
    if (shown !== null) response.setHeader("repr-digest", shown);
    if (etag !== null && headers["if-none-match"] === etag) return void response.writeHead(304).end();
    const start = headers["if-range"] === etag ? Number(/^bytes=(\d+)-$/.exec(headers.range ?? "")?.[1] ?? 0) : 0;
    const rest = bytes.subarray(start);
    response.setHeader("content-length", rest.length);
    if (start > 0) response.writeHead(206, { "content-range": `bytes ${start}-${bytes.length - 1}/${bytes.length}` });
    if (cutAfter === undefined || cutAfter >= rest.length) return void response.end(rest);
    response.write(rest.subarray(0, cutAfter));
    // Bytes that were sent a moment before the connection is cut may be lost on the way.
    void arrived(start + cutAfter).then(() => response.destroy());
  };
}

function arrived(bytes: number): Promise<void> {
  const part = join(folder, ".catalogue.ipsieve.part");
  return until(`${bytes} bytes have arrived`, () => existsSync(part) && statSync(part).size >= bytes);
}

async function pull(options: Partial<PullOptions> = {}, limits: Partial<DownloadLimits> = {}): Promise<PullReport> {
  const downloader = await Downloader.create({
    allow: [parsePrefix("127.0.0.0/8")],
    userAgent: "test",
    limits: { attempts: 1, pause: 1, ...limits },
  });
  try {
    return await pullSnapshot({ url, path, downloader, check: verifySnapshot, ...options });
  } finally {
    await downloader.close();
  }
}

/** The files left in the folder in addition to the snapshot. */
function hidden(): string[] {
  return readdirSync(folder).filter((name) => name.startsWith("."));
}

test("a snapshot is pulled once, and again when it has changed", async () => {
  handler = serving(first!);
  const report = await pull();
  assert.deepEqual(
    [report.outcome, report.kind, report.bytes, report.resumedFrom, report.hasDigest],
    ["pulled", "catalogue", first!.length, 0, true],
  );
  assert.ok(readFileSync(path).equals(first!));
  assert.deepEqual(hidden(), [".catalogue.ipsieve.pull.json"]);
  assert.equal((await pull()).outcome, "unchanged");
  handler = serving(second!);
  assert.equal((await pull()).outcome, "pulled");
  assert.ok(readFileSync(path).equals(second!));
});

test("a file that was replaced or removed since is pulled again, without a condition", async () => {
  handler = serving(first!);
  await pull();
  writeFileSync(path, second!);
  assert.equal((await pull()).outcome, "pulled");
  rmSync(path);
  assert.equal((await pull()).outcome, "pulled");
  assert.ok(readFileSync(path).equals(first!));
});

test("an interrupted pull continues where it ended, in the same run and in a later one", async () => {
  const half = first!.length >> 1;
  writeFileSync(path, second!);
  handler = serving(first!, { cutAfter: half });
  await assert.rejects(pull(), { name: "UpdateError", code: "unreachable" });
  assert.ok(readFileSync(path).equals(second!), "the old file stays");
  assert.equal(statSync(join(folder, ".catalogue.ipsieve.part")).mode & 0o777, 0o600, "only its user reads it");
  assert.ok(readFileSync(join(folder, ".catalogue.ipsieve.part")).equals(first!.subarray(0, half)));
  handler = serving(first!);
  const report = await pull();
  assert.deepEqual([report.outcome, report.resumedFrom], ["pulled", half]);
  assert.equal(requests.at(-1)!.range, `bytes=${half}-`);
  assert.ok(readFileSync(path).equals(first!));
  rmSync(path);
  const quarter = (first!.length >> 2) + 1;
  handler = serving(first!, { cutAfter: quarter });
  await pull({}, { attempts: 6 });
  assert.deepEqual(
    requests.slice(-4).map(({ range }) => range),
    [undefined, `bytes=${quarter}-`, `bytes=${2 * quarter}-`, `bytes=${3 * quarter}-`],
  );
  assert.ok(readFileSync(path).equals(first!));
});

test("a file that changes between two parts is pulled as a whole", async () => {
  handler = serving(first!, { cutAfter: 5000 });
  await assert.rejects(pull(), { name: "UpdateError", code: "unreachable" });
  handler = serving(second!);
  const report = await pull();
  assert.deepEqual([report.outcome, report.resumedFrom], ["pulled", 0]);
  assert.ok(readFileSync(path).equals(second!));
});

test("parts of two files with one tag are detected, with a digest and without, and pulled again", async () => {
  for (const digest of [undefined, null]) {
    rmSync(path, { force: true });
    handler = serving(first!, { etag: '"same"', cutAfter: 5000, ...(digest === null && { digest }) });
    await assert.rejects(pull(), { name: "UpdateError", code: "unreachable" });
    // As long as the first one, but different.
    const other = Buffer.from(first!);
    second!.copy(other, 0, 0, Math.min(first!.length, second!.length));
    handler = (request, response) =>
      serving(request.headers.range === undefined ? first! : other, {
        etag: '"same"',
        ...(digest === null && { digest }),
      })(request, response);
    assert.equal((await pull()).outcome, "pulled");
    assert.ok(readFileSync(path).equals(first!));
  }
});

test("another part than the requested one, and 416, start over", async () => {
  for (const status of [206, 416]) {
    rmSync(path, { force: true });
    handler = serving(first!, { cutAfter: 5000 });
    await assert.rejects(pull(), { name: "UpdateError", code: "unreachable" });
    handler = (request, response) => {
      if (request.headers.range === undefined) return serving(first!)(request, response);
      response.writeHead(status, { "content-range": `bytes 7-8/${first!.length}` }).end("xy");
    };
    assert.equal((await pull({}, { attempts: 2 })).outcome, "pulled");
    assert.ok(readFileSync(path).equals(first!));
  }
});

test("unusable snapshots are rejected, and the old file stays", async () => {
  const flipped = Buffer.from(first!);
  flipped[flipped.length >> 1]! ^= 1;
  const page = Buffer.from("<!doctype html><title>Sign in</title>");
  const cases: readonly (readonly [what: string, handler: Handler, code: string, message: RegExp])[] = [
    ["a wrong digest", serving(first!, { digest: digestOf(second!) }), "damaged", /SHA-256/],
    ["a flipped bit", serving(flipped, { digest: null }), "damaged", /checksum/],
    ["a truncated file", serving(first!.subarray(0, -9)), "damaged", /header says/],
    ["a page", serving(page), "damaged", /not a snapshot/],
    ["another kind", serving(THREATS), "wrong-kind", /"cti", not "catalogue", which .* is/],
    ...[401, 403, 404, 410].map(
      (status) =>
        [
          String(status),
          (_, response) => void response.writeHead(status).end("no"),
          "status",
          /status 4\d\d: /,
        ] as const satisfies readonly [string, Handler, string, RegExp],
    ),
    [
      "10 GB",
      (_, response) => void response.writeHead(200, { "content-length": 1e10 }).write("x"),
      "too-large",
      /4294967296/,
    ],
    [
      "a coding",
      (_, response) => void response.writeHead(200, { "content-encoding": "gzip" }).end("x"),
      "encoding",
      /gzip/,
    ],
  ];
  for (const [what, handle, code, message] of cases) {
    writeFileSync(path, second!);
    handler = handle;
    await assert.rejects(pull(), { name: "UpdateError", code, message }, what);
    assert.ok(readFileSync(path).equals(second!), what);
    assert.equal(existsSync(join(folder, ".catalogue.ipsieve.part")), false, what);
  }
});

test("a server that stops in the middle is given up", async () => {
  handler = (_, response) => {
    response.writeHead(200, { etag: '"x"', "content-length": first!.length });
    response.write(first!.subarray(0, 1000));
  };
  await assert.rejects(pull({}, { idleTime: 300 }), { code: "timeout" });
  assert.equal(existsSync(path), false);
});

test("the kind may be required of the first file", async () => {
  handler = serving(THREATS);
  await assert.rejects(pull({ kind: "catalogue" }), { code: "wrong-kind" });
  assert.equal((await pull({ kind: "cti" })).kind, "cti");
});

test("the key is not sent to where the server redirects", async () => {
  handler = (request, response) => {
    if (request.url === "/moved") return serving(first!)(request, response);
    response.writeHead(302, { location: "/moved" }).end();
  };
  await pull({ credentials: { "x-api-key": "secret" } });
  assert.deepEqual(
    requests.map((headers) => headers["x-api-key"]),
    ["secret", undefined],
  );
});

test("two pulls to one path: the second is rejected and names the first", async () => {
  let sent: ServerResponse | undefined;
  const asked = new Promise<void>((resolve) => {
    handler = (_, response) => {
      sent = response;
      resolve();
    };
  });
  const one = pull();
  await asked;
  await assert.rejects(pull(), { code: "locked", message: /another pull/ });
  serving(first!)({ headers: {} } as IncomingMessage, sent!);
  assert.equal((await one).outcome, "pulled");
});

test("unreadable state beside the file is ignored", async () => {
  handler = serving(first!);
  for (const text of ["", "{}", "null", '{"url":1}', JSON.stringify({ url, etag: '"x"', length: "9", digest: 1 })]) {
    writeFileSync(join(folder, ".catalogue.ipsieve.pull.json"), text);
    writeFileSync(join(folder, ".catalogue.ipsieve.part"), "rest of something");
    rmSync(path, { force: true });
    assert.equal((await pull()).outcome, "pulled", text);
    assert.ok(readFileSync(path).equals(first!), text);
  }
});
