import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { startBrokenServer } from "../fuzz/broken-server.ts";
import { BROKEN_SERVICES } from "../sequences/broken-services.ts";
import { runSequences } from "../sequences/run-sequences.ts";
import { startServer, type TestServer } from "../start-server.ts";
import { rounds, sampled } from "../../rounds.ts";

// The two-organisation part of R8, short form; the long form is npm run torture -- sequences.
/** Of this seed, already 30 sequences come to every kind of answer. */
const SEED = 5;
/** Of these, a dozen sequences each, some come to what a fault spoils: those of one seed may need hundreds. */
const CONTROL_SEEDS = [3, 1, 2, 7, 8, 4, 5, 6];

let t: TestServer;
before(async () => {
  t = await startServer({
    perMinute: 1e9,
    perMonth: 1e12,
    failuresPerMinute: 1e9,
    logLevel: "silent",
  });
});
after(() => t.close());

test("sequences of two organisations with every kind of key get the results of the model, and see nothing of each other", async (c) => {
  const { failure, ...report } = await runSequences({ server: t, seed: SEED, runs: rounds({ short: 30, long: 100 }) });
  c.diagnostic(JSON.stringify(report));
  assert.equal(failure, undefined);
  for (const seen of [
    "get-ruleset 304",
    "batch 409",
    "add-rule 409",
    "add-rule 422",
    "replace 412",
    "update-rule 200",
    "list-rules 403",
    "list-rules 404",
  ]) {
    assert.ok((report.answers[seen] ?? 0) > 0, `no sequence came to ${seen}`);
  }
});

for (const [name, fault] of sampled(Object.entries(BROKEN_SERVICES), 4)) {
  test(`negative control: the model disagrees with a service that ${name}`, async () => {
    const broken = await startBrokenServer(t.server.url, "", fault());
    try {
      const about = { server: t, url: broken.url, runs: 12, shrinks: false };
      const failed = async (seed: number): Promise<boolean> =>
        (await runSequences({ ...about, seed })).failure !== undefined;
      assert.ok(await someOf(CONTROL_SEEDS, failed));
    } finally {
      broken.close();
    }
  });
}

/** Whether it holds for one, tried one after the other. */
async function someOf<Item>(items: readonly Item[], holds: (item: Item) => Promise<boolean>): Promise<boolean> {
  for (const item of items) if (await holds(item)) return true;
  return false;
}
