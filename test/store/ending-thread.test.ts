import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { describe, test, type TestContext } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { setFlagsFromString } from "node:v8";
import type { Worker } from "node:worker_threads";
import { Random } from "../../bench/data/random.ts";
import type { StoreError } from "../../src/store/store-error.ts";
import { adding, by, Replica } from "./harness/stores.ts";
import { until } from "../until.ts";
import { onlyLong } from "../rounds.ts";

/** The threads that stores have started, the newest last. */
const threads: Worker[] = [];
process.on("worker", (thread) => threads.push(thread));

interface Subject {
  readonly file: string;
  readonly replica: Replica;
  readonly into: { readonly organisationId: string; readonly rulesetId: string };
  add(prefix: string): Promise<unknown>;
  /** The prefixes in memory, in order. */
  known(): string[];
}

async function openSubject(t: TestContext): Promise<Subject> {
  const folder = mkdtempSync(join(tmpdir(), "ipsieve-thread-"));
  const file = join(folder, "store.db");
  const replica = await Replica.open({ file });
  t.after(async () => {
    await replica.store.close();
    rmSync(folder, { recursive: true, force: true });
  });
  const { organisation, blocklist } = await replica.organisation();
  const into = { organisationId: organisation.id, rulesetId: blocklist.id };
  const add = (prefix: string) =>
    replica.store.write({ kind: "add-rule", ...into, request: adding(prefix, { mode: "fail" }), ...by(2) });
  return { file, replica, into, add, known: () => [...replica.memory.rulesOf(blocklist.id).keys()].sort() };
}

async function endThread(): Promise<void> {
  await threads.at(-1)!.terminate();
}

/** Retries until the file is open again. Returns the errors until then. */
async function whenOpen<T>(call: () => Promise<T>): Promise<{ result: T; errors: StoreError[] }> {
  for (const errors: StoreError[] = []; ; await delay(20)) {
    try {
      return { result: await call(), errors };
    } catch (error) {
      errors.push(error as StoreError);
    }
  }
}

/** The last change in the file, whichever process has it open. */
function sequenceIn(file: string): number {
  const database = new DatabaseSync(file, { readOnly: true });
  const { sequence } = database.prepare("select sequence from store").get() as { sequence: number };
  database.close();
  return sequence;
}

