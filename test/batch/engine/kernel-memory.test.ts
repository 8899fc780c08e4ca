import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { Readable, Writable } from "node:stream";
import { setImmediate as nextTurn, setTimeout as wait } from "node:timers/promises";
import { test } from "node:test";
import { Worker } from "node:worker_threads";
import { identify } from "../../../src/batch/identify.ts";
import type { IdentifyOptions } from "../../../src/batch/identify-options.ts";
import { Matcher } from "../../../src/batch/engine/matcher.ts";
import { Snapshot } from "../../../src/snapshot/snapshot.ts";
import { makeSnapshot, RENDERER, temporaryFolder } from "../fixture.ts";

// A WebAssembly memory never shrinks: memory that a run does not release is lost for all later runs.

const folder = temporaryFolder();
const log = join(folder, "log");
writeFileSync(log, Array.from({ length: 60_000 }, (_, i) => `${i % 200}.${i % 251}.3.${i % 256} x y z\n`).join(""));

/** Megabytes by which the memory grows while `again` runs five times, after a first time. */
async function growth(snapshot: Snapshot, again: () => Promise<unknown>): Promise<number> {
  await again();
  await nextTurn();
  const before = snapshot.memory!.buffer.byteLength;
  for (let i = 0; i < 5; i++) {
    await again();
    await wait(20); // a write that is no longer waited for completes
  }
  return (snapshot.memory!.buffer.byteLength - before) / 2 ** 20;
}

test("runs that succeed, whose output is closed, or that are aborted during a write release their memory", async () => {
  const snapshot = await makeSnapshot(folder);
  const run = (options: Partial<IdentifyOptions>): Promise<unknown> =>
    identify({
      inputs: [log],
      snapshot,
      format: "append",
      renderer: RENDERER,
      threads: 1,
      engine: "webassembly",
      ...options,
    });
  const closing = (): Writable => {
    let writes = 0;
    return new Writable({
      highWaterMark: 1,
      write: (_chunk, _encoding, done) =>
        done(++writes < 3 ? null : Object.assign(new Error("gone"), { code: "EPIPE" })),
    });
  };
  const aborting = async (): Promise<void> => {
    const abort = new AbortController();
    const output = new Writable({
      highWaterMark: 1,
      write: (_chunk, _encoding, done) => void (setTimeout(done, 5), setImmediate(() => abort.abort())),
    });
    await assert.rejects(run({ output, signal: abort.signal }), { name: "AbortError" });
  };
  assert.equal(await growth(snapshot, () => run({ output: { path: "/dev/null" } })), 0);
  assert.equal(await growth(snapshot, () => run({ output: closing() })), 0);
  assert.equal(await growth(snapshot, aborting), 0);
  assert.equal(
    await growth(snapshot, () => run({ output: { path: "/dev/null" }, countMatches: true, format: "none" })),
    0,
  );
});

test("lines and rows longer than any buffer do not use the memory that only grows", async () => {
  const snapshot = await makeSnapshot(folder);
  const line = Buffer.from(`1.2.3.4 ${"x".repeat(200_000)}\n`);
  const run = (count: number): Promise<unknown> => {
    const pieces = function* (): Generator<Buffer> {
      for (let i = 0; i < count; i++)
        for (let at = 0; at < line.length; at += 30_000) yield line.subarray(at, at + 30_000);
    };
    const limits = { shardBytes: 64 * 1024, rowBytes: 64 * 1024 };
    return identify({
      inputs: [Readable.from(pieces())],
      snapshot,
      format: "append",
      renderer: RENDERER,
      output: { path: "/dev/null" },
      threads: 1,
      limits,
    });
  };
  await run(3);
  const before = snapshot.memory!.buffer.byteLength;
  await run(200);
  assert.equal(snapshot.memory!.buffer.byteLength, before);
});

test("attaching to a snapshot repeatedly takes memory for one matcher only", async () => {
  const snapshot = await makeSnapshot(folder);
  const attach = async (): Promise<void> => {
    const matcher = new Matcher(Snapshot.attach(snapshot.shared), { engine: "webassembly" });
    assert.equal(matcher.identifyBuffer(Buffer.from("1.2.3.4\n")).matched, 1);
  };
  assert.equal(await growth(snapshot, attach), 0);
});

test("a thread with a matcher takes half a megabyte, so thousands may start and end", async () => {
  const snapshot = await makeSnapshot(folder);
  const source = `
    import { parentPort, workerData } from "node:worker_threads";
    const { Matcher } = await import(workerData.matcher);
    const { Snapshot } = await import(workerData.snapshot);
    parentPort.postMessage(new Matcher(Snapshot.attach(workerData.shared), { engine: "webassembly" }).identifyBuffer(Buffer.from("1.2.3.4\\n")).matched);
  `;
  const workerData = {
    shared: snapshot.shared,
    matcher: new URL("../../../src/batch/engine/matcher.ts", import.meta.url).href,
    snapshot: new URL("../../../src/snapshot/snapshot.ts", import.meta.url).href,
  };
  const work = (): Promise<void> =>
    new Promise((resolve, reject) => {
      const worker = new Worker(new URL(`data:text/javascript,${encodeURIComponent(source)}`), { workerData });
      worker
        .on("message", (matched) => assert.equal(matched, 1))
        .on("error", reject)
        .on("exit", () => resolve());
    });
  const megabytes = await growth(snapshot, work);
  assert.ok(megabytes > 0 && megabytes <= 5 * 0.5, `${megabytes} MB for five threads`);
});
