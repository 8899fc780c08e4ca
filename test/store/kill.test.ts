import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { inTemporaryFolder } from "../snapshot/harness/sample.ts";
import { killWriters } from "./harness/kill-writers.ts";
import { rounds } from "../rounds.ts";

const KILLS = rounds({ short: 2, long: 10 });

test("an acknowledged write survives kill -9, batches survive completely, and the file is intact (R1)", (t) =>
  inTemporaryFolder(async (folder) => {
    const report = await killWriters(join(folder, "killed.db"), 1, "honest", ({ kills }) => kills < KILLS);
    t.diagnostic(JSON.stringify({ ...report, lost: report.lost.length }));
    assert.deepEqual(report.lost, []);
    assert.ok(report.acknowledged > 5 * KILLS);
  }));

test("negative control: writes acknowledged before the commit are found missing", (t) =>
  inTemporaryFolder(async (folder) => {
    const report = await killWriters(
      join(folder, "killed.db"),
      1,
      "early",
      ({ kills, lost }) => kills < 20 && lost.length === 0,
    );
    t.diagnostic(JSON.stringify({ ...report, lost: report.lost.length }));
    assert.ok(report.lost.length > 0);
  }));
