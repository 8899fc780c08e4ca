import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { whyNoPostgres } from "../store/harness/postgres.ts";
import { holdsInPartitions, runPartitions, whyNoPartitions } from "./harness/partitions.ts";
import { onlyLong } from "../rounds.ts";

// Short form; the long one is npm run torture -- partitions.
describe(
  "a server that is cut off from PostgreSQL by a packet filter",
  { skip: (await whyNoPostgres()) || whyNoPartitions() || onlyLong() },
  () => {
    test("acknowledges no write that is lost, returns no outdated rules as current, and catches up", (t) => {
      const report = runPartitions({ rounds: 2, seed: 1, timing: "honest" });
      t.diagnostic(JSON.stringify(report));
      assert.ok(holdsInPartitions(report), JSON.stringify(report));
      assert.ok(report.acknowledged > 0);
    });

    test("negative control: writes counted as acknowledged when sent are found missing", (t) => {
      const report = runPartitions({ rounds: 0, seed: 1, timing: "early" });
      t.diagnostic(`${report.lost.length} of ${report.acknowledged} lost`);
      assert.ok(report.lost.length > 0);
      assert.ok(!holdsInPartitions(report));
    });
  },
);
