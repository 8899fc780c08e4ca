import assert from "node:assert/strict";
import { utimes } from "node:fs/promises";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { writeSnapshot } from "../../src/snapshot/write-snapshot.ts";
import { enumerateCrashStates, newCrashReport } from "./harness/crash-states.ts";
import { killWriters, temporariesOf } from "./harness/kill-writers.ts";
import { recordPublish, recordRewriteInPlace, without } from "./harness/publish-trace.ts";
import { inTemporaryFolder, Random, sampleContent } from "./harness/sample.ts";
import { rounds } from "../rounds.ts";

const SEED = 1;
/** How many states after a crash are tried. */
const STATES = rounds({ short: 300, long: 1000 });

test("publishing writes, syncs, renames, and syncs the folder, in this order", () =>
  inTemporaryFolder(async (folder) => {
    const { trace } = await recordPublish(folder, SEED, "old");
    const kinds = trace.map(({ kind }) => kind).filter((kind, i, all) => kind !== all[i - 1]);
    assert.deepEqual(kinds, ["create", "write", "sync", "rename", "sync-folder"]);
  }));

test("after a crash at any moment of publishing there is the old snapshot or the new one", (t) =>
  inTemporaryFolder(async (folder) => {
    const report = newCrashReport();
    const publishes = rounds({ short: 3, long: 5 });
    for (let seed = SEED; seed < SEED + publishes; seed++) {
      await enumerateCrashStates(
        await recordPublish(folder, seed, "old"),
        join(folder, `crashed-${seed}`),
        seed,
        STATES,
        report,
      );
    }
    t.diagnostic(JSON.stringify(report));
    assert.equal(report.states, STATES * publishes);
    assert.deepEqual([report.corrupt, report.misplaced, report.absent, report.untyped], [0, 0, 0, []]);
    assert.ok(report.old > 0 && report.new > 0);
  }));

test("after a crash during the first publishing there is no snapshot or the new one", (t) =>
  inTemporaryFolder(async (folder) => {
    const crash = await recordPublish(folder, SEED, "nothing");
    const report = await enumerateCrashStates(crash, join(folder, "crashed"), SEED, STATES);
    t.diagnostic(JSON.stringify(report));
    assert.deepEqual([report.corrupt, report.misplaced, report.old, report.untyped], [0, 0, 0, []]);
    assert.ok(report.absent > 0 && report.new > 0);
  }));

test("negative control: rewriting in place is caught", (t) =>
  inTemporaryFolder(async (folder) => {
    const report = await enumerateCrashStates(
      await recordRewriteInPlace(folder, SEED),
      join(folder, "crashed"),
      SEED,
      STATES,
    );
    t.diagnostic(JSON.stringify(report));
    assert.ok(report.corrupt > STATES / 5);
  }));

test("negative control: a rename without a preceding sync is caught", (t) =>
  inTemporaryFolder(async (folder) => {
    const crash = without(await recordPublish(folder, SEED, "old"), "sync");
    const report = await enumerateCrashStates(crash, join(folder, "crashed"), SEED, STATES);
    t.diagnostic(JSON.stringify(report));
    assert.ok(report.corrupt > STATES / 100);
  }));

test("negative control: publishing without a sync of the folder is caught, because the old one may reappear", (t) =>
  inTemporaryFolder(async (folder) => {
    const crash = without(await recordPublish(folder, SEED, "old"), "sync-folder");
    const report = await enumerateCrashStates(crash, join(folder, "crashed"), SEED, STATES);
    t.diagnostic(JSON.stringify(report));
    assert.equal(report.corrupt, 0);
    assert.ok(report.misplaced > 0);
  }));

test("a writer killed at any moment leaves the last snapshot it reported, or the next, complete; leftovers are removed later", (t) =>
  inTemporaryFolder(async (folder) => {
    const path = join(folder, "snapshot");
    await writeSnapshot(path, { ...sampleContent(new Random(SEED)), metadata: { number: 0 } });
    const report = await killWriters(
      path,
      SEED,
      ({ kills, inTheMiddle }) => kills < rounds({ short: 5, long: 15 }) || (inTheMiddle === 0 && kills < 200),
    );
    t.diagnostic(JSON.stringify(report));
    assert.deepEqual(report.wrong, []);
    assert.ok(report.inTheMiddle > 0);
    const longAgo = new Date(Date.now() - 3_600_000);
    for (const name of await temporariesOf(path)) await utimes(join(dirname(path), name), longAgo, longAgo);
    await writeSnapshot(path, sampleContent(new Random(SEED)));
    assert.deepEqual(await temporariesOf(path), []);
  }));