describe("the thread of a SQLite file that ends", () => {
  test("is replaced: calls until then are rejected with the reason; later ones work", async (t) => {
    const { replica, add, known } = await openSubject(t);
    await add("192.0.2.1");
    const started = threads.length;
    await endThread();
    await assert.rejects(add("192.0.2.2"), {
      name: "StoreError",
      code: "unavailable",
      message: /store\.db: the file is being opened again: the thread that writes it has ended$/,
    });
    const { errors } = await whenOpen(() => add("192.0.2.3"));
    assert.deepEqual([...new Set(errors.map(({ code }) => code))], ["unavailable"]);
    assert.deepEqual([known(), threads.length - started], [["192.0.2.1", "192.0.2.3"], 1]);
    assert.ok(
      replica.failures.length > 0,
      "whoever follows the changes hears of it, even where nothing else was under way",
    );
    await replica.store.check();
  });

  test("during calls: their outcome is unknown, and nothing acknowledged is lost or repeated", async (t) => {
    const { replica, add, known } = await openSubject(t);
    const random = new Random(1);
    const [acknowledged, unknown] = [new Set<string>(), new Set<string>()];
    const writing = new AbortController();
    const writers = Array.from({ length: 8 }, async (_, writer) => {
      for (let i = 0; !writing.signal.aborted; i++) {
        const prefix = `10.${writer}.${i >> 8}.${i & 255}`;
        try {
          await add(prefix);
          acknowledged.add(prefix);
        } catch (error) {
          const { code } = error as StoreError;
          if (code === "outcome-unknown") unknown.add(prefix);
          else assert.equal(code, "unavailable");
          await delay(5);
        }
      }
    });
    for (let round = 0; round < 3; round++) {
      const before = acknowledged.size;
      await until("another write is acknowledged", () => acknowledged.size > before, { every: 1 });
      await delay(random.below(50));
      await endThread();
    }
    await whenOpen(() => add("192.0.2.1"));
    writing.abort();
    await Promise.all(writers);
    t.diagnostic(`${acknowledged.size} acknowledged, ${unknown.size} unknown`);
    assert.ok(unknown.size > 0);
    const there = known().filter((prefix) => prefix !== "192.0.2.1");
    assert.deepEqual(
      [...acknowledged].filter((prefix) => !there.includes(prefix)),
      [],
    );
    assert.deepEqual(
      there.filter((prefix) => !acknowledged.has(prefix) && !unknown.has(prefix)),
      [],
    );
    assert.equal((await replica.store.check()).rules, there.length + 1, "memory has what the file has");
  });

  test("after a commit whose confirmation is lost: the change is found in the file", async (t) => {
    const { file, replica, into, add, known } = await openSubject(t);
    const { sequence } = replica.memory;
    // No call waits for an answer with this id.
    const argument = [{ kind: "add-rule", ...into, request: adding("192.0.2.7"), ...by(2) }];
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread, not a window
    threads.at(-1)!.postMessage({ id: -1, method: "execute", argument });
    await until("the change is in the file", () => sequenceIn(file) !== sequence, { every: 1 });
    await endThread();
    await whenOpen(() => add("192.0.2.8"));
    assert.deepEqual(known(), ["192.0.2.7", "192.0.2.8"]);
  });

  test("in the middle of a transaction: it is rolled back, and no lock is held", async (t) => {
    const { file, replica, into, add } = await openSubject(t);
    const items = Array.from({ length: 10_000 }, (_, i) => ({ add: adding(`10.1.${i >> 8}.${i & 255}`) }));
    const batch = replica.store.write({ kind: "batch-rules", ...into, items, atomic: true, ...by(2) });
    const outcome = batch.then(
      () => "done",
      ({ code }: StoreError) => code,
    );
    const other = new DatabaseSync(file, { timeout: 0 });
    await until("the transaction has begun", () => !canWrite(other), { every: 1 });
    await endThread();
    assert.ok(canWrite(other));
    other.close();
    assert.equal(await outcome, "outcome-unknown");
    await whenOpen(() => add("192.0.2.1"));
    assert.equal((await replica.store.check()).rules, 1);
  });

  for (const replacement of [null, "something else"]) {
    test(`while the file has been ${replacement === null ? "moved" : "replaced"}: it is opened when it is back, and any other file is left alone`, async (t) => {
      const { file, add, known } = await openSubject(t);
      await add("192.0.2.1");
      renameSync(file, `${file}.elsewhere`);
      if (replacement !== null) writeFileSync(file, replacement);
      await endThread();
      const why = `the database file has been ${replacement === null ? "moved or deleted" : "replaced"}; put the original file back`;
      for (let message = ""; !message.includes(why); await delay(20)) {
        await assert.rejects(add("192.0.2.2"), ({ code, message: text }: StoreError) => {
          message = text;
          return code === "unavailable";
        });
      }
      if (replacement !== null) assert.equal(readFileSync(file, "utf8"), replacement);
      renameSync(`${file}.elsewhere`, file);
      await whenOpen(() => add("192.0.2.3"));
      assert.deepEqual(known(), ["192.0.2.1", "192.0.2.3"]);
    });
  }

  test(
    "repeatedly, at each opening: new threads are started one after the other, with a pause, until one can open it",
    { skip: onlyLong() },
    async (t) => {
      const { add } = await openSubject(t);
      const endAtOnce = (thread: Worker): void => void thread.terminate();
      process.on("worker", endAtOnce);
      const started = threads.length;
      const begun = performance.now();
      await endThread();
      await until("three threads have been started", () => threads.length >= started + 3);
      assert.ok(performance.now() - begun >= 1200, "three pauses, at least");
      process.off("worker", endAtOnce);
      await whenOpen(() => add("192.0.2.1"));
    },
  );

  test("a store is closed between two of them", async (t) => {
    const { replica } = await openSubject(t);
    await endThread();
    const started = threads.length;
    await replica.store.close();
    await delay(700);
    assert.equal(threads.length, started);
  });

  test("out of memory: the same", async (t) => {
    // The flag applies to threads that are started from now on.
    setFlagsFromString("--max-old-space-size=24");
    const { into, replica, add, known } = await openSubject(t);
    setFlagsFromString("--max-old-space-size=0");
    await add("192.0.2.1");
    const items = Array.from({ length: 50_000 }, (_, i) => ({
      add: adding(`10.${i >> 16}.${(i >> 8) & 255}.${i & 255}`, { name: `${i}`.repeat(20) }),
    }));
    const before = threads.length;
    await assert.rejects(replica.store.write({ kind: "batch-rules", ...into, items, atomic: true, ...by(2) }), {
      code: "outcome-unknown",
      message: /memory/,
    });
    await whenOpen(() => add("192.0.2.3"));
    assert.deepEqual([known(), threads.length - before], [["192.0.2.1", "192.0.2.3"], 1]);
  });
});

function canWrite(database: DatabaseSync): boolean {
  try {
    database.exec("begin immediate; rollback");
    return true;
  } catch {
    return false;
  }
}
