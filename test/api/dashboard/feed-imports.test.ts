/**
 * Threat feeds are imported in the dashboard: uploaded to a file, compiled by the command itself in a process of its
 * own, and published as a whole.
 */
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { type ClientRequest, request } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { gzipSync, zstdCompressSync } from "node:zlib";
import type { FeedTarget } from "../../../src/service/datasets/feed-imports.ts";
import { PLAIN_NAME } from "../../../src/api/access/session-cookie.ts";
import type { Settings } from "../../../src/service/settings.ts";
import { addOrganisation, startServer, type TestServer } from "../start-server.ts";
import { mountSmallDisk, whyNoSmallDisk } from "../../store/harness/small-disk.ts";
import { addUser, type TestUser, visit } from "./browser.ts";
import { until } from "../../until.ts";
import { COMMAND_FILE } from "../../command-file.ts";

const SAMPLE = fileURLToPath(new URL("../../../data/cti-sample.ipsieve", import.meta.url));
/** A feed of this many addresses, from this one on. */
const feed = (count: number, first = 0): string =>
  Array.from({ length: count }, (_, i) => `31.0.${(first + i) >> 8}.${(first + i) & 255}\n`).join("");

let home: string;
let servers: TestServer[];
beforeEach(() => {
  home = join(mkdtempSync(join(tmpdir(), "ipsieve-feeds-")), "home");
  servers = [];
});
afterEach(async () => {
  for (const server of servers) await server.close();
  rmSync(join(home, ".."), { recursive: true });
});

const output = () => join(home, "cti.ipsieve");
const leftovers = () => readdirSync(home).filter((name) => name.startsWith("."));
const command = (...wrapped: string[]): FeedTarget["command"] => ({
  program: process.execPath,
  args: [...wrapped, COMMAND_FILE, "cti", "import"],
  environment: process.env,
});

async function start(settings: Partial<Settings> = {}, target: FeedTarget = { command: command(), output: output() }) {
  const t = await startServer(settings, undefined, [output()], undefined, target);
  servers.push(t);
  return t;
}

async function admin(t: TestServer, name: string): Promise<TestUser> {
  return addUser(t, await addOrganisation(t, name), "admin");
}

const state = async (t: TestServer, { token }: TestUser) => (await visit(t, "GET", "/threats/import", { token })).body;
const importFeed = (t: TestServer, { token }: TestUser, body: unknown, query = "", type = "application/octet-stream") =>
  visit(t, "POST", `/threats/import?${query}`, { token, body, headers: { "Content-Type": type } });
const seen = async (t: TestServer, { token }: TestUser, ip: string) =>
  (await visit(t, "GET", `/cti/lookup/${ip}`, { token })).body.seen;

/** An upload in progress. */
function slowImport(t: TestServer, { token }: TestUser): { sent: ClientRequest; answered: Promise<any> } {
  const { promise, resolve, reject } = Promise.withResolvers<any>();
  const headers = { Cookie: `${PLAIN_NAME}=${token}`, Origin: t.server.url, "Content-Type": "text/plain" };
  const sent = request(`${t.server.url}/dashboard/api/threats/import?name=slow`, { method: "POST", headers }, (got) => {
    let text = "";
    got.setEncoding("utf8").on("data", (chunk: string) => (text += chunk));
    got.on("end", () => resolve({ status: got.statusCode, body: JSON.parse(text) }));
  });
  sent.on("error", reject);
  promise.catch(() => {});
  return { sent, answered: promise };
}

