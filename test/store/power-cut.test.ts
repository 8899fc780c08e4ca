import assert from "node:assert/strict";
import { rmSync } from "node:fs";
import { test } from "node:test";
import { inTemporaryFolder } from "../snapshot/harness/sample.ts";
import { makeFastFolder } from "./harness/fast-folder.ts";
import { cutPower, recordWriters, whyNoStrace } from "./harness/power-cuts.ts";
import { rounds } from "../rounds.ts";

const CUTS = rounds({ short: 40, long: 100 });
const CUTS_OF_CONTROL = rounds({ short: 10, long: 60 });

test(
  "an acknowledged write survives a power failure; with synchronous = normal, the negative control, some do not (R2)",
  { skip: whyNoStrace() },
  (t) =>
    inTemporaryFolder(async (folder) => {
      const cut = makeFastFolder();
      t.after(() => rmSync(cut, { recursive: true }));
      const full = await cutPower(await recordWriters(folder, 1, "full", 12), cut, 1, CUTS);
      t.diagnostic(`full: ${JSON.stringify(full)}`);
      const normal = await cutPower(await recordWriters(folder, 1, "normal", 12), cut, 1, CUTS_OF_CONTROL);
      t.diagnostic(`normal: ${JSON.stringify(normal)}`);
      assert.equal(full.lost, 0);
      assert.deepEqual(full.corrupt, []);
      assert.ok(full.acknowledged > 1000);
      assert.ok(normal.lost > 0);
    }),
);
