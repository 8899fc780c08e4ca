import assert from "node:assert/strict";
import { execFile, execFileSync, spawnSync } from "node:child_process";
import {
  chmodSync,
  closeSync,
  constants,
  existsSync,
  mkdirSync,
  openSync,
  readFileSync,
  readSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { open } from "node:fs/promises";
import { join } from "node:path";
import { PassThrough, Readable, Writable } from "node:stream";
import { setTimeout as delay } from "node:timers/promises";
import { test } from "node:test";
import { promisify } from "node:util";
import { gunzipSync, gzipSync, zstdDecompressSync } from "node:zlib";
import fc from "fast-check";
import { ShardRunner } from "../../src/batch/pipeline/_shard-runner.ts";
import { BatchError, type BatchErrorCode } from "../../src/batch/batch-error.ts";
import { identify } from "../../src/batch/identify.ts";
import type { IdentifyOptions } from "../../src/batch/identify-options.ts";
import type { Progress } from "../../src/batch/identify-result.ts";
import { TEXT_LINES } from "../../src/batch/lines/line-shape.ts";
import type { ShardResult } from "../../src/batch/engine/messages.ts";
import { LOG_LINES } from "../cases/log-lines.ts";
import { checkCase, cases, type Case, SOURCES } from "./differential.ts";
import { ENGINE, expectedRows, makeSnapshot, RENDERER, temporaryFolder } from "./fixture.ts";
import { rounds, sampled } from "../rounds.ts";
import { until } from "../until.ts";

const SEED = 20240131;
const WORK = {
  address: "first",
  appendAs: "ids",
  rowText: false,
  countedAddresses: 0,
  moreAddresses: "fail",
  shardLines: 1000,
  timeUnit: 0,
  latest: 0,
  now: 0,
  active: null,
  label: "test",
  further: [],
  hasBeside: false,
  columns: null,
  within: null,
  only: -1,
} as const;
const folder = temporaryFolder();
const snapshot = await makeSnapshot(folder);
const target = join(folder, "out");
const TEXT = LOG_LINES.map(({ line }) => line).join("\n");

function fileOf(name: string, content: string | Buffer): string {
  const path = join(folder, name);
  writeFileSync(path, content, "latin1");
  return path;
}

function run(options: Partial<IdentifyOptions> & Pick<IdentifyOptions, "inputs">): ReturnType<typeof identify> {
  return identify({
    snapshot,
    engine: ENGINE,
    format: "tsv",
    renderer: RENDERER,
    threads: 1,
    output: { path: target },
    ...options,
  });
}

async function collect(options: Partial<IdentifyOptions> & Pick<IdentifyOptions, "inputs">): Promise<string> {
  await run(options);
  return readFileSync(target, "latin1");
}

/** Asserts that it fails with the code, leaves the output as it was, and leaves no .partial. */
async function fails(
  code: BatchErrorCode,
  options: Partial<IdentifyOptions> & Pick<IdentifyOptions, "inputs">,
): Promise<BatchError> {
  writeFileSync(target, "before");
  const error = await run(options).then(
    () => assert.fail(`expected ${code}`),
    (reason: unknown) => reason,
  );
  assert.ok(error instanceof BatchError, String(error));
  assert.equal(error.code, code, error.message);
  assert.equal(readFileSync(target, "latin1"), "before");
  assert.ok(!existsSync(`${target}.partial`));
  return error;
}

test("random texts yield the rows of the oracles, with any sizes of shards", async (t) => {
  const counts: Record<string, number> = {};
  for (const one of fc.sample(cases, { seed: SEED, numRuns: rounds({ short: 40, long: 1200 }) })) {
    await checkCase(snapshot, folder, one);
    counts[one.source] = (counts[one.source] ?? 0) + 1;
  }
  t.diagnostic(`seed ${SEED}: ${JSON.stringify(counts)}`);
});

test("one, two and three threads write the same bytes", async () => {
  const text = `${TEXT}\r\n\n`.repeat(rounds({ short: 2, long: 20 })) + TEXT;
  for (const threads of [1, 2, 3]) {
    for (const source of sampled(SOURCES, 3, threads)) {
      for (const [format, shardBytes] of [
        ["append", 90],
        ["jsonl", 3000],
      ] as const) {
        const one: Case = {
          text,
          source,
          engine: ENGINE,
          format,
          rows: "all",
          threads,
          limits: { shardBytes, rowBytes: 700, workerBytes: 1 },
          pieceBytes: 511,
        };
        await checkCase(snapshot, folder, one);
      }
    }
  }
});

test("workers and the main thread both take shards", async () => {
  // The input continues until rows of two threads have been seen (and for a bounded time).
  const seen = new Set<string>();
  const deadline = Date.now() + 20_000;
  async function* endless(): AsyncGenerator<Buffer> {
    while (seen.size < 2 && Date.now() < deadline) {
      yield Buffer.from("1.2.3.4\n".repeat(500));
      await delay(0);
    }
  }
  const output = new Writable({
    write(chunk: Buffer, _encoding, done) {
      for (const row of chunk.toString().trimEnd().split("\n")) seen.add(row);
      done();
    },
  });
  const renderer = new URL("./thread-renderer.ts", import.meta.url).href;
  await run({
    inputs: [Readable.from(endless())],
    threads: 2,
    renderer,
    output,
    limits: { shardBytes: 1000, workerBytes: 1 },
  });
  assert.deepEqual([...seen].sort(), ["thread 0", "thread 1"]);
});

test("pathological texts: as many rows as lines", async () => {
  const nasty: Record<string, string> = {
    empty: "",
    "only an LF": "\n",
    "only a CR": "\r",
    "only CR LF": "\r\n",
    NUL: "\0\0\n\0 1.2.3.4\0\n",
    "no last LF": "1.2.3.4",
    "byte order mark": "\xef\xbb\xbf1.2.3.4\n",
    "bad UTF-8": "\xc3\x28 1.2.3.4 \xa0\xa1\n\xf0\x28",
    "a CR inside": "1.2.3.4\rx\n5.6.7.8\r",
    "blank lines": "\n\n\n",
    "all bytes": Buffer.from(Array.from({ length: 256 }, (_, byte) => byte)).toString("latin1"),
  };
  for (const [name, text] of Object.entries(nasty)) {
    for (const format of ["tsv", "append"] as const) {
      for (const limits of [{}, { shardBytes: 1, rowBytes: 1 }]) {
        assert.equal(
          await collect({ inputs: [fileOf("nasty", text)], format, limits }),
          expectedRows(text, format),
          name,
        );
      }
    }
  }
  const all = Object.values(nasty).map((text, index) => fileOf(`nasty-${index}`, text));
  const expected = Object.values(nasty)
    .map((text) => expectedRows(text, "tsv"))
    .join("");
  assert.equal(await collect({ inputs: all }), expected, "several inputs, in order");
});

test("a line of many megabytes among others yields exactly its row", async () => {
  const text = `1.2.3.4\n${"x".repeat(rounds({ short: 2_500_000, long: 20_000_000 }))} 10.1.2.3\nfe80::1\n${"- ".repeat(rounds({ short: 300_000, long: 3_000_000 }))}`;
  const path = fileOf("long", text);
  for (const threads of [1, 2]) {
    assert.equal(await collect({ inputs: [path], threads, limits: { workerBytes: 1 } }), expectedRows(text, "tsv"));
    assert.equal(
      await collect({ inputs: [Readable.from([Buffer.from(text, "latin1")])], threads }),
      expectedRows(text, "tsv"),
    );
  }
  assert.equal(await collect({ inputs: [path], format: "append" }), expectedRows(text, "append"));
});

test("a line that is too long is rejected with its position", async () => {
  const text = `a\nb\n${"x".repeat(5000)}\nc\n`;
  const limits = { lineBytes: 4999, shardBytes: 100 };
  const path = fileOf("too-long", text);
  for (const input of [path, Readable.from([Buffer.from(text)])]) {
    const error = await fails("line-too-long", { inputs: [fileOf("short", "1\n2\n3\n"), input], limits });
    assert.match(error.message, /^.*(too-long|input stream):3: this line is longer than 4999 bytes/);
  }
  assert.equal((await run({ inputs: [path], limits: { ...limits, lineBytes: 5000 } })).lines, 4);
  const unended = fileOf("too-long-unended", "x".repeat(6000));
  assert.equal((await fails("line-too-long", { inputs: [unended], limits })).line, 1);
  await fails("line-too-long", { inputs: [Readable.from([Buffer.from("x".repeat(6000))])], limits });
});

test("unreadable inputs are rejected before anything is written", async () => {
  const good = fileOf("good", TEXT);
  assert.match(
    (await fails("input-missing", { inputs: [good, join(folder, "absent")] })).message,
    /absent: no such file/,
  );
  await fails("input-missing", { inputs: [join(good, "below")] });
  await fails("input-is-a-folder", { inputs: [good, folder] });
  const broken = new Readable({
    read() {
      this.destroy(Object.assign(new Error("gone"), { code: "EIO" }));
    },
  });
  await fails("input-unreadable", { inputs: [broken] });
});

test("unsupported encodings are recognized and rejected", async () => {
  const heads = {
    xz: "\xfd7zXZ\0\0",
    bzip2: "BZh91AY&SY",
    lz4: "\x04\x22\x4d\x18..",
    zip: "PK\x03\x04....",
    "UTF-16": "\xff\xfe1\0.\0",
    "UTF-16 BE": "\xfe\xff\0" + "1\0.\0",
  };
  for (const [name, head] of Object.entries(heads)) {
    const code = name.startsWith("UTF") ? "input-encoding" : "input-compression";
    assert.match(
      (await fails(code, { inputs: [fileOf("head", `${head}${"x".repeat(50)}`)] })).message,
      /pipe it through/,
    );
    await fails(code, {
      inputs: [Readable.from([Buffer.from(head[0]!, "latin1"), Buffer.from(head.slice(1), "latin1")])],
    });
  }
  assert.equal(await collect({ inputs: [fileOf("head", "BZhello 1.2.3.4")] }), expectedRows("1.2.3.4", "tsv"));
});

test("no more lines are processed at a time than allowed, and the calling thread pauses before each part", async () => {
  const text = `${"\n".repeat(5000)}${"1.2.3.4\n".repeat(5000)}no address`;
  const path = fileOf("many-lines", text);
  const countPauses = async (shardLines?: number, input: string | Readable = path): Promise<number> => {
    let pauses = 0;
    const limits = shardLines === undefined ? {} : { shardLines };
    assert.equal(
      await collect({ inputs: [input], threads: 1, limits, pause: async () => void pauses++ }),
      expectedRows(text, "tsv"),
    );
    return pauses;
  };
  for (const engine of ["webassembly", "typescript"] as const)
    assert.equal(await collect({ inputs: [path], engine, limits: { shardLines: 7 } }), expectedRows(text, "tsv"));
  assert.ok((await countPauses(100)) >= 101);
  assert.ok((await countPauses(100, Readable.from([Buffer.from(text)]))) >= 101);
  assert.ok((await countPauses()) <= 2, "the negative control: without a limit a shard is one part");
});

test("a file that shrinks while it is read is an error", async () => {
  const path = fileOf("shrinking", "1.2.3.4\n5.6.7.8\n");
  const file = await open(path);
  const runner = await ShardRunner.create(
    snapshot,
    {
      format: "none",
      renderer: undefined,
      rows: "all",
      perMatch: null,
      perMatchOfSnapshots: [],
      workspaces: null,
      templateBytes: 1 << 20,
      lineBytes: 1000,
      ...WORK,
    },
    0,
  );
  const shard = {
    kind: "file",
    descriptor: file.fd,
    first: 0,
    from: 0,
    to: 10,
    size: 100,
    shape: TEXT_LINES,
    firstLine: null,
    rows: null,
  } as const;
  assert.equal((await runner.run(shard)).failure, "input-changed");
  assert.equal((await runner.run({ ...shard, size: 16 })).lines, 2);
  await file.close();
});

test("an abort rejects with its reason and leaves nothing", async () => {
  const reason = new Error("stop it");
  for (const path of [target, `${target}.gz`]) {
    for (const threads of [1, 2]) {
      const controller = new AbortController();
      async function* endless(): AsyncGenerator<Buffer> {
        for (let chunks = 0; ; chunks++) {
          yield Buffer.from("1.2.3.4\n".repeat(1000));
          if (chunks === 50) controller.abort(reason);
          await delay(0);
        }
      }
      const output = { path: `${path}-${threads}${path.endsWith(".gz") ? ".gz" : ""}` };
      const aborted = run({
        inputs: [Readable.from(endless())],
        threads,
        output,
        signal: controller.signal,
        limits: { shardBytes: 5000, workerBytes: 1 },
      });
      await assert.rejects(aborted, reason);
      assert.ok(!existsSync(output.path) && !existsSync(`${output.path}.partial`));
    }
  }
  await assert.rejects(run({ inputs: ["-"], signal: AbortSignal.abort(reason) }), reason);
  // While nothing comes in.
  const controller = new AbortController();
  const silent = run({ inputs: [new PassThrough()], signal: controller.signal });
  setTimeout(() => controller.abort(reason), 30);
  await assert.rejects(silent, reason);
});

test("a slow reader of the rows slows down reading the input", async () => {
  let given = 0;
  let taken = 0;
  let mostAhead = 0;
  const input = new Readable({
    highWaterMark: 1000,
    read() {
      given += 1000;
      this.push(given > 400_000 ? null : Buffer.from("1.2.3.4\n".repeat(125)));
    },
  });
  const output = new Writable({
    highWaterMark: 1,
    write(chunk: Buffer, _encoding, done) {
      taken += chunk.toString().split("\n").length - 1;
      mostAhead = Math.max(mostAhead, given - taken * 8);
      setTimeout(done, 2);
    },
  });
  const { lines } = await run({ inputs: [input], output, limits: { shardBytes: 2000, rowBytes: 20_000 } });
  assert.equal(lines, 50_000);
  assert.equal(taken, 50_000);
  assert.ok(mostAhead < 40_000, `${mostAhead} bytes were read ahead`);
});

test("a reader of the rows that closes ends the run silently", async () => {
  let writes = 0;
  const output = new Writable({
    write(_chunk, _encoding, done) {
      done(++writes < 3 ? null : Object.assign(new Error("gone"), { code: "EPIPE" }));
    },
  });
  const result = await run({
    inputs: [fileOf("many", "1.2.3.4\n".repeat(50_000))],
    output,
    limits: { shardBytes: 4000 },
  });
  assert.equal(result.outputClosed, true);
  assert.ok(result.lines < 50_000);
});

test("a writer that fails is an error", async () => {
  const output = new Writable({
    write: (_chunk, _encoding, done) => done(Object.assign(new Error("full"), { code: "ENOSPC" })),
  });
  await assert.rejects(run({ inputs: [fileOf("few", "1.2.3.4\n")], output }), { code: "output-failed" });
  await fails("output-unusable", { inputs: [fileOf("few", "1.2.3.4\n")], output: { path: folder } });
  await fails("output-unusable", {
    inputs: [fileOf("few", "1.2.3.4\n")],
    output: { path: join(folder, "absent", "out") },
  });
  await assert.rejects(run({ inputs: [fileOf("few", "1.2.3.4\n".repeat(9))], output: { path: "/dev/full" } }), {
    code: "output-failed",
  });
  await assert.rejects(
    run({
      inputs: [fileOf("few", "1.2.3.4\n".repeat(9))],
      renderer: "data:text/javascript,export const nothing = 0",
      output: { path: target },
    }),
    TypeError,
  );
});

test("output files: compressed by name, through links, over leftovers of a killed run, devices directly", async () => {
  const input = fileOf("good", TEXT.repeat(50));
  const expected = expectedRows(TEXT.repeat(50), "tsv");
  await run({ inputs: [input], output: { path: `${target}.gz` } });
  assert.equal(gunzipSync(readFileSync(`${target}.gz`)).toString("latin1"), expected);
  await run({ inputs: [input], output: { path: `${target}.zst` } });
  assert.equal(zstdDecompressSync(readFileSync(`${target}.zst`)).toString("latin1"), expected);

  writeFileSync(`${target}.partial`, "left over");
  assert.equal(await collect({ inputs: [input] }), expected);
  assert.ok(!existsSync(`${target}.partial`));

  mkdirSync(join(folder, "links"));
  const link = join(folder, "links", "link");
  symlinkSync(target, link);
  writeFileSync(target, "old");
  await run({ inputs: [input], output: { path: link } });
  assert.equal(readFileSync(target, "latin1"), expected);

  await run({ inputs: [input], output: { path: "/dev/null" } });
  assert.ok(statSync("/dev/null").isCharacterDevice());
});

test("complete lines in a quiet stream are processed at once", async () => {
  const input = new PassThrough();
  const output = new PassThrough();
  const running = run({ inputs: [input], output });
  input.write("1.2.3.4\n"); // fewer bytes than the longest magic number
  const [row] = (await output.take(1).toArray()) as [Buffer];
  assert.equal(row.toString(), "1.2.3.4\t1.2.3.4\tv5,v4,v3,v2,v1\n");
  input.end("begun 10.0.0.1");
  assert.equal((await running).lines, 2);
});

test("memory does not grow with the input", async (t) => {
  const torture = join(import.meta.dirname, "../torture/batch.ts");
  const { stdout } = await promisify(execFile)(process.execPath, [torture, "--megabytes", "200", "--memory-only"]);
  for (const line of stdout.trim().split("\n")) t.diagnostic(line);
  assert.match(stdout, /negative control/);
});

test("progress ends with everything read", async () => {
  const path = fileOf("progress", gzipSync("1.2.3.4\n".repeat(1000)));
  const plain = fileOf("progress-plain", "1.2.3.4\n");
  const seen: Progress[] = [];
  const { bytesRead } = await run({
    inputs: [path, plain],
    format: "none",
    onProgress: (progress) => seen.push(progress),
  });
  const size = statSync(path).size + 8;
  assert.equal(bytesRead, size);
  assert.deepEqual(
    { ...seen.at(-1)!, elapsed: 0 },
    { bytesRead: size, totalBytes: size, lines: 1001, addresses: 1001, matched: 1001, elapsed: 0 },
  );
  await run({
    inputs: [Readable.from([Buffer.from("x")])],
    format: "none",
    onProgress: (progress) => seen.push(progress),
  });
  assert.equal(seen.at(-1)!.totalBytes, null);
});

test("progress ends with what was read, even if the input fails", async () => {
  const whole = gzipSync(
    Array.from({ length: 100_000 }, (_, i) => `1.2.3.${i % 256} ${Math.imul(i, 2_654_435_761)}\n`).join(""),
  );
  let last: Progress | undefined;
  const failing = run({
    inputs: [fileOf("cut.gz", whole.subarray(0, whole.length >> 1))],
    format: "none",
    onProgress: (progress) => (last = progress),
  });
  await assert.rejects(failing, BatchError);
  assert.ok(last!.lines > 1000 && last!.lines < 100_000 && last!.bytesRead === whole.length >> 1, JSON.stringify(last));
});

test("progress reports the lines of each match while they are counted, and at the end", async () => {
  const seen: Progress[] = [];
  const input = Readable.from(
    (async function* () {
      yield Buffer.from("1.2.3.4\n9.9.9.9\nx\n192.0.3.1\n");
      await until("four lines are reported", () => (seen.at(-1)?.lines ?? 0) >= 4);
      yield Buffer.from("1.2.3.4\n");
    })(),
  );
  const { perMatch } = await run({
    inputs: [input],
    format: "none",
    countMatches: true,
    onProgress: (progress) => seen.push(progress),
  });
  const last = seen.at(-1)!;
  assert.deepEqual(last.perMatch!(), perMatch);
  assert.equal(
    perMatch.reduce((sum, lines) => sum + lines, 0),
    last.addresses,
  );
  assert.deepEqual([last.lines, last.addresses], [5, 4]);
});

// Negative control: the comparison that the tests above make must notice a line that is lost or doubled at a seam.
test("sharders that lose or double a line at a boundary are caught", async (t) => {
  const text = `${TEXT}\n`;
  const path = fileOf("seams", text);
  const file = await open(path);
  const runner = await ShardRunner.create(
    snapshot,
    {
      format: "append",
      renderer: RENDERER,
      rows: "all",
      perMatch: null,
      perMatchOfSnapshots: [],
      workspaces: null,
      templateBytes: 1 << 20,
      lineBytes: 100_000,
      ...WORK,
    },
    0,
  );
  const buffer = new SharedArrayBuffer(1 << 20);
  const block = { buffer, at: 0, byteLength: buffer.byteLength };
  const rowsWith = async (bytes: number, shift: (from: number, to: number) => [number, number]): Promise<string> => {
    let rows = "";
    for (let at = 0; at < text.length; at += bytes) {
      const [from, to] = shift(at, Math.min(text.length, at + bytes));
      const shard = {
        kind: "file",
        descriptor: file.fd,
        first: 0,
        from,
        to,
        size: text.length,
        shape: TEXT_LINES,
        firstLine: null,
        rows: block,
      } as const;
      const result: ShardResult = await runner.run(shard);
      rows += Buffer.from(result.rows!.buffer!, 0, result.rowBytes).toString("latin1");
    }
    return rows;
  };
  const expected = expectedRows(text, "append");
  const caught = { right: 0, losing: 0, doubling: 0 };
  for (let bytes = 1; bytes <= 401; bytes += 8) {
    if ((await rowsWith(bytes, (from, to) => [from, to])) !== expected) caught.right++;
    if ((await rowsWith(bytes, (from, to) => [from === 0 ? 0 : from + 1, Math.max(to, from + 1)])) !== expected)
      caught.losing++;
    if ((await rowsWith(bytes, (from, to) => [from, Math.min(text.length, to + 1)])) !== expected) caught.doubling++;
  }
  await file.close();
  t.diagnostic(`51 shard sizes, caught: ${JSON.stringify(caught)}`);
  assert.equal(caught.right, 0);
  assert.ok(caught.losing > 25 && caught.doubling > 25, JSON.stringify(caught));
});

test(
  "the field of a stream is known early, even if its first line is long or arrives in small pieces",
  { timeout: 60_000 },
  async () => {
    const row = expectedRows("10.1.2.3", "tsv");
    // 900 KB without a line end; each piece used to be searched again from every position.
    async function* long(): AsyncGenerator<Uint8Array> {
      for (let pieces = 0; pieces < 900; pieces++) yield new Uint8Array(1000).fill(0x78);
      yield new TextEncoder().encode("\t10.1.2.3\n");
    }
    assert.equal(await collect({ inputs: [Readable.from(long())], field: 2, fieldSyntax: "tsv" }), row);
    const bytes = [..."\ufeff\r\n\r\nname\tip\nx\t10.1.2.3\n"].flatMap((character) =>
      [...Buffer.from(character)].map((byte) => Uint8Array.of(byte)),
    );
    assert.equal((await collect({ inputs: [Readable.from(bytes)], field: "ip" })).split("\n").at(-2), row.trimEnd());
  },
);

test("streams may yield Uint8Array or strings, and nothing else", async () => {
  const bytes = new TextEncoder().encode("..1.2.3.4\n5.6.7.8\n").subarray(2);
  assert.equal(await collect({ inputs: [Readable.from([bytes])] }), expectedRows("1.2.3.4\n5.6.7.8\n", "tsv"));
  assert.equal(
    await collect({ inputs: [Readable.from(["1.2.3.4\n", "5.6.7.8\n"])] }),
    expectedRows("1.2.3.4\n5.6.7.8\n", "tsv"),
  );
  await assert.rejects(run({ inputs: [Readable.from([1])] }), {
    name: "TypeError",
    message: /type number; it must yield Uint8Array/,
  });
});

test(
  "an abort ends the wait for a named pipe, at either end of it and with data in transit",
  { timeout: 60_000 },
  async () => {
    const reason = new Error("stop it");
    const fifo = join(folder, "fifo");
    const compressed = join(folder, "fifo.gz");
    execFileSync("mkfifo", [fifo, compressed]);
    const input = fileOf("for-fifo", "1.2.3.4\n".repeat(200_000));
    const stuck = new Writable({ write() {} });
    const waits: Partial<IdentifyOptions>[] = [
      { inputs: [fifo] },
      { inputs: [input], output: { path: fifo } },
      { inputs: [input], output: { path: compressed } },
      { inputs: [input], output: stuck },
    ];
    for (const options of waits) {
      for (const wait of [0, 60]) {
        const aborted = run({ inputs: [input], ...options, signal: soon(wait, reason) });
        await assert.rejects(aborted, reason);
        assert.ok(!existsSync(`${target}.partial`));
      }
    }
    const reader = openSync(fifo, "r+"); // a reader that never reads
    await assert.rejects(run({ inputs: [input], output: { path: fifo }, signal: soon(100, reason) }), reason);
    closeSync(reader);
    // Without an abort, both ends work.
    const reading = promisify(execFile)("cat", [fifo]);
    await run({ inputs: [fileOf("few", TEXT)], output: { path: fifo } });
    assert.equal((await reading).stdout, expectedRows(TEXT, "tsv"));
    const writing = promisify(execFile)("cp", [join(folder, "few"), fifo]);
    assert.equal(await collect({ inputs: [fifo] }), expectedRows(TEXT, "tsv"));
    await writing;
  },
);

test("a stopped run no longer holds an end of a named pipe, which the next run would take for its other end", async () => {
  const pipe = join(folder, "released");
  execFileSync("mkfifo", [pipe]);
  const input = fileOf("for-released", "1.2.3.4\n");
  for (let round = 0; round < 30; round++) {
    const reason = new Error(`stop round ${round}`);
    await assert.rejects(run({ inputs: [pipe], signal: soon(round % 7, reason) }), reason);
    assert.throws(
      () => openSync(pipe, constants.O_WRONLY | constants.O_NONBLOCK),
      { code: "ENXIO" },
      "it has a reader",
    );
    await assert.rejects(run({ inputs: [input], output: { path: pipe }, signal: soon(round % 7, reason) }), reason);
    const reader = openSync(pipe, constants.O_RDONLY | constants.O_NONBLOCK);
    assert.equal(readSync(reader, Buffer.alloc(1)), 0, "it has a writer, then this is EAGAIN");
    closeSync(reader);
  }
});

test("the wait for a named pipe ends even if it begins long after the stop, when Node's threads are free", () => {
  const [busy, pipe] = [join(folder, "busy"), join(folder, "late")];
  execFileSync("mkfifo", [busy, pipe]);
  const source = `
    import { closeSync, constants, open, openSync } from "node:fs";
    import { openNamedPipe } from ${JSON.stringify(new URL("../../src/batch/_named-pipe.ts", import.meta.url).href)};
    open(${JSON.stringify(busy)}, "r", () => {}); // takes the only thread
    await openNamedPipe(${JSON.stringify(pipe)}, "read", AbortSignal.timeout(10)).catch(() => {});
    closeSync(openSync(${JSON.stringify(busy)}, constants.O_RDWR));`;
  const { signal, status } = spawnSync(process.execPath, ["--input-type=module", "-e", source], {
    env: { ...process.env, UV_THREADPOOL_SIZE: "1" },
    timeout: 20_000, // a process with a waiting thread never ends by itself
  });
  assert.deepEqual({ signal, status }, { signal: null, status: 0 });
});

function soon(wait: number, reason: Error): AbortSignal {
  const controller = new AbortController();
  setTimeout(() => controller.abort(reason), wait);
  return controller.signal;
}

/** A run in a process of its own, as descriptors 0 to 2 are those of the process. */
function runApart(output: string, stdio: (number | "ignore")[], input: string): string {
  const source = `
    import { identify } from ${JSON.stringify(new URL("../../src/batch/identify.ts", import.meta.url).href)};
    import { openSnapshot } from ${JSON.stringify(new URL("../../src/snapshot/open-snapshot.ts", import.meta.url).href)};
    const snapshot = await openSnapshot(${JSON.stringify(join(folder, "test.ipsieve"))});
    await identify({ inputs: [${JSON.stringify(input)}], snapshot, engine: ${JSON.stringify(ENGINE)}, format: "tsv", renderer: ${JSON.stringify(RENDERER)}, threads: 1, output: { path: ${JSON.stringify(output)} } })
      .catch((error) => { process.exitCode = 3; process.stderr.write(String(error.code)); });`;
  return String(
    spawnSync(process.execPath, ["--input-type=module", "-e", source], {
      stdio: [stdio[0]!, stdio[1]!, "pipe", ...stdio.slice(2)],
    }).stderr,
  );
}

test("output to a name of an open descriptor continues at its current position", () => {
  const path = join(folder, "redirected");
  const link = join(folder, "to-stdout");
  symlinkSync("/dev/stdout", link);
  const input = fileOf("few", TEXT);
  for (const [name, stdio] of [
    ["/dev/stdout", 1],
    [link, 1],
    ["/proc/self/fd/1", 1],
    ["/dev/fd/3", 3],
  ] as const) {
    writeFileSync(path, "before\n");
    const inode = statSync(path).ino;
    const file = openSync(path, "a");
    assert.equal(runApart(name, stdio === 1 ? ["ignore", file] : ["ignore", "ignore", file], input), "");
    closeSync(file);
    assert.equal(statSync(path).ino, inode, name);
    assert.equal(readFileSync(path, "latin1"), `before\n${expectedRows(TEXT, "tsv")}`, name);
  }
});

test("a folder as standard input is rejected", () => {
  const stdin = openSync(folder, "r");
  assert.equal(runApart(target, [stdin, "ignore"], "-"), "input-is-a-folder");
  closeSync(stdin);
});

test("the permissions of a replaced file are kept, and a dangling link leads to a new one", async () => {
  const input = fileOf("few", TEXT);
  for (const mode of [0o600, 0o640, 0o666]) {
    writeFileSync(target, "old");
    chmodSync(target, mode);
    await collect({ inputs: [input] });
    assert.equal(statSync(target).mode & 0o777, mode);
  }
  const link = join(folder, "dangling");
  symlinkSync("not-there-yet", link);
  await run({ inputs: [input], output: { path: link } });
  assert.equal(readFileSync(join(folder, "not-there-yet"), "latin1"), expectedRows(TEXT, "tsv"));
  assert.equal(readFileSync(link, "latin1"), expectedRows(TEXT, "tsv"));
});

test("invalid options are rejected at once, with their value and a remedy", async () => {
  const wrong: [Record<string, unknown>, string, RegExp][] = [
    [{ threads: 0 }, "RangeError", /^threads is 0; give/],
    [{ threads: 1.5 }, "RangeError", /^threads is 1.5/],
    [{ threads: "2" }, "TypeError", /^threads is "2"/],
    [{ threads: Number.NaN }, "RangeError", /^threads is NaN/],
    [{ limits: { lineBytes: 0 } }, "RangeError", /^limits.lineBytes is 0/],
    [{ limits: { shardBytes: null } }, "TypeError", /^limits.shardBytes is null/],
    [{ inputs: "file" }, "TypeError", /^inputs is "file"; give an array/],
    [{ inputs: [] }, "RangeError", /^inputs is an empty array/],
    [{ inputs: [3] }, "TypeError", /^inputs\[0\] is 3/],
    [{ output: "file" }, "TypeError", /^output is "file"; give \{ path \}/],
    [{ output: { path: 1 } }, "TypeError", /^output is an object/],
    [{ output: null }, "TypeError", /^output is null/],
    [{ fieldSyntax: "xml" }, "RangeError", /^fieldSyntax is "xml"; give one of csv, tsv, jsonl, space/],
    [{ format: "xml" }, "RangeError", /^format is "xml"/],
    [{ format: undefined }, "TypeError", /^format is undefined/],
    [{ rows: "some" }, "RangeError", /^rows is "some"/],
  ];
  const good = fileOf("few", TEXT);
  for (const [options, name, message] of wrong)
    await assert.rejects(run({ inputs: [good], ...(options as Partial<IdentifyOptions>) }), { name, message });
});

test("an unavailable engine that is requested by name is an error, and auto works without it", async () => {
  const input = fileOf("engine", "1.2.3.4\n".repeat(10_000));
  const api = Object.getOwnPropertyDescriptor(globalThis, "WebAssembly")!;
  Reflect.deleteProperty(globalThis, "WebAssembly");
  const plain = await makeSnapshot(temporaryFolder()).finally(() =>
    Object.defineProperty(globalThis, "WebAssembly", api),
  );
  await fails("engine-missing", { inputs: [input], snapshot: plain, engine: "webassembly" });
  const { engine, matched } = await run({ inputs: [input], snapshot: plain, engine: "auto" });
  assert.deepEqual([engine, matched], ["typescript", 10_000]);
});