test("a feed is imported, in use at once and after a restart, reported, and audited", async () => {
  const t = await start();
  const ann = await admin(t, "only");
  assert.deepEqual(await state(t, ann), { can_import: true, reason: null, max_bytes: 256 << 20, last: null });
  assert.deepEqual((await visit(t, "GET", "/threats", { token: ann.token })).body, { dataset: null });
  assert.equal((await visit(t, "GET", "/cti/lookup/31.0.0.1", { token: ann.token })).status, 503);
  const body = `# a list\n${feed(30)}nobody\n31.0.9.0/24\n`;
  const query = "name=list.txt&tags=a,%20b&classification=malicious";
  const whole = await importFeed(t, ann, body, query);
  assert.equal(whole.status, 400);
  assert.match(
    whole.body.validation_errors.body[0],
    /^line 32, column 1: "nobody": .*\. Correct the feed, or leave such lines out with skip_invalid=true$/,
  );
  assert.deepEqual((await state(t, ann)).last.result.skipped, 1);
  assert.deepEqual(leftovers(), []);
  const { status, body: done } = await importFeed(t, ann, body, `${query}&skip_invalid=true`);
  assert.equal(status, 200, JSON.stringify(done));
  const sha256 = createHash("sha256").update(body).digest("hex");
  const { last } = done;
  assert.deepEqual(
    [last.name, last.state, last.phase, last.started_by, last.size, last.received, last.sha256, last.error],
    ["list.txt", "done", "compiling", ann.name, body.length, body.length, sha256, null],
  );
  assert.deepEqual(last.result, {
    lines: 33,
    entries: 31,
    skipped: 1,
    skipped_lines: [{ line: 32, column: 1, message: last.result.skipped_lines[0].message }],
    warnings: [],
  });
  assert.match(last.result.skipped_lines[0].message, /^"nobody": /);
  assert.deepEqual(
    [last.dataset.ipv4_prefixes, last.dataset.ipv6_prefixes, last.dataset.documents, last.changes],
    [31, 0, 1, null],
  );
  assert.deepEqual(await state(t, ann), done, "also for who asks later");
  const { body: known } = await visit(t, "GET", "/cti/lookup/31.0.0.29", { token: ann.token });
  assert.deepEqual([known.seen, known.classification, known.tags], [true, "malicious", ["a", "b"]]);
  assert.deepEqual([statSync(output()).isFile(), leftovers()], [true, []]);

  for (const [packed, count] of [
    [gzipSync(feed(40)), 40],
    [zstdCompressSync(feed(50)), 50],
  ] as const) {
    const next = await importFeed(t, ann, packed, "name=packed");
    assert.deepEqual([next.status, next.body.last.dataset.ipv4_prefixes], [200, count]);
  }
  t.clock.now = Date.now() + 9 * 86_400_000;
  const { dataset } = (await visit(t, "GET", "/threats", { token: ann.token })).body;
  assert.deepEqual(
    [dataset.title, dataset.is_old, dataset.ipv4_prefixes, dataset.sources],
    ["packed", true, 50, [{ name: "packed", entries: 50 }]],
  );
  const { items } = (await visit(t, "GET", "/audit?limit=3&kind=import-feed", { token: ann.token })).body;
  assert.deepEqual(
    items.map(({ actor, summary, counts, sha256: digest, old, new: now }: any) => [
      actor.name,
      summary,
      counts,
      digest?.length,
      old?.prefixes,
      now.prefixes,
      now.added,
      now.removed,
      now.skipped,
    ]),
    [
      [ann.name, 'imported the threat feed "packed": 50 prefixes', null, 64, 40, 50, 10, 0, 0],
      [ann.name, 'imported the threat feed "packed": 40 prefixes', null, 64, 31, 40, 10, 1, 0],
      [
        ann.name,
        'imported the threat feed "list.txt": 31 prefixes, 1 line skipped',
        null,
        64,
        undefined,
        31,
        undefined,
        undefined,
        1,
      ],
    ],
  );
  assert.equal(items[2].sha256, sha256);
  await t.restart();
  assert.equal(await seen(t, ann, "31.0.0.49"), true);
});

test("a feed that cannot be imported leaves the dataset unchanged, and the response names the line", async () => {
  const t = await start({ feedBytes: 5000 });
  const ann = await admin(t, "only");
  await importFeed(t, ann, feed(30));
  const before = readFileSync(output());
  // Not the number of loads: the watcher of the file may load it once more.
  const { createdAt } = t.server.services.data.threats.times;
  const half = gzipSync(feed(200)).subarray(0, 100);
  const refused: readonly [string, unknown, string, string, number, RegExp][] = [
    ["a type of its own", feed(1), "", "image/png", 415, /Content-Type/],
    ["JSON", { ips: [] }, "", "application/json", 415, /Content-Type/],
    ["nothing", Buffer.alloc(0), "", "text/plain", 400, /is empty|is missing/],
    ["only comments", "# a\n", "", "text/plain", 400, /^body: line 1: the feed contains no entries/],
    ["a web page", "\n<html>\n", "", "text/plain", 400, /^body: line 2: this is a web page/],
    ["a picture", Buffer.from("\x89PNG\r\n\x1a\n\0\0", "latin1"), "", "text/plain", 400, /^body: /],
    ["a truncated gzip file", half, "", "application/gzip", 400, /^body: line \d+: the compressed data ends too early/],
    ["a zip file", Buffer.from("PK\x03\x04aaaaaaaa"), "", "text/plain", 400, /^body: line 1: .*zip/i],
    ["no line that can be read", "a\nb\n", "format=list", "text/plain", 400, /^body: no feed holds an entry/],
    ["an unknown format", feed(1), "format=xml", "text/plain", 400, /^format: /],
    ["a name of two lines", feed(1), "name=a%0Ab", "text/plain", 400, /^name: /],
    ["more than is taken", feed(500), "", "text/plain", 413, /larger than the 5000 bytes/],
    ["a bomb", gzipSync(Buffer.alloc(1 << 20, "1")), "", "application/gzip", 413, /more than 5,000 bytes, unpacked/],
  ];
  for (const [what, body, query, type, status, detail] of refused) {
    const answer = await importFeed(t, ann, body, query, type);
    assert.deepEqual([answer.status, what], [status, what], answer.text);
    assert.match(answer.body.detail, detail, what);
    assert.deepEqual([readFileSync(output()).equals(before), leftovers()], [true, []], what);
  }
  assert.equal(await seen(t, ann, "31.0.0.1"), true);
  const { last } = await state(t, ann);
  assert.deepEqual([last.state, last.dataset], ["failed", null]);
  assert.match(last.error, /more than 5,000 bytes/);
  assert.equal(t.server.services.data.threats.times.createdAt, createdAt);
});

