import assert from "node:assert/strict";
import { existsSync, mkdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { Readable } from "node:stream";
import { setImmediate as turn, setTimeout as delay } from "node:timers/promises";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";
import { gunzipSync, gzipSync, zstdCompressSync } from "node:zlib";
import type { CatalogueTree } from "../../../src/cbs/catalogue-tree.ts";
import { type CatalogueView, openCatalogueView } from "../../../src/service/datasets/catalogue-view.ts";
import {
  type IdentificationLimits,
  Identifications,
  type NewIdentification,
} from "../../../src/service/logs/identifications.ts";
import { BY_TURNS } from "../../../src/service/logs/log-identification.ts";
import { ServiceError } from "../../../src/service/service-error.ts";
import { parsePrefix } from "../../../src/address/prefix.ts";
import { RuleIndex } from "../../../src/rulesets/index/rule-index.ts";
import type { ChosenRulesets } from "../../../src/service/logs/chosen-rulesets.ts";
import type { LiveRuleset } from "../../../src/service/store/service-memory.ts";
import type { Purpose } from "../../../src/store/state.ts";
import { rangesOf } from "../../../src/cbs/ranges.ts";
import type { BatchLimits } from "../../../src/batch/identify-options.ts";
import { identify } from "../../../src/batch/identify.ts";
import { Matcher } from "../../../src/batch/engine/matcher.ts";
import { UnmatchedSample } from "../../../src/service/logs/unmatched-sample.ts";
import { identifyText } from "../../../src/cbs/identify.ts";
import { onlyLong } from "../../rounds.ts";
import { openNetworks } from "../../../src/datasets/open-networks.ts";
import { ServedNetworks } from "../../../src/service/datasets/served-networks.ts";
import { until } from "../../until.ts";

const CATALOGUE = fileURLToPath(new URL("../../../data/catalogue.ipsieve", import.meta.url));
const NETWORKS = fileURLToPath(new URL("../../../data/networks.ipsieve", import.meta.url));
const QUIET = { info: () => {}, error: () => {} };
const networks = new ServedNetworks({ paths: [NETWORKS], log: QUIET });
after(() => networks.close());

let catalogue: CatalogueView;
let tree: CatalogueTree;
const clock = { now: Date.UTC(2026, 10, 21) };
const open: Identifications[] = [];
before(async () => {
  catalogue = (await openCatalogueView(CATALOGUE, Date.now())).view;
  ({ tree } = await catalogue.browsing());
});
after(() => Promise.all(open.map((each) => each.close())));

function make(limits: Partial<IdentificationLimits> = {}, freeBytes?: () => number): Identifications {
  const made = new Identifications(() => clock.now, limits, freeBytes);
  open.push(made);
  return made;
}

let ids = 0;
function log(body: Readable | Buffer | string, more: Partial<NewIdentification> = {}): NewIdentification {
  return {
    organisationId: "first",
    id: `id-${++ids}`,
    name: "access.log",
    format: "tsv",
    size: null,
    catalogue,
    networks,
    body: body instanceof Readable ? body : Readable.from([Buffer.from(body)]),
    ...more,
  };
}

/** A body that sends `first` and then waits. */
function waitingBody(first: string): { body: Readable; go: (last?: string) => void; lose: (error: Error) => void } {
  const { promise, resolve, reject } = Promise.withResolvers<string | undefined>();
  promise.catch(() => {});
  const body = Readable.from(
    (async function* () {
      yield Buffer.from(first);
      const last = await promise;
      if (last !== undefined) yield Buffer.from(last);
    })(),
  );
  return { body, go: resolve, lose: reject };
}

/** Addresses in the catalogue, addresses outside it, and none: the line, and the address in it. */
function someLines(count: number): { line: string; address: string | null }[] {
  const services = catalogue.catalogue.nodes.filter(({ service }) => service !== null).map(({ id }) => id);
  // Each takes a pass over the whole catalogue.
  const some = services.filter((_, i) => i % Math.ceil(services.length / 40) === 0);
  const nodes = ["/cdn/akamai", "/saas/meta", "/cloud/aws", "/cdn/cloudflare", ...some];
  const known = nodes
    .flatMap((id, i) => rangesOf(tree, id, { family: i % 2 === 0 ? 4 : 6, offset: 0, limit: 1 }).items)
    .map(({ cidr }) => cidr.split("/")[0]!);
  return Array.from({ length: count }, (_, i) => {
    const address = i % 7 === 0 ? null : i % 3 === 0 ? `203.0.113.${i % 256}` : known[(i >> 1) % known.length]!;
    return {
      address,
      line: `${address ?? "nobody"} - - [21/Nov/2026:10:${i % 60}:00 +0000] "GET /${i} HTTP/1.1" 200 ${i}`,
    };
  });
}

/** The expected counts of lines, from one lookup document at a time. */
function expectedCounts(
  lines: readonly { address: string | null }[],
): Record<"types" | "providers" | "services", Record<string, number>> {
  const counts = {
    types: {} as Record<string, number>,
    providers: {} as Record<string, number>,
    services: {} as Record<string, number>,
  };
  const add = (of: Record<string, number>, keys: Iterable<string>): void => {
    for (const key of new Set(keys)) of[key] = (of[key] ?? 0) + 1;
  };
  for (const { address } of lines) {
    if (address === null) continue;
    const { types, matches } = identifyText(catalogue.catalogue, address);
    add(counts.types, types);
    add(
      counts.providers,
      matches.map(({ type, provider }) => `${type} ${provider}`),
    );
    add(
      counts.services,
      matches
        .filter(({ service }) => service !== null)
        .map(({ type, provider, service }) => `${type} ${provider} ${service}`),
    );
  }
  return counts;
}

test("a log, plain, gzipped or as zstd: counts, types, providers, services, and a row for every line", async () => {
  const service = make();
  const lines = someLines(5000);
  const text = `${lines.map(({ line }) => line).join("\n")}\n`;
  const expected = expectedCounts(lines);
  for (const body of [Buffer.from(text), gzipSync(text), zstdCompressSync(text)]) {
    // In chunks, as from a network.
    const pieces = Array.from({ length: Math.ceil(body.length / 3000) }, (_, i) =>
      body.subarray(i * 3000, (i + 1) * 3000),
    );
    const done = await service.run(log(Readable.from(pieces)));
    const told = done.log.summary();
    assert.equal(done.log.state, "done");
    const withAddress = lines.filter(({ address }) => address !== null);
    const matched = withAddress.filter(({ address }) => identifyText(catalogue.catalogue, address!).found).length;
    assert.deepEqual(
      [told.bytes, told.lines, told.matched, told.unmatched, told.no_address],
      [body.length, 5000, matched, withAddress.length - matched, 5000 - withAddress.length],
    );
    assert.deepEqual(Object.fromEntries(told.types.map(({ type, lines: own }) => [type, own])), expected.types);
    assert.deepEqual(
      Object.fromEntries(told.providers.map(({ type, provider, lines: own }) => [`${type} ${provider}`, own])),
      expected.providers,
    );
    assert.deepEqual(
      Object.fromEntries(
        told.services.map(({ type, provider, service: name, lines: own }) => [`${type} ${provider} ${name}`, own]),
      ),
      expected.services,
    );
    assert.ok(told.types.length >= 3 && told.services.length >= 2, JSON.stringify(told.types));
    assert.equal(told.unmatched_sample.length, 100);
    const rows = gunzipSync(readFileSync(done.path)).toString().split("\n");
    assert.equal(rows.length, 5001);
    assert.equal(done.log.resultBytes, statSync(done.path).size);
    for (const [i, { address }] of lines.entries()) assert.equal(rows[i]!.split("\t")[0], address ?? "");
  }
});

/** The keys of lines with how many there are, the most first. */
function ranking(keys: Iterable<string | null>): [string, number][] {
  const counts = new Map<string, number>();
  for (const key of keys) if (key !== null) counts.set(key, (counts.get(key) ?? 0) + 1);
  return [...counts].sort(([keyA, a], [keyB, b]) => b - a || (keyA < keyB ? -1 : 1));
}

test("networks and countries of a log are those of its addresses, one by one; its times those of its lines", async () => {
  const known = await openNetworks(NETWORKS);
  const addresses = [...someLines(3000).map(({ address }) => address), "1.1.1.1", "192.0.2.1", "2001:200::1"];
  const times = addresses.map((_, index) => (index % 11 === 0 ? null : Date.UTC(2026, 10, 1, index % 100)));
  const text = addresses.map((address, index) => {
    const time = times[index]!;
    return `${address ?? "nobody"} ${time === null ? "-" : new Date(time).toISOString()}\n`;
  });
  const { log: done } = await make().run(log(text.join("")));
  const { network_counts: counted, times: found } = done.summary();
  const owners = addresses.map((address) => (address === null ? null : known.lookup(address)));
  assert.deepEqual(
    counted!.networks.map(({ asn, name, lines }) => [`${asn} ${name}`, lines]).slice(0, 20),
    ranking(owners.map((owner) => owner && `${owner.asn} ${owner.name}`)).slice(0, 20),
  );
  assert.deepEqual(
    counted!.countries.map(({ country, lines }) => [country, lines]),
    ranking(owners.map((owner) => owner && owner.country)).slice(0, 50),
  );
  const hours = ranking(times.map((time) => (time === null ? null : String(time)))).sort(
    ([a], [b]) => Number(a) - Number(b),
  );
  assert.deepEqual(
    found!.counts.map(({ from, lines }) => [String(from), lines]),
    hours,
  );
  assert.deepEqual([found!.unit, found!.withoutTime], ["hour", times.filter((time) => time === null).length]);
  assert.equal(
    found!.counts.reduce((sum, { addresses: own }) => sum + own, 0),
    addresses.filter((address, index) => address !== null && times[index] !== null).length,
  );
});

test("a log of months is counted by days; a server without networks counts none", async () => {
  const days = Array.from({ length: 90 }, (_, day) => new Date(Date.UTC(2026, 6, 1 + day, day % 24)).toISOString());
  const missing = new ServedNetworks({ paths: [], log: QUIET });
  const text = days.map((day) => `1.1.1.1 ${day}\n${day} nobody\n`).join("");
  const { log: done } = await make().run(log(text, { networks: missing }));
  const { times, network_counts: counted } = done.summary();
  assert.equal(counted, null);
  assert.equal(times!.unit, "day");
  assert.deepEqual(
    times!.counts,
    days.map((day) => ({ from: Date.parse(day.slice(0, 10)), lines: 2, addresses: 1, matched: 1 })),
  );
});

test("the sample has every unmatched line while there are few, in order, with long ones shortened", async () => {
  const service = make();
  const text = `8.8.8.8 a\r\n203.0.113.1 b\r\nnothing\n${"x".repeat(3000)} 203.0.113.2\n203.0.113.3 last`;
  const { log: done } = await service.run(log(Readable.from([...Buffer.from(text)].map((byte) => Buffer.of(byte)))));
  assert.deepEqual(done.summary().unmatched_sample, [
    { text: "203.0.113.1 b", has_address: true },
    { text: "nothing", has_address: false },
    { text: `${"x".repeat(500)}…`, has_address: true },
    { text: "203.0.113.3 last", has_address: true },
  ]);
});

test("top addresses: those with the most lines, and their services; with too many addresses, with an error bound", async () => {
  const lines = someLines(20_000).map(({ address }, i) =>
    address === null ? null : i % 5 === 0 ? `198.51.${i % 256}.${(i >> 3) % 256}` : address,
  );
  const counts = new Map<string, number>();
  for (const address of lines) if (address !== null) counts.set(address, (counts.get(address) ?? 0) + 1);
  const isMatched = (address: string): boolean => identifyText(catalogue.catalogue, address).found;
  const ranked = [...counts].sort(([, a], [, b]) => b - a);
  const text = lines.map((address) => `${address ?? "nobody"} x\n`).join("");

  const exact = (await make().run(log(text))).log.summary().top_addresses!;
  for (const [kind, wanted] of [
    ["matched", true],
    ["unmatched", false],
  ] as const) {
    const own = ranked.filter(([address]) => isMatched(address) === wanted);
    assert.ok(own.length > 50, `${own.length}`);
    assert.deepEqual(
      exact[kind].map(({ lines: count }) => count),
      own.slice(0, 50).map(([, count]) => count),
    );
    for (const { ip, lines: count, cbs_ids, labels } of exact[kind]) {
      assert.equal(count, counts.get(ip));
      assert.deepEqual(
        [cbs_ids, labels],
        [identifyText(catalogue.catalogue, ip).cbs_ids, identifyText(catalogue.catalogue, ip).labels],
      );
    }
    assert.deepEqual([exact[`${kind}_count`], exact.lines_missing], [own.length, 0]);
  }

  const bounded = (await make({ keptAddresses: 500 }).run(log(text))).log.summary().top_addresses!;
  assert.deepEqual([bounded.matched_count, bounded.unmatched_count, bounded.lines_missing > 0], [null, null, true]);
  for (const { ip, lines: count } of [...bounded.matched, ...bounded.unmatched])
    assert.ok(count <= counts.get(ip)! && counts.get(ip)! <= count + bounded.lines_missing);
  const failed = (await make().run(log(gzipSync(text).subarray(0, 5000)))).log;
  assert.deepEqual([failed.state, failed.summary().top_addresses], ["failed", null]);
});

test("however short the lines are, a turn of the event loop processes only a limited number", async () => {
  const bomb = gzipSync("\n".repeat(1 << 20));
  const countPauses = async (more: Partial<BatchLimits> = {}): Promise<number> => {
    let pauses = 0;
    const pause = (): Promise<void> => (pauses++, BY_TURNS.pause());
    await identify({
      inputs: [Readable.from([bomb])],
      snapshot: catalogue.snapshot,
      format: "none",
      threads: 1,
      ...BY_TURNS,
      limits: { ...BY_TURNS.limits, ...more },
      pause,
    });
    return pauses;
  };
  assert.ok((await countPauses()) >= 128);
  assert.ok((await countPauses({ shardLines: 1 << 30 })) < 16, "the negative control: a limit in bytes alone");
});

test("the sample processes a limited number of lines per step", () => {
  const sample = new UnmatchedSample(new Matcher(catalogue.snapshot), 0);
  const chunk = Buffer.alloc(1 << 18, "\n");
  assert.equal([...sample.add(chunk)].length, chunk.length / 4096);
  assert.equal(sample.lines.length, 100);
});

test("a running identification reports its progress and the types of lines so far", async () => {
  const service = make();
  const { body, go } = waitingBody("8.8.8.8\n203.0.113.1\n".repeat(50));
  const running = service.run(log(body, { id: "running" }));
  const { log: live, endedAt } = service.get("first", "running")!;
  await until("100 lines are identified", () => live.summary().lines === 100);
  assert.deepEqual([live.state, endedAt], ["running", null]);
  const { matched, types } = live.summary();
  assert.deepEqual([matched, types.length > 0, types[0]!.lines], [50, true, 50]);
  go("9.9.9.9\n");
  assert.equal((await running).log.summary().lines, 101);
});

test("bodies that are not text are rejected, and nothing is kept", async () => {
  const service = make();
  const bad: [what: string, body: Buffer, message: RegExp][] = [
    ["an image", Buffer.from("89504e470d0a1a0a0000000d49484452", "hex"), /neither text nor gzip/],
    ["xz", Buffer.from("fd377a585a000004e6d6b446", "hex"), /this is xz.*xz -dc/],
    ["a ZIP archive", Buffer.from("504b030414000000080000", "hex"), /this is zip/],
    ["UTF-16", Buffer.from("\ufeff1.2.3.4\n", "utf16le"), /this is UTF-16/],
  ];
  for (const [what, body, message] of bad) {
    await assert.rejects(
      service.run(log(body, { id: what })),
      (error) => error instanceof ServiceError && error.code === "not-text" && message.test(error.message),
      what,
    );
    assert.equal(service.get("first", what), undefined);
  }
});

test("corrupt and truncated gzip fails with the position", async () => {
  const service = make();
  const text = someLines(50_000)
    .map(({ line }) => `${line}\n`)
    .join("");
  const good = gzipSync(text);
  const corrupt = Buffer.from(good);
  corrupt.fill(0xff, good.length >> 1, (good.length >> 1) + 40);
  for (const [body, message] of [
    [corrupt, /gzip data is corrupt/],
    [good.subarray(0, good.length - 100), /ends too early/],
  ] as const) {
    const { log: failed, path } = await service.run(log(body));
    assert.equal(failed.state, "failed");
    assert.match(failed.error!, message);
    const place = /it stopped after line (\d+), within the first (\d+) bytes of the file/.exec(failed.error!);
    assert.ok(Number(place![1]) > 1000 && Number(place![2]) <= body.length, failed.error!);
    assert.equal(existsSync(path), false);
  }
});

test("results are accessible only to the server's user, whatever the umask, and a removed folder is created again", async () => {
  const umask = process.umask(0);
  try {
    const service = make();
    const { path } = await service.run(log("8.8.8.8\n"));
    assert.equal(statSync(dirname(path)).mode & 0o777, 0o700);
    rmSync(dirname(path), { recursive: true });
    const running = waitingBody("8.8.8.8\n");
    const ended = service.run(log(running.body));
    await turn();
    running.go();
    assert.equal((await ended).log.state, "done");
    assert.equal(statSync(dirname((await ended).path)).mode & 0o777, 0o700);
  } finally {
    process.umask(umask);
  }
});

test("a result that cannot be written: the client learns that, the operator why", async () => {
  const service = make();
  const { path } = await service.run(log("8.8.8.8\n"));
  mkdirSync(join(dirname(path), "2.gz"));
  const { log: failed } = await service.run(log("8.8.8.8\n"));
  assert.deepEqual(
    [failed.state, failed.error],
    [
      "failed",
      "the server cannot write the result at the moment; try again later, or ask the operator to free disk space",
    ],
  );
  assert.match(failed.outputError!.message, /ipsieve-logs-.*2\.gz: this is a folder/);
});

test("limits: running and kept identifications per organisation and in total, time, ids, and the disk", async () => {
  let free = 1e12;
  const service = make({ perOrganisation: 1, inAll: 2, kept: 3, keptFor: 1000 }, () => free);
  const kindOf = (wanted: NewIdentification) =>
    service.run(wanted).then(
      () => "done",
      (error: ServiceError) => error.code,
    );
  const [one, two] = [waitingBody("8.8.8.8\n"), waitingBody("8.8.8.8\n")];
  const first = service.run(log(one.body, { id: "a" }));
  assert.equal(await kindOf(log("x", { id: "a" })), "conflict");
  assert.equal(await kindOf(log("x")), "too-many-requests");
  const second = service.run(log(two.body, { organisationId: "second", id: "a" }));
  assert.equal(await kindOf(log("x", { organisationId: "third" })), "too-many-requests");
  one.go();
  two.go();
  await Promise.all([first, second]);
  free = 1000;
  assert.equal(await kindOf(log("x")), "unavailable");
  free = 1e12;

  const paths = [];
  for (let i = 0; i < 5; i++) paths.push((await service.run(log("8.8.8.8\n", { id: `kept ${i}` }))).path);
  assert.deepEqual(
    service.list("first").map(({ id }) => id),
    ["kept 4", "kept 3", "kept 2"],
  );
  assert.deepEqual(
    paths.map((path) => existsSync(path)),
    [false, false, true, true, true],
  );
  assert.deepEqual(
    service.list("second").map(({ id }) => id),
    ["a"],
  );
  assert.equal(service.get("second", "kept 4"), undefined);
  assert.equal(await service.remove("second", "kept 4"), false);
  clock.now += 1000;
  assert.deepEqual([service.list("first"), paths.some((path) => existsSync(path))], [[], false]);
});

test("between organisations with equally many uploads, only a stalled upload gives way", async () => {
  for (const [slowBytes, isSlow] of [
    [1 << 30, true],
    [1, false],
  ] as const) {
    for (const [perOrganisation, organisationId, to] of [
      [1, "first", "your organisation"],
      [2, "third", "another organisation"],
    ] as const) {
      const service = make({ perOrganisation, inAll: 2, slowBytes, slowAfter: 0 });
      const bodies = [waitingBody("8.8.8.8\n".repeat(100)), waitingBody("8.8.8.8\n")];
      const running = bodies.map(({ body }, i) =>
        service.run(log(body, { organisationId: ["first", "second"][i]!, id: `${i}` })),
      );
      await until("both uploads have begun", () =>
        ["first", "second"].every((id, i) => service.get(id, `${i}`)!.log.summary().bytes > 0),
      );
      const third = await service.run(log("8.8.8.8\n", { organisationId })).then(
        ({ log: { state } }) => state,
        (error: ServiceError) => error.code,
      );
      assert.equal(third, isSlow ? "done" : "too-many-requests");
      for (const { go } of bodies) go();
      const ended = await Promise.all(running);
      const slowest = organisationId === "first" ? 0 : 1;
      assert.deepEqual(
        ended.map(({ log: { state } }) => state),
        ended.map((_, i) => (isSlow && i === slowest ? "failed" : "done")),
      );
      if (isSlow) assert.match(ended[slowest]!.log.error!, new RegExp(`gave way to one of ${to}`));
    }
  }
});

test("the disk fills up, the client disconnects, someone deletes it, the server closes: it ends and leaves no file", async () => {
  let free = 1e12;
  const service = make({}, () => free);
  const cases: [why: RegExp, end: (id: string, lose: (error: Error) => void) => void][] = [
    [/the upload was interrupted/, (_, lose) => lose(new Error("aborted"))],
    [/disk is too full/, () => void (free = 0)],
    [/it was cancelled/, (id) => void service.remove("first", id)],
    [/the server is closing/, () => void service.close()],
  ];
  for (const [index, [why, end]] of cases.entries()) {
    const id = `ended ${index}`;
    const { body, lose } = waitingBody("8.8.8.8\n");
    const running = service.run(log(body, { id }));
    await turn();
    end(id, lose);
    const { log: ended, path } = await running;
    assert.equal(ended.state, "failed");
    assert.match(ended.error!, why);
    assert.equal(existsSync(path) || existsSync(`${path}.partial`), false);
    free = 1e12;
    if (index < cases.length - 1) continue;
    await service.close();
    assert.equal(existsSync(dirname(path)), false);
  }
});

test("memory does not grow with the length of the log", { timeout: 600_000, skip: onlyLong() }, async (t) => {
  const service = make();
  const megabytes = 400;
  const piece = Buffer.from(
    someLines(15_000)
      .map(({ line }) => `${line}\n`)
      .join(""),
  ).subarray(0, 1 << 20);
  const resident: number[] = [];
  let largest = 0;
  const body = Readable.from(
    (async function* () {
      for (let i = 0; i < megabytes; i++) {
        for (let at = 0; at < piece.length; at += 65_536) yield piece.subarray(at, at + 65_536);
        largest = Math.max(largest, process.memoryUsage.rss());
        if (i % 100 === 99) {
          resident.push(largest >> 20);
          largest = 0;
        }
      }
    })(),
    { highWaterMark: 1 },
  );
  const { log: done } = await service.run(log(body));
  assert.equal(done.summary().bytes, megabytes << 20);
  t.diagnostic(
    `${megabytes} MiB, ${done.summary().lines} lines; largest resident size of each 100 MiB, in MiB: ${resident.join(" ")}`,
  );
  assert.ok(resident.at(-1)! < resident[0]! + 150, resident.join(" "));
});

test("the middle of a matching line is not an unmatched line, however long the line is", async () => {
  const pieces = [
    Buffer.from(`1.1.1.1 ${"192.0.2.77 abc ".repeat(6000)}`),
    ...Array.from({ length: 7 }, () => Buffer.from("192.0.2.77 abc ".repeat(4000))),
    Buffer.from("\n1.1.1.1 short\n"),
  ];
  const done = await make().run(log(Readable.from(pieces)));
  assert.deepEqual([done.log.summary().matched, done.log.summary().unmatched_sample], [2, []]);
});

test("if the folder for temporary files is cleared, running identifications end, and the next log gets a new folder", async () => {
  const service = make();
  const { body, go } = waitingBody("8.8.8.8\n");
  const running = service.run(log(body, { id: "cleared" }));
  await turn();
  const folder = dirname(service.get("first", "cleared")!.path);
  rmSync(folder, { recursive: true });
  await delay(1200); // the server checks every second whether the disk is full
  go();
  assert.equal((await running).log.state, "failed");
  const { log: next, path } = await service.run(log("8.8.8.8\n"));
  assert.deepEqual([next.state, existsSync(path)], ["done", true]);
});

/** Chosen rulesets with these prefixes. */
function chosen(lists: Readonly<Record<string, readonly [Purpose, readonly string[]]>>): ChosenRulesets {
  const live = Object.entries(lists).map(([id, [purpose, prefixes]]): LiveRuleset => {
    const rules = new RuleIndex();
    for (const text of prefixes)
      rules.set({ prefix: parsePrefix(text), name: null, expiresAt: null, createdAt: 0, updatedAt: 0 });
    const about = {
      id,
      organisationId: "first",
      name: id,
      purpose,
      description: "",
      guard: "warn" as const,
      guardClasses: null,
      neverBlock: false,
      createdAt: 0,
      updatedAt: 0,
    };
    return { about: { ...about, version: 1, stamp: "00000001" }, rules };
  });
  return {
    rulesets: live.map(({ about }) => about),
    leftOut: 0,
    current: (id) => live.find(({ about }) => about.id === id),
  };
}

test("rulesets and a log with too many addresses: every figure is a minimum, and the number of missing lines is reported", async () => {
  const address = (i: number) => (i % 2 === 0 ? `10.${i % 4}.${i >> 8}.${i & 255}` : `2001:db8:${i % 4}::${i}`);
  const lines = Array.from({ length: 6000 }, (_, i) => address(i % 3 === 0 ? i % 10 : i));
  const rulesets = chosen({
    allow: ["allowlist", ["10.2.0.0/16"]],
    block: ["blocklist", ["2001:db8:1::/48", "10.0.0.0/8"]],
  });
  const truth = { allowed: [], blocked: [], both: [], neither: [] } as Record<string, string[]>;
  for (const line of lines) {
    const isAllowed = line.startsWith("10.2.");
    const isBlocked = line.startsWith("2001:db8:1:") || line.startsWith("10.");
    truth[isAllowed ? (isBlocked ? "both" : "allowed") : isBlocked ? "blocked" : "neither"]!.push(line);
  }
  const body = `${lines.join("\n")}\nno address\n`;
  for (const keptAddresses of [100, 10_000]) {
    const { log: found } = await make({ keptAddresses }).run(log(body, { rulesets }));
    const comparison = found.comparison!;
    const shares = (["allowed", "blocked", "both", "neither"] as const).map(
      (key) => [comparison[key], truth[key]!] as const,
    );
    const isExact = keptAddresses > 6000;
    for (const [share, all] of shares) {
      const exact = { lines: all.length, addresses: new Set(all).size };
      if (isExact) assert.deepEqual(share, exact);
      else assert.ok(share.lines <= exact.lines && share.addresses <= exact.addresses);
    }
    assert.equal(
      shares.reduce((sum, [share]) => sum + share.lines, comparison.linesMissing),
      lines.length,
    );
    assert.equal(comparison.linesMissing === 0, isExact);
    assert.equal(
      comparison.addresses,
      shares.reduce((sum, [share]) => sum + share.addresses, 0),
    );
    assert.ok(comparison.addresses > 0 && (isExact || comparison.addresses <= keptAddresses));
  }
});

test("a log that is deleted during the comparison leaves no result", async () => {
  const service = make();
  const one = chosen({ block: ["blocklist", ["8.8.8.8"]] });
  let removed: Promise<boolean> | undefined;
  const current: ChosenRulesets["current"] = (id) => {
    removed ??= service.remove("first", "ended");
    return one.current(id);
  };
  const done = await service.run(log("8.8.8.8\n", { id: "ended", rulesets: { ...one, current } }));
  assert.deepEqual([done.log.state, done.log.error, done.log.comparison], ["failed", "it was cancelled", null]);
  assert.equal(await removed, true);
  assert.equal(existsSync(done.path), false);
});

test("a constantly changing ruleset is compared as of one moment", async () => {
  const one = chosen({ block: ["blocklist", ["10.0.0.0/8"]] });
  const live = one.current("block")!;
  let version = 1;
  const current = () => ({ ...live, about: { ...live.about, version: ++version } });
  const lines = Array.from({ length: 5000 }, (_, i) => `10.0.${i >> 8}.${i & 255}`);
  const { log: found } = await make().run(log(lines.join("\n"), { rulesets: { ...one, current } }));
  assert.deepEqual(found.comparison!.rulesets[0]!.covered, { lines: 5000, addresses: 5000 });
  assert.deepEqual(found.comparison!.blocked, { lines: 5000, addresses: 5000 });
  assert.ok(version > 3);
});
