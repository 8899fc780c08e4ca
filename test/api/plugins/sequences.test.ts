import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { startBrokenServer } from "../fuzz/broken-server.ts";
import { BROKEN_SERVICES } from "../sequences/broken-services.ts";
import { runSequences } from "../sequences/run-sequences.ts";
import { startServer, type TestServer } from "../start-server.ts";
import { rounds, sampled } from "../../rounds.ts";

// The two-organisation part of R8, short form; the long form is npm run torture -- sequences.
/** Of this seed, already 30 sequences come to every kind of answer; of the other, to what the faults spoil. */
const SEED = 5;
const CONTROL_SEED = 1;

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
  const { failure, ...report } = await runSequences({ server: t, seed: SEED, runs: rounds({ short: 30, long: 200 }) });
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
      const { failure } = await runSequences({
        server: t,
        url: broken.url,
        seed: CONTROL_SEED,
        runs: 300,
        shrinks: false,
      });
      assert.notEqual(failure, undefined);
    } finally {
      broken.close();
    }
  });
}