test("a feed that would remove most of the dataset is rejected with the numbers, unless that is allowed", async () => {
  const t = await start();
  const ann = await admin(t, "only");
  await importFeed(t, ann, feed(100));
  const { status, body } = await importFeed(t, ann, feed(20, 90));
  assert.deepEqual([status, body.type], [409, "/problems/dataset-shrinks"]);
  const { total_prefixes, added, removed, kept, removed_percent, max_shrink } = body;
  assert.deepEqual([total_prefixes, added, removed, kept, removed_percent, max_shrink], [100, 10, 90, 10, 90, 50]);
  const { last } = await state(t, ann);
  assert.deepEqual([last.state, last.refused_percent, last.changes.removed], ["failed", 90, 90]);
  assert.equal(await seen(t, ann, "31.0.0.1"), true);
  assert.equal((await importFeed(t, ann, feed(20, 90), "max_shrink=89")).status, 409);
  assert.equal((await importFeed(t, ann, feed(20, 90), "max_shrink=90")).status, 200);
  assert.deepEqual([await seen(t, ann, "31.0.0.1"), await seen(t, ann, "31.0.0.109")], [false, true]);
});

test("one at a time; a slow client can be cancelled, and one that disconnects is forgotten", async () => {
  const t = await start();
  const ann = await admin(t, "only");
  const slow = slowImport(t, ann);
  for (const byte of "31.0.") {
    slow.sent.write(byte);
    await sleep(5);
  }
  await until("five bytes have arrived", async () => (await state(t, ann)).last?.received === 5);
  const [name] = leftovers();
  assert.match(name!, /^\.feed\./);
  assert.equal(statSync(join(home, name!)).mode & 0o777, 0o600);
  const second = await importFeed(t, ann, feed(1));
  assert.deepEqual([second.status, second.body.type], [409, "/problems/conflict"]);
  assert.equal((await visit(t, "DELETE", "/threats/import", { token: ann.token })).status, 204);
  const { status, body } = await slow.answered;
  assert.deepEqual([status, body.type], [409, "/problems/conflict"]);
  assert.match(body.detail, /was cancelled/);
  slow.sent.destroy();
  assert.deepEqual([leftovers(), (await state(t, ann)).last.state], [[], "failed"]);
  assert.equal((await visit(t, "DELETE", "/threats/import", { token: ann.token })).status, 409);

  const gone = slowImport(t, ann);
  gone.sent.write(feed(3));
  await until("more bytes have arrived", async () => (await state(t, ann)).last.received > 5);
  gone.sent.destroy();
  await until("the import has failed", async () => (await state(t, ann)).last.state === "failed");
  assert.match((await state(t, ann)).last.error, /connection was closed/);
  assert.deepEqual(leftovers(), []);
  assert.equal((await importFeed(t, ann, feed(1))).status, 200, "the next one works");
});

test("uploads of feeds take slots among those of logs, and give them back", async () => {
  const t = await start();
  const ann = await admin(t, "only");
  const { slots } = t.server.services.logs.identifications;
  const { ClientSpeed } = await import("../../../src/service/access/client-speed.ts");
  const one = { organisationId: ann.organisationId, speed: new ClientSpeed(), end: new AbortController() };
  const leave = slots.take({ ...one });
  slots.take({ ...one });
  const { status, body } = await importFeed(t, ann, feed(1));
  assert.deepEqual([status, body.type], [429, "/problems/rate-limit-exceeded"]);
  leave();
  for (let i = 0; i < 3; i++) assert.equal((await importFeed(t, ann, feed(1))).status, 200);
});

