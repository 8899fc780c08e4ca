import assert from "node:assert/strict";
import { test } from "node:test";
import { inTemporaryFolder } from "../snapshot/harness/sample.ts";
import { startPostgres, whyNoPostgres } from "../store/harness/postgres.ts";
import { killServers, type ServerKillReport } from "./harness/kill-servers.ts";
import { runDownloads } from "./harness/run-downloads.ts";
import { runOverload } from "./harness/run-overload.ts";
import { runShutdowns } from "./harness/run-shutdowns.ts";
import { takingTurns, onlyLong, rounds } from "../rounds.ts";

// Short forms; for the long ones see npm run torture -- kills, torture -- overload and torture -- downloads.

test("R1: what the server acknowledged survives kill -9", { skip: takingTurns(3) }, (t) =>
  inTemporaryFolder(async (folder) => {
    const report = await killServers({
      folder,
      seed: 2,
      timing: "honest",
      go: ({ kills }) => kills < rounds({ short: 2, long: 4 }),
    });
    t.diagnostic(JSON.stringify(report));
    assert.deepEqual(report.lost, []);
    assert.ok(report.acknowledged > 0 && report.fromSnapshots > 0);
  }),
);

test(
  "R1, negative control: writes that count as acknowledged when they are sent are missed",
  { skip: onlyLong() },
  () =>
    inTemporaryFolder(async (folder) => {
      const go = ({ kills, lost }: ServerKillReport): boolean => kills < 20 && lost.length === 0;
      const control = await killServers({ folder, seed: 1, timing: "early", go });
      assert.ok(control.lost.length > 0);
    }),
);

test("R1: the same on PostgreSQL", { skip: (await whyNoPostgres()) || onlyLong() }, async (t) => {
  await using postgres = await startPostgres();
  await inTemporaryFolder(async (folder) => {
    const report = await killServers({
      folder,
      store: { url: await postgres.database() },
      seed: 3,
      timing: "honest",
      go: ({ kills }) => kills < 3,
    });
    t.diagnostic(JSON.stringify(report));
    assert.deepEqual(report.lost, []);
    assert.ok(report.acknowledged > 0 && report.fromSnapshots > 0);
  });
});

test("R10: SIGTERM under load fails no request in progress", { skip: onlyLong() }, (t) =>
  inTemporaryFolder(async (folder) => {
    const killed = await runShutdowns({ folder, seed: 1, go: (shutdowns) => shutdowns < 1, signal: "SIGKILL" });
    assert.ok(killed.failed > 0, "negative control: SIGKILL fails requests");
    const report = await runShutdowns({
      folder,
      seed: 2,
      go: (shutdowns) => shutdowns < 3,
    });
    t.diagnostic(JSON.stringify(report));
    assert.ok(report.inFlight > 0);
    assert.deepEqual([report.failed, report.badExits], [0, []]);
  }),
);

test(
  "R10: five times as many requests as the server can process are answered, or shed with 503 and Retry-After",
  { skip: onlyLong() },
  (t) =>
    inTemporaryFolder(async (folder) => {
      const report = await runOverload({ folder, milliseconds: 3000, of: "pages" });
      t.diagnostic(JSON.stringify(report));
      assert.ok(report.shed > 0 && report.goodput > 0);
      assert.equal(report.others, 0);
    }),
);

test(
  "R10: lookups from more connections than the event loop accepts at once are answered, or shed with 503 and Retry-After",
  { skip: onlyLong() },
  (t) =>
    inTemporaryFolder(async (folder) => {
      const report = await runOverload({ folder, milliseconds: 1500, of: "lookups" });
      t.diagnostic(JSON.stringify(report));
      assert.ok(report.goodput > 0);
      assert.equal(report.others, 0);
    }),
);

test("R11: parallel downloads of a big list share its bytes, and none is truncated", { skip: takingTurns(3, 1) }, (t) =>
  inTemporaryFolder(async (folder) => {
    const report = await runDownloads({ folder, rules: 20_000, downloads: 30 });
    t.diagnostic(JSON.stringify(report));
    assert.equal(report.wrong, 0);
  }),
);
