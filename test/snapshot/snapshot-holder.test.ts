import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { once } from "node:events";
import { copyFile, mkdir, open, readFile, rename, rm, symlink, utimes, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import { openSnapshot } from "../../src/snapshot/open-snapshot.ts";
import type { Snapshot } from "../../src/snapshot/snapshot.ts";
import { SnapshotError } from "../../src/snapshot/snapshot-error.ts";
import { SnapshotHolder, watchSnapshot } from "../../src/snapshot/snapshot-holder.ts";
import { writeSnapshot } from "../../src/snapshot/write-snapshot.ts";
import { inTemporaryFolder, Random, sampleContent } from "./harness/sample.ts";

const holders: SnapshotHolder[] = [];
afterEach(() => {
  for (const holder of holders.splice(0)) holder.close();
});

/** A snapshot whose title contains its number. */
async function publish(path: string, number: number): Promise<void> {
  const content = sampleContent(new Random(number));
  await writeSnapshot(path, { ...content, metadata: { title: `snapshot ${number}` } });
}

function titleOf(snapshot: Snapshot): string {
  return (snapshot.metadata as { title: string }).title;
}

async function held(path: string, options?: { interval: number }): Promise<SnapshotHolder> {
  const holder = await watchSnapshot(path, options);
  holders.push(holder);
  return holder;
}

/** A holder for snapshots that need not exist yet. */
async function heldLater(paths: string | string[]): Promise<SnapshotHolder> {
  const holder = new SnapshotHolder(paths, { load: openSnapshot });
  holders.push(holder);
  await holder.open({ mayBeMissing: true });
  holder.watch({ interval: 100 });
  return holder;
}

/** Waits for one event, for at most two minutes. */
async function next(holder: SnapshotHolder, event: "swap" | "failure" | "retire"): Promise<any[]> {
  return once(holder as never, event, { signal: AbortSignal.timeout(120_000) });
}

test("a file that is replaced by rename is used at once, and the previous generation stays for its users", () =>
  inTemporaryFolder(async (folder) => {
    const path = join(folder, "list");
    await publish(path, 1);
    const holder = await held(path);
    const lease = holder.acquire();
    const other = holder.acquire();
    assert.equal(titleOf(lease.content), "snapshot 1");
    const retired: number[] = [];
    holder.on("retire", ({ number }) => retired.push(number));

    const swapped = next(holder, "swap");
    await publish(path, 2);
    const [current, before] = await swapped;
    assert.deepEqual([current.number, before.number, titleOf(holder.current!.content)], [2, 1, "snapshot 2"]);
    assert.equal(titleOf(lease.content), "snapshot 1", "whoever has it keeps it");
    lease.release();
    lease.release();
    assert.deepEqual(retired, [], "another user has it still; a second release does nothing");
    other[Symbol.dispose]();
    assert.deepEqual(retired, [1]);
    holder.acquire().release();
    assert.deepEqual(retired, [1], "what answers now does not retire");
  }));

test("a corrupt file is a failure with its error, and the next good one is used", () =>
  inTemporaryFolder(async (folder) => {
    const path = join(folder, "list");
    await publish(path, 1);
    const holder = await held(path);
    const bytes = await readFile(path);
    bytes[bytes.length - 1]! ^= 1;
    await writeFile(`${path}.next`, bytes);
    const failed = next(holder, "failure");
    await rename(`${path}.next`, path);
    const [error, where] = await failed;
    assert.ok(error instanceof SnapshotError && error.code === "section-checksum" && where === path, String(error));
    assert.equal(titleOf(holder.acquire().content), "snapshot 1");
    const swapped = next(holder, "swap");
    await publish(path, 3);
    assert.equal(titleOf((await swapped)[0].content), "snapshot 3");
  }));

test("a file that is being written in place is loaded only when it is complete", () =>
  inTemporaryFolder(async (folder) => {
    const path = join(folder, "list");
    await publish(path, 1);
    const holder = await held(path, { interval: 100 });
    await publish(join(folder, "new"), 2);
    const bytes = await readFile(join(folder, "new"));
    const swapped = next(holder, "swap");
    const file = await open(path, "r+");
    await file.truncate(0);
    for (let at = 0; at < bytes.length; at += 2048) {
      await file.write(bytes, at, Math.min(2048, bytes.length - at), at);
      await sleep(5);
    }
    await file.close();
    assert.equal(titleOf((await swapped)[0].content), "snapshot 2");
    assert.equal(holder.current!.number, 2);
  }));

test("a file that was read half written is read again, even if its times and size no longer change", () =>
  inTemporaryFolder(async (folder) => {
    const path = join(folder, "list");
    await publish(join(folder, "new"), 2);
    const bytes = await readFile(join(folder, "new"));
    const half = Buffer.from(bytes);
    half.fill(0, bytes.length >> 1);
    const holder = await heldLater(path);
    // One second ahead: it counts as just written for that much longer, however slow the machine is.
    const modified = new Date(Date.now() + 1000);
    const failed = next(holder, "failure");
    await writeFile(`${path}.next`, half);
    await utimes(`${path}.next`, modified, modified);
    await rename(`${path}.next`, path);
    await failed;
    const swapped = next(holder, "swap");
    const file = await open(path, "r+");
    await file.write(bytes, 0, bytes.length, 0);
    await file.utimes(modified, modified);
    await file.close();
    assert.equal(titleOf((await swapped)[0].content), "snapshot 2");
  }));

test("a deleted file stays in use; it may reappear, even with its folder", () =>
  inTemporaryFolder(async (folder) => {
    const path = join(folder, "inner", "list");
    await mkdir(join(folder, "inner"));
    await publish(path, 1);
    const holder = await held(path, { interval: 100 });
    holder.on("failure", (error) => assert.fail(String(error)));
    await rm(join(folder, "inner"), { recursive: true });
    await sleep(300);
    assert.equal(titleOf(holder.acquire().content), "snapshot 1");
    const swapped = next(holder, "swap");
    await mkdir(join(folder, "inner"));
    await publish(path, 2);
    assert.equal(titleOf((await swapped)[0].content), "snapshot 2");
    const again = next(holder, "swap");
    await publish(path, 3);
    assert.equal(titleOf((await again)[0].content), "snapshot 3");
  }));

test("changes that the system does not report are found by polling: a file behind a symbolic link", () =>
  inTemporaryFolder(async (folder) => {
    await mkdir(join(folder, "far"));
    await publish(join(folder, "far", "list"), 1);
    await symlink(join(folder, "far", "list"), join(folder, "list"));
    const holder = await held(join(folder, "list"), { interval: 100 });
    const swapped = next(holder, "swap");
    await publish(join(folder, "far", "list"), 2);
    assert.equal(titleOf((await swapped)[0].content), "snapshot 2");
  }));

test("opening a missing file is an error, unless it may be missing; of several paths the first existing one counts", () =>
  inTemporaryFolder(async (folder) => {
    const [first, second] = [join(folder, "first"), join(folder, "second")] as const;
    await assert.rejects(watchSnapshot(first), { name: "SnapshotError", code: "not-found" });
    const holder = await heldLater([first, second]);
    assert.equal(holder.current, undefined);
    assert.throws(() => holder.acquire(), { name: "SnapshotError", code: "not-found" });
    for (const [path, number] of [
      [second, 2],
      [first, 1],
    ] as const) {
      const swapped = next(holder, "swap");
      await publish(path, number);
      assert.equal(titleOf((await swapped)[0].content), `snapshot ${number}`);
    }
  }));

test("a new file that a call to reload has loaded is not loaded again by polling", () =>
  inTemporaryFolder(async (folder) => {
    const path = join(folder, "list");
    await publish(path, 1);
    const holder = await held(path, { interval: 20 });
    for (let number = 2; number <= 6; number++) {
      await publish(path, number);
      await sleep(25); // the change has been noticed, and is checked once more
      await holder.reload();
      const loaded = holder.current!;
      assert.equal(titleOf(loaded.content), `snapshot ${number}`);
      await sleep(150);
      assert.equal(holder.current, loaded);
    }
  }));

test("reloads that come while one is loading lead to one more, and a closed holder loads nothing by itself", () =>
  inTemporaryFolder(async (folder) => {
    const path = join(folder, "list");
    await publish(path, 1);
    const holder = new SnapshotHolder(path, { load: openSnapshot });
    holders.push(holder);
    await holder.open();
    assert.deepEqual(await Promise.all([holder.reload(), holder.reload(), holder.reload()]), [true, true, true]);
    assert.ok(holder.current!.number <= 3, `${holder.current!.number} loaded`);
    holder.watch({ interval: 20 });
    holder.close();
    const { number } = holder.current!;
    await publish(path, 2);
    await sleep(200);
    assert.equal(holder.current!.number, number);
    assert.equal(await holder.reload(), true, "unless it is asked to");
    assert.equal(titleOf(holder.current!.content), "snapshot 2");
  }));

test("under many swaps each user sees one generation, and every generation retires once", () =>
  inTemporaryFolder(async (folder) => {
    const path = join(folder, "list");
    for (let number = 1; number <= 8; number++) await publish(join(folder, `${number}`), number);
    await copyFile(join(folder, "1"), path);
    const holder = await held(path);
    const retired: number[] = [];
    holder.on("retire", ({ number }) => retired.push(number));
    const storm = { isOver: false };
    let answers = 0;
    const use = async (): Promise<void> => {
      while (!storm.isOver) {
        const lease = holder.acquire();
        const title = titleOf(lease.content);
        const { prefixCount4 } = lease.content.info;
        await sleep(1);
        assert.deepEqual([titleOf(lease.content), lease.content.info.prefixCount4], [title, prefixCount4]);
        assert.ok(!retired.includes(lease.number), "it was in use");
        lease.release();
        answers++;
      }
    };
    const users = [use(), use(), use()];
    for (let swap = 2; swap <= 24; swap++) {
      await copyFile(join(folder, `${1 + (swap % 8)}`), `${path}.next`);
      await rename(`${path}.next`, path);
      await holder.reload();
    }
    storm.isOver = true;
    await Promise.all(users);
    assert.ok(answers > 20 && holder.current!.number > 20, `${answers} answers, ${holder.current!.number} generations`);
    const all = Array.from({ length: holder.current!.number - 1 }, (_, i) => i + 1);
    assert.deepEqual(
      retired.toSorted((a, b) => a - b),
      all,
    );
  }));

test("a process that only watches ends", () =>
  inTemporaryFolder(async (folder) => {
    const path = join(folder, "list");
    await publish(path, 1);
    const module = new URL("../../src/snapshot/snapshot-holder.ts", import.meta.url).href;
    const script = `const { watchSnapshot } = await import(${JSON.stringify(module)}); await watchSnapshot(${JSON.stringify(path)}); console.log("watching");`;
    const run = promisify(execFile);
    const { stdout } = await run(process.execPath, ["--input-type=module", "--eval", script], { timeout: 60_000 });
    assert.equal(stdout, "watching\n");
  }));
