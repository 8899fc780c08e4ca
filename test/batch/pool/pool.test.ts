import assert from "node:assert/strict";
import { once } from "node:events";
import { copyFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { execFile } from "node:child_process";
import { PassThrough } from "node:stream";
import { buffer } from "node:stream/consumers";
import { after, afterEach, test } from "node:test";
import { promisify } from "node:util";
import { parseAddressInto } from "../../../src/address/parse-address.ts";
import { parsePrefix } from "../../../src/address/prefix.ts";
import { identify } from "../../../src/batch/identify.ts";
import { Matcher } from "../../../src/batch/engine/matcher.ts";
import { createPool, type Pool, type PoolOptions } from "../../../src/batch/pool/pool.ts";
import { openSnapshot } from "../../../src/snapshot/open-snapshot.ts";
import type { Snapshot } from "../../../src/snapshot/snapshot.ts";
import { watchSnapshot } from "../../../src/snapshot/snapshot-holder.ts";
import { writeSnapshot } from "../../../src/snapshot/write-snapshot.ts";
import { freeze } from "../../../src/table/freeze.ts";
import { PrefixTrie } from "../../../src/trie/prefix-trie.ts";
import { Random } from "../../../bench/data/random.ts";
import { sampled } from "../../rounds.ts";
import { ENGINE, makeSnapshot, RENDERER, temporaryFolder } from "../fixture.ts";

const folder = temporaryFolder();
const snapshot = await makeSnapshot(folder);
const random = new Random(16);

// Large enough that workers help with each: see the thresholds in pool.ts.
const COUNT = 140_000;
const words4 = Uint32Array.from({ length: COUNT }, () => random.word() >>> (random.below(4) * 2));
const words6 = Uint32Array.from({ length: 4 * COUNT }, (_, i) =>
  i % 4 === 0 ? [0x2001_0db8, 0xfe80_0000, 0xfc00_0000][random.below(3)]! : random.below(3) && random.word(),
);
const texts = Array.from({ length: COUNT }, (_, i) => (i % 3 === 0 ? textOf6(i) : textOf4(words4[i]!)));
const log = Buffer.from(texts.map((text, i) => (i % 7 === 0 ? "no address" : `${text} - "GET /${i}"`)).join("\n"));

function textOf4(word: number): string {
  return `${word >>> 24}.${(word >>> 16) & 255}.${(word >>> 8) & 255}.${word & 255}`;
}

function textOf6(at: number): string {
  const groups = Array.from(words6.subarray(4 * at, 4 * at + 4), (word) => [word >>> 16, word & 0xffff]).flat();
  return groups.map((group) => group.toString(16)).join(":");
}

const pools: Pool[] = [];
async function started(options: Partial<PoolOptions> = {}): Promise<Pool> {
  const pool = await createPool({ threads: 2, snapshot, engine: ENGINE, ...options });
  pools.push(pool);
  return pool;
}
afterEach(async () => {
  for (const pool of pools.splice(0)) await pool.close({ force: true });
});

/** Every worker that this process starts, as Node reports them. */
const workers: import("node:worker_threads").Worker[] = [];
const remember = (worker: import("node:worker_threads").Worker): void => void workers.push(worker);
process.on("worker", remember);
after(() => void process.off("worker", remember));

/** The result of a single thread, without the pool. */
const matcher = new Matcher(snapshot, { engine: ENGINE });
function expectedWords(family: 4 | 6, words: Uint32Array): Uint32Array {
  const out = new Uint32Array(words.length / (family === 4 ? 1 : 4));
  matcher.lookupBatchInto(family, words, out);
  return out;
}
function expectedTexts(list: readonly string[]): Uint32Array {
  const words = new Uint32Array(4);
  return Uint32Array.from(list, (text) =>
    parseAddressInto(text, words) === 4
      ? snapshot.table.lookup4(words[0]!)
      : snapshot.table.lookup6(words[0]!, words[1]!, words[2]!, words[3]!),
  );
}

for (const threads of sampled([1, 2, 4], 3)) {
  test(`a pool of ${threads} yields the same as one thread: words, texts, lines, at every size`, async () => {
    const pool = await started({ threads });
    for (let round = 0; round < 2; round++) {
      for (const count of [0, 1, 8192, 8193, 131_072, 131_073, COUNT]) {
        const [some4, some6, some] = [words4.subarray(0, count), words6.subarray(0, 4 * count), texts.slice(0, count)];
        assert.deepEqual((await pool.lookupBatch(4, some4)).matches, expectedWords(4, some4), `${count} of IPv4`);
        assert.deepEqual((await pool.lookupBatch(6, some6)).matches, expectedWords(6, some6), `${count} of IPv6`);
        assert.deepEqual((await pool.lookupTexts(some)).matches, expectedTexts(some), `${count} texts`);
      }
      for (const end of [0, 1, 100, log.length - 1, log.length]) {
        const { snapshot: from, ...found } = await pool.identifyBuffer(log.subarray(0, end));
        assert.deepEqual({ ...found }, matcher.identifyBuffer(log.subarray(0, end)), `${end} bytes`);
        assert.equal(from, snapshot);
      }
    }
  });
}

test("lines longer than a chunk, and a text of one line, are identified as well", async () => {
  const pool = await started();
  const long = `${"x".repeat(700_000)} 1.2.3.4`;
  for (const text of [[long, long, "1.2.3.4", long, ""].join("\n"), `${long}${long}${long}`]) {
    const { snapshot: _, ...found } = await pool.identifyBuffer(Buffer.from(text));
    assert.deepEqual({ ...found }, matcher.identifyBuffer(Buffer.from(text)));
  }
});

test("simultaneous calls share the workers, and each gets its own result", async () => {
  const pool = await started({ threads: 3 });
  const expected = expectedTexts(texts);
  const answers = await Promise.all([
    ...Array.from({ length: 4 }, () => pool.lookupTexts(texts)),
    pool.lookupBatch(4, words4),
  ]);
  for (const { matches } of answers.slice(0, 4)) assert.deepEqual(matches, expected);
  assert.deepEqual(answers[4]!.matches, expectedWords(4, words4));
});

test("a malformed text causes the same error as with one thread: the first one, with its position", async () => {
  const pool = await started();
  for (const [bad, name] of [
    ["1.2.3.256", "AddressError"],
    ["1.2.3.4\n5.6.7.8", "AddressError"],
    ["١.2.3.4", "AddressError"],
    ["", "AddressError"],
    ["x".repeat(500_000), "AddressError"],
    [7, "TypeError"],
    [undefined, "TypeError"],
  ] as const) {
    for (const at of [0, 100, COUNT >> 1, COUNT - 1]) {
      const list = [...texts] as string[];
      list[at] = bad as string;
      list[COUNT - 1] = at === COUNT - 1 ? (bad as string) : "later";
      const alone = (): unknown => parseAddressInto(bad as string, new Uint32Array(4));
      let expected: Error | undefined;
      assert.throws(alone, (error: Error) => ((expected = error), true));
      await assert.rejects(pool.lookupTexts(list), (error: Error) => {
        assert.equal(error.name, name);
        assert.equal(error.message, `texts[${at}]: ${expected!.message}`);
        assert.deepEqual({ ...error }, { ...expected, index: at });
        return error.constructor === expected!.constructor;
      });
    }
  }
  assert.deepEqual((await pool.lookupTexts(texts)).matches, expectedTexts(texts), "and the pool goes on");
});

test("wrong arguments are errors at once", async () => {
  const pool = await started();
  await assert.rejects(pool.lookupBatch(5 as 4, words4), RangeError);
  await assert.rejects(pool.lookupBatch(6, new Uint32Array(7)), RangeError);
  await assert.rejects(pool.lookupBatch(4, words4, { now: Number.NaN }), RangeError);
  for (const threads of [0, 1.5, "2" as never]) await assert.rejects(createPool({ threads, snapshot }), RangeError);
  await assert.rejects(pool.lookupBatch(4, [1] as never), /^TypeError: words must be a Uint32Array$/);
  const noSnapshot = /^TypeError: snapshot must be a Snapshot or a SnapshotHolder/;
  for (const other of [undefined, "test.ipsieve", snapshot.table])
    await assert.rejects(createPool({ threads: 1, snapshot: other as never }), noSnapshot);
  assert.throws(() => pool.swap(snapshot.table as never), noSnapshot);
  assert.equal(pool.snapshot, snapshot);
});

test("one pool serves runs over logs, one after the other and at the same time, with the rows of one thread", async () => {
  const pool = await started({ threads: 3 });
  const path = join(folder, "pool.log");
  writeFileSync(path, log);
  const rowsOf = async (use: (output: PassThrough) => Promise<unknown>): Promise<Buffer> => {
    const output = new PassThrough();
    const rows = buffer(output);
    await use(output);
    output.end();
    return rows;
  };
  const options = { inputs: [path], format: "jsonl", renderer: RENDERER, engine: ENGINE, countMatches: true } as const;
  const expected = await rowsOf((output) => identify({ ...options, snapshot, output, threads: 1 }));
  const before = workers.length;
  const limits = { workerBytes: 1, shardBytes: 50_000 };
  const run = (): Promise<Buffer> => rowsOf((output) => pool.identifyLines({ ...options, output, limits }));
  for (let round = 0; round < 3; round++) assert.ok(expected.equals(await run()), `round ${round}`);
  const [first, second, lookup] = await Promise.all([run(), run(), pool.lookupTexts(texts)]);
  assert.ok(expected.equals(first) && expected.equals(second));
  assert.deepEqual(lookup.matches, expectedTexts(texts));
  assert.equal(workers.length, before, "no worker was started for it");
});

test("an aborted call rejects with the signal's reason; the workers continue", async () => {
  const pool = await started();
  const before = workers.length;
  const path = join(folder, "abort.log");
  writeFileSync(path, log);
  const limits = { workerBytes: 1, shardBytes: 2000 };
  const calls: ((signal: AbortSignal) => Promise<unknown>)[] = [
    (signal) => pool.lookupTexts(texts, { signal }),
    (signal) => pool.identifyBuffer(log, { signal }),
    (signal) => pool.identifyLines({ inputs: [path], format: "none", limits, signal }),
    (signal) => pool.lookupBatch(4, words4, { signal }),
  ];
  for (const call of calls) {
    await assert.rejects(call(AbortSignal.abort(new Error("before"))), { message: "before" });
    const abort = new AbortController();
    setImmediate(() => abort.abort(new Error("in the middle")));
    // The last one may complete in one turn.
    await call(abort.signal).catch((error) => assert.equal(error.message, "in the middle"));
  }
  const aborted = new AbortController();
  const texts20 = Array.from({ length: 20 }, () => texts).flat();
  setImmediate(() => aborted.abort(new Error("in the middle")));
  await assert.rejects(pool.lookupTexts(texts20, { signal: aborted.signal }), { message: "in the middle" });
  assert.deepEqual((await pool.lookupTexts(texts)).matches, expectedTexts(texts));
  assert.equal(workers.length, before);
});

test("a worker that dies ends its call with a typed error, and is replaced", async () => {
  const pool = await started();
  const long = Array.from({ length: 20 }, () => texts).flat();
  const worker = workers.at(-1)!;
  const call = pool.lookupTexts(long);
  setImmediate(() => void worker.terminate());
  await assert.rejects(call, { name: "BatchError", code: "worker-failed" });
  assert.deepEqual((await pool.lookupTexts(texts)).matches, expectedTexts(texts), "without it");
  while (workers.at(-1) === worker) await once(process, "worker", { signal: AbortSignal.timeout(20_000) });
  assert.deepEqual((await pool.lookupTexts(texts)).matches, expectedTexts(texts), "with the new one");
});

test("a worker that calls process.exit during a run over a log causes a typed error as well", async () => {
  const pool = await started();
  const path = join(folder, "dying.log");
  writeFileSync(path, log);
  const renderer = `data:text/javascript,${encodeURIComponent(`
    import { isMainThread } from "node:worker_threads";
    import { createRowTemplates as real } from ${JSON.stringify(RENDERER)};
    export const createRowTemplates = (...all) => { if (!isMainThread) process.exit(3); return real(...all); };`)}`;
  const limits = { workerBytes: 1, shardBytes: 5000 };
  const run = (): Promise<unknown> =>
    pool.identifyLines({ inputs: [path], format: "tsv", renderer, output: new PassThrough().resume(), limits });
  await assert.rejects(run(), { name: "BatchError", code: "worker-failed" });
  assert.deepEqual((await pool.lookupTexts(texts)).matches, expectedTexts(texts));
  await pool.close();
});

test("a worker that runs out of memory causes a typed error as well", { timeout: 120_000 }, async () => {
  const path = join(folder, "hungry.log");
  writeFileSync(path, log);
  const source = (file: string): string => JSON.stringify(new URL(`../../../src/${file}`, import.meta.url).href);
  const renderer = `data:text/javascript,${encodeURIComponent(`
    import { isMainThread } from "node:worker_threads";
    import { createRowTemplates as real } from ${JSON.stringify(RENDERER)};
    export const createRowTemplates = (...all) => {
      // Small objects only: where a large one does not fit, V8 ends the process before Node can end the thread.
      if (!isMainThread) for (let kept = null;;) kept = { kept };
      return real(...all);
    };`)}`;
  const script = `
    import { PassThrough } from "node:stream";
    const { createPool } = await import(${source("batch/pool/pool.ts")});
    const { openSnapshot } = await import(${source("snapshot/open-snapshot.ts")});
    const pool = await createPool({ threads: 2, snapshot: await openSnapshot(${JSON.stringify(join(folder, "test.ipsieve"))}) });
    const run = pool.identifyLines({ inputs: [${JSON.stringify(path)}], format: "tsv", renderer: ${JSON.stringify(renderer)}, output: new PassThrough().resume(), limits: { workerBytes: 1, shardBytes: 5000 } });
    console.log(await run.catch((error) => error.code + " " + error.message));
    console.log((await pool.lookupTexts(["1.2.3.4"])).matches.length);`;
  // With small semi-spaces, the heap grows beyond its limit by little until the thread is ended; by more than Node adds,
  // and V8 ends the process.
  const args = ["--max-old-space-size=80", "--max-semi-space-size=1", "--input-type=module", "--eval", script];
  const { stdout } = await promisify(execFile)(process.execPath, args, { timeout: 110_000 });
  assert.match(stdout, /^worker-failed .*memory.*\n1\n$/s);
});

/** A snapshot in which every address has one match, whose value is the given number. */
async function publish(path: string, number: number): Promise<void> {
  const trie = new PrefixTrie();
  for (const all of ["0.0.0.0/0", "::/0"]) trie.insert(parsePrefix(all), number);
  await writeSnapshot(path, { table: freeze(trie), metadata: null, kind: "test" });
}

test("swaps under load: each result is of one generation, and finally of the last one", async () => {
  const path = join(folder, "swapped");
  for (let number = 1; number <= 6; number++) await publish(`${path}.${number}`, number);
  copyFileSync(`${path}.1`, path);
  const holder = await watchSnapshot(path);
  const pool = await started({ snapshot: holder, threads: 3 });
  const valueOf = (from: Snapshot): number => from.table.value(from.table.lookup("192.0.2.1"));
  const seen = new Set<number>();
  const state = { isOver: false };
  const use = async (call: () => Promise<{ matches: Uint32Array | Int32Array; snapshot: Snapshot }>): Promise<void> => {
    do {
      const { matches, snapshot: from } = await call();
      const value = valueOf(from);
      seen.add(value);
      const other = matches.findIndex((match) => match >= 0 && from.table.value(match as never) !== value);
      assert.equal(other, -1);
    } while (!state.isOver);
  };
  const users = [
    use(() => pool.lookupTexts(texts.slice(0, 40_000))),
    use(() => pool.lookupBatch(4, words4)),
    use(() => pool.identifyBuffer(log.subarray(0, 1_200_000))),
  ];
  try {
    for (let swap = 2; swap <= 10; swap++) {
      copyFileSync(`${path}.${1 + (swap % 6)}`, `${path}.next`);
      renameSync(`${path}.next`, path);
      await holder.reload();
    }
  } finally {
    state.isOver = true;
    await Promise.all(users);
    holder.close();
  }
  assert.equal(pool.snapshot, holder.current!.content);
  assert.ok(seen.size > 2, `${seen.size} generations were seen`);
});

test("a pool of a plain snapshot gets another snapshot between calls", async () => {
  const path = join(folder, "other");
  await publish(path, 9);
  const other = await openSnapshot(path);
  const pool = await started();
  const before = pool.lookupTexts(texts);
  pool.swap(other);
  const after = pool.lookupTexts(texts);
  assert.deepEqual((await before).matches, expectedTexts(texts), "what had begun stays with the one before");
  assert.equal((await after).snapshot, other);
  assert.deepEqual(new Set((await after).matches).size, 1);
  const held = await started({ snapshot: await watchSnapshot(path) });
  assert.throws(() => held.swap(other), TypeError);
});

test("close waits for calls in progress; with force it does not; later calls are rejected", async () => {
  const pool = await started();
  const call = pool.lookupTexts(texts);
  await pool.close();
  assert.deepEqual((await call).matches, expectedTexts(texts));
  await assert.rejects(pool.lookupTexts(texts), { name: "BatchError", code: "pool-closed" });
  const forced = await started();
  const long = forced.lookupTexts(Array.from({ length: 20 }, () => texts).flat());
  const rejected = assert.rejects(long, { name: "BatchError", code: "pool-closed" });
  await forced.close({ force: true });
  await rejected;
});

test("a process ends with an idle pool that is not closed, and after close", { timeout: 60_000 }, async () => {
  const source = (file: string): string => JSON.stringify(new URL(`../../../src/${file}`, import.meta.url).href);
  for (const end of ["", "await pool.close();"]) {
    const script = `
      const { createPool } = await import(${source("batch/pool/pool.ts")});
      const { openSnapshot } = await import(${source("snapshot/open-snapshot.ts")});
      const pool = await createPool({ threads: 3, snapshot: await openSnapshot(${JSON.stringify(join(folder, "test.ipsieve"))}) });
      const texts = Array.from({ length: 100_000 }, (_, i) => "1.2.3." + i % 256);
      console.log((await pool.lookupTexts(texts)).matches.length);${end}`;
    const run = promisify(execFile);
    const { stdout } = await run(process.execPath, ["--input-type=module", "--eval", script], { timeout: 50_000 });
    assert.equal(stdout, "100000\n");
  }
});
