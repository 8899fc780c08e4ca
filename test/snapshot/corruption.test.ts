import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { writeSnapshot } from "../../src/snapshot/write-snapshot.ts";
import { corruptAtRandom, flipBits } from "./harness/corruption.ts";
import { runCrafted } from "./harness/run-crafted.ts";
import { inTemporaryFolder, Random, reseal, sampleContent } from "./harness/sample.ts";
import { rounds } from "../rounds.ts";

const SEED = 1;
const CORRUPTED = rounds({ short: 500, long: 5_000 });
/** Every bit of these first bytes is flipped: the head, the gap after it and the first section in the long form. */
const FLIPPED = rounds({ short: 160, long: 640 });
const CRAFTED = rounds({ short: 400, long: 1500 });

async function goodFile(folder: string, seed: number, prefixes: number): Promise<Buffer> {
  const path = join(folder, `good-${seed}`);
  await writeSnapshot(path, { ...sampleContent(new Random(seed), prefixes), createdAt: new Date(0) });
  return readFile(path);
}

test("a flipped bit is rejected: every bit of the first bytes, one of every other byte", (t) =>
  inTemporaryFolder(async (folder) => {
    const good = await goodFile(folder, SEED, 10);
    const report = await flipBits(join(folder, "corrupt"), good, FLIPPED);
    t.diagnostic(JSON.stringify(report));
    assert.equal(report.tried, good.length + 7 * FLIPPED);
    assert.deepEqual([report.refused, report.accepted, report.untyped], [report.tried, 0, []]);
  }));

test("random corruption is rejected", (t) =>
  inTemporaryFolder(async (folder) => {
    const good = await goodFile(folder, SEED, 60);
    const report = await corruptAtRandom(join(folder, "corrupt"), good, SEED, (tried) => tried < CORRUPTED);
    t.diagnostic(JSON.stringify(report));
    assert.deepEqual([report.refused, report.accepted, report.untyped], [CORRUPTED, 0, []]);
  }));

test("negative control: without checksums the same corruption causes wrong results, and the harness detects them", (t) =>
  inTemporaryFolder(async (folder) => {
    const good = await goodFile(folder, SEED, 60);
    const report = await corruptAtRandom(join(folder, "corrupt"), good, SEED, (tried) => tried < 1000, reseal);
    t.diagnostic(JSON.stringify(report));
    assert.ok(report.accepted > 100 && report.wrong > 50);
  }));

test("files crafted with valid checksums are rejected or yield consistent results", (t) =>
  inTemporaryFolder(async (folder) => {
    const [one, other] = [await goodFile(folder, 1, 40), await goodFile(folder, 2, 40)];
    const work = {
      path: join(folder, "crafted"),
      one,
      other,
      from: SEED * 1_000_000,
      limit: CRAFTED,
      until: Number.POSITIVE_INFINITY,
    };
    const report = await runCrafted({ ...work, trusting: false, hangAt: null });
    t.diagnostic(JSON.stringify(report));
    assert.ok("tried" in report, `hung at file ${JSON.stringify(report)}`);
    assert.deepEqual([report.tried, report.wrong, report.untyped], [CRAFTED, [], []]);
    assert.ok(
      report.refusedAtOpen > CRAFTED / 10 && report.refusedAtVerify > CRAFTED / 10 && report.consistent > CRAFTED / 50,
      "each outcome is among them",
    );
  }));

test("negative control: a reader that trusts checksums yields wrong results for crafted files, and a hang is detected", (t) =>
  inTemporaryFolder(async (folder) => {
    const [one, other] = [await goodFile(folder, 1, 40), await goodFile(folder, 2, 40)];
    const work = {
      path: join(folder, "crafted"),
      one,
      other,
      from: SEED * 1_000_000,
      limit: 500,
      until: Number.POSITIVE_INFINITY,
    };
    const trusting = await runCrafted({ ...work, trusting: true, hangAt: null }, 2000);
    t.diagnostic(JSON.stringify(trusting).slice(0, 300));
    assert.ok("hungAt" in trusting || trusting.wrong.length > 50);
    assert.deepEqual(await runCrafted({ ...work, trusting: false, hangAt: 7 }, 3000), { hungAt: work.from + 7 });
  }));