test("permission: admins of the organisation that the setting names; others learn nothing", async () => {
  const t = await start({ datasetOrganisation: "two" });
  const [other, own] = [await admin(t, "one"), await admin(t, "two")];
  const editor = await addUser(t, own.organisationId, "editor");
  assert.equal((await importFeed(t, own, feed(1), "name=secret")).status, 200);
  const { can_import, reason, last } = await state(t, other);
  assert.deepEqual([can_import, last], [false, null]);
  assert.match(reason, /^the threat intelligence is shared .* only admins of the one that --dataset-organisation/);
  for (const [method, user, status] of [
    ["POST", other, 403],
    ["DELETE", other, 403],
    ["POST", editor, 403],
    ["GET", editor, 403],
  ] as const) {
    const answer = await visit(t, method, "/threats/import", {
      token: user.token,
      ...(method === "POST" ? { body: feed(1), headers: { "Content-Type": "text/plain" } } : {}),
    });
    assert.deepEqual([answer.status, answer.body.type], [status, "/problems/permission-denied"]);
  }
  assert.ok(!JSON.stringify((await visit(t, "GET", "/audit", { token: other.token })).body).includes("secret"));
});

test("a server with a dataset of its own says why no feed can be imported here", async () => {
  const t = await startServer({}, undefined, SAMPLE);
  servers.push(t);
  const ann = await admin(t, "only");
  const { can_import, reason } = await state(t, ann);
  assert.deepEqual([can_import, /--cti/.test(reason)], [false, true]);
  const { status, body } = await importFeed(t, ann, feed(1));
  assert.deepEqual([status, body.type], [409, "/problems/conflict"]);
});

test("a disk with too little space gets 503, and nothing is written", { skip: whyNoSmallDisk }, async () => {
  using disk = mountSmallDisk(4 << 20);
  const t = await start({}, { command: command(), output: join(disk.path, "cti.ipsieve") });
  const ann = await admin(t, "only");
  const { status, body } = await importFeed(t, ann, feed(1));
  assert.deepEqual([status, body.type], [503, "/problems/service-unavailable"]);
  assert.match(body.detail, /disk is too full/);
  assert.ok(!readdirSync(disk.path).some((name) => name.includes("feed") || name.includes("cti")));
});

/** Runs before the command, and keeps it from starting. */
const WAIT = "data:text/javascript,setTimeout(()=>{},1e6);await new Promise(()=>{})";

for (const [how, end, code] of [
  ["cancelled", (t: TestServer, ann: TestUser) => visit(t, "DELETE", "/threats/import", { token: ann.token }), 409],
  ["ended with the server", (t: TestServer) => t.close(), 503],
] as const) {
  test(`a compilation that is ${how} leaves neither a process nor a file`, async () => {
    mkdirSync(home);
    const pidFile = join(home, "pid");
    const preload = `data:text/javascript,import{writeFileSync}from"node:fs";writeFileSync(${encodeURIComponent(JSON.stringify(pidFile))},String(process.pid))`;
    // The server waits this long for the import before it ends it.
    const t = await start(
      { shutdownTimeout: 1 },
      { command: command("--import", preload, "--import", WAIT), output: output() },
    );
    const ann = await admin(t, "only");
    const answer = importFeed(t, ann, feed(1));
    await until("the compile has written its id", () => existsSync(pidFile) && readFileSync(pidFile, "utf8") !== "");
    const pid = Number(readFileSync(pidFile, "utf8"));
    writeFileSync(join(home, `.cti.ipsieve.${pid}.aaaaaaaaaaaa.tmp`), "half");
    await end(t, ann);
    assert.equal((await answer).status, code);
    assert.throws(() => process.kill(pid, 0), /ESRCH/);
    assert.deepEqual([leftovers(), existsSync(output())], [[], false]);
  });
}

test("a starting server removes the files of a crashed one, and no other file", async () => {
  mkdirSync(home);
  const host = (await import("node:os"))
    .hostname()
    .toLowerCase()
    .replaceAll(/[^0-9a-z-]/g, "-");
  const dead = `.feed.${host}.4194999.0123456789ab.tmp`;
  const alive = `.feed.${host}.${process.ppid}.0123456789ab.tmp`;
  const elsewhere = ".feed.another-machine.1.0123456789ab.tmp";
  for (const name of [dead, alive, elsewhere]) writeFileSync(join(home, name), "31.0.0.1\n");
  await start();
  assert.deepEqual(leftovers().toSorted(), [alive, elsewhere].toSorted());
});
