import assert from "node:assert/strict";
import { test } from "node:test";
import { onlyLong } from "../rounds.ts";
import { inTemporaryFolder } from "../snapshot/harness/sample.ts";
import { startPostgres, whyNoPostgres } from "../store/harness/postgres.ts";
import { missedBrokenFeeds } from "./harness/broken-feeds.ts";
import { faultFeeds } from "./harness/faulted-feeds.ts";

const FAULTS = 14;

test(
  "devices that poll while database, server, disk and token fail get a published list, 304, 503 or nothing",
  {
    skip: onlyLong() || (await whyNoPostgres()),
  },
  async (t) => {
    await using postgres = await startPostgres();
    const { faults, answers, wrong, lists } = await inTemporaryFolder((folder) =>
      faultFeeds({ folder, seed: 3, postgres, go: (soFar) => sum(soFar.faults) < FAULTS && soFar.wrong.length === 0 }),
    );
    t.diagnostic(JSON.stringify({ faults, answers, lists: lists.size }));
    assert.deepEqual(wrong, []);
    assert.ok(answers["200"]! > 0 && answers["304"]! > 0 && lists.size > 2, "the list was polled, and changed");
  },
);

test("negative control: each server that would disarm a firewall is detected", async () => {
  assert.deepEqual(await missedBrokenFeeds(), []);
});

function sum(counts: Readonly<Record<string, number>>): number {
  return Object.values(counts).reduce((all, count) => all + count, 0);
}
