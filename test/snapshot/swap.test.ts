import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { runSwaps } from "./harness/run-swaps.ts";
import { inTemporaryFolder } from "./harness/sample.ts";
import { takingTurns, rounds } from "../rounds.ts";

const upTo =
  (limit: number) =>
  (swaps: number): boolean =>
    swaps < limit;

test("threads that open while a writer publishes see complete generations, none older than the previous one", (t) =>
  inTemporaryFolder(async (folder) => {
    const report = await runSwaps({
      path: join(folder, "snapshot"),
      prefixes: 2000,
      lookupsPerOpen: 2000,
      go: upTo(rounds({ short: 60, long: 150 })),
    });
    t.diagnostic(JSON.stringify(report));
    assert.deepEqual([report.torn, report.mixed, report.backwards, report.untyped], [0, 0, 0, []]);
    assert.ok(
      report.generations > rounds({ short: 10, long: 15 }) && report.lookups > 100_000,
      "each thread saw many generations",
    );
  }));

test("negative control: a file rewritten in place is seen half written", { skip: takingTurns(3, 1) }, (t) =>
  inTemporaryFolder(async (folder) => {
    const report = await runSwaps({
      path: join(folder, "snapshot"),
      prefixes: 2000,
      lookupsPerOpen: 2000,
      go: upTo(60),
      inPlace: true,
    });
    t.diagnostic(JSON.stringify(report));
    assert.ok(report.torn > 0);
    assert.equal(report.mixed, 0, "what is half written is refused, not read");
  }),
);

test("negative control: a reader that mixes two openings is detected", { skip: takingTurns(3) }, (t) =>
  inTemporaryFolder(async (folder) => {
    const report = await runSwaps({
      path: join(folder, "snapshot"),
      prefixes: 2000,
      lookupsPerOpen: 2000,
      go: upTo(150),
      mixing: true,
    });
    t.diagnostic(JSON.stringify(report));
    assert.ok(report.mixed > 0);
  }),
);
