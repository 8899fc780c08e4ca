import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { test } from "node:test";
import { compareLines } from "../../bench/figures/compare-lines.ts";
import { compareLookups } from "../../bench/figures/compare-lookups.ts";
import { measureTurns, run } from "../../bench/figures/whole-command.ts";
import { quickLines4 } from "../../bench/data/files.ts";
import { refusal } from "../../bench/harness/prove.ts";
import { requireExpected } from "../../bench/data/expected.ts";
import { summarize } from "../../bench/figures/part.ts";
import { onlyLong } from "../rounds.ts";

const runFile = fileURLToPath(new URL("../../bench/run.ts", import.meta.url));

test(
  "the smoke run measures both engines of ipsieve and net.BlockList, rejects none and records nothing",
  { skip: onlyLong() },
  () => {
    const { status, stdout, stderr } = spawnSync(process.execPath, [runFile, "--quick"], { encoding: "utf8" });
    assert.equal(status, 0, stderr);
    for (const table of ["quick4", "quick6"]) {
      for (const kind of ["uniform", "hits", "skewed", "misses"]) {
        for (const form of ["batch", "lines", "native", "text"])
          assert.match(stdout, new RegExp(`^quick: ipsieve ${table} ${form} ${kind}: [\\d.,]+ ns/lookup`, "m"));
        for (const form of ["batch", "lines"])
          assert.match(stdout, new RegExp(`^quick: ipsieve-kernel ${table} ${form} ${kind}: [\\d.,]+ ns/lookup`, "m"));
        for (const form of ["native", "text"])
          assert.match(stdout, new RegExp(`^quick: net.BlockList ${table} ${form} ${kind}: `, "m"));
      }
    }
    assert.doesNotMatch(stdout, /refused/);
    assert.doesNotMatch(stderr, /record/);
  },
);

test("a contender that is wrong on 1 of 1000 queries is rejected, and not quoted", async () => {
  const broken = new URL("./broken-contender.ts", import.meta.url).href;
  const result = await compareLookups({
    table: "quick4",
    contenders: [broken, "net-block-list"],
    rounds: 1,
    milliseconds: 1,
    singleCount: 1_000,
  });
  assert.deepEqual(
    result.refusals.map(({ contender }) => contender),
    ["broken"],
  );
  assert.match(
    result.refusals[0]!.reason,
    /^text, hits: 1 of 1000 answers are wrong; the first: \d+\.\d+\.\d+\.\d+ gave \d+, right is \d+$/,
  );
  assert.deepEqual([...new Set(result.measurements.map(({ subject }) => subject))], ["net.BlockList"]);
});

test("a contender that cannot be loaded is rejected with the reason, and the others continue", async () => {
  const missing = new URL("./no-such-contender.ts", import.meta.url).href;
  const result = await compareLookups({
    table: "quick4",
    contenders: [missing, "net-block-list"],
    rounds: 1,
    milliseconds: 1,
    singleCount: 1_000,
  });
  assert.match(result.refusals[0]!.reason, /Cannot find module/);
  assert.ok(result.measurements.length > 0);
});

test("a line contender is checked by every answer, a count by its figure; a wrong one is not quoted", async () => {
  const module = (name: string): string => new URL(`./${name}.ts`, import.meta.url).href;
  const { refusals, measurements } = await compareLines({
    file: quickLines4,
    contenders: [module("broken-lines"), module("broken-count"), "ipsieve-lines"],
    rounds: 1,
  });
  assert.match(
    refusals[0]!.reason,
    /^right sum, wrong lines: the answers have the checksum [0-9a-f]+, right is [0-9a-f]+$/,
  );
  assert.match(refusals[1]!.reason, /^one less: matched is 9983, right is 9984$/);
  assert.equal(refusals.length, 2);
  assert.deepEqual([...new Set(measurements.map(({ subject }) => subject))], ["ipsieve identifyLines"]);
  assert.ok(measurements.every(({ unit, median }) => unit === "addresses/s" && median > 0));
});

test("a command with a wrong output is never timed", () => {
  const turn = { subject: "echo", threads: 1, stdout: "7", run: () => run("echo", ["8"], "stdout") };
  assert.throws(() => measureTurns([turn], 1), /echo printed 8, right is 7/);
});

test("an unknown part is named together with the existing parts", () => {
  const { status, stderr } = spawnSync(process.execPath, [runFile, "--only", "lpm5"], { encoding: "utf8" });
  assert.notEqual(status, 0);
  assert.match(stderr, /no part is called lpm5; the parts are lpm4, lpm6/);
});

test("membership is compared as yes or no, values exactly", () => {
  const values = Uint32Array.of(0, 7, 9);
  const describe = (index: number): string => `query ${index}`;
  assert.equal(refusal("value", Uint32Array.of(0, 7, 9), values, describe), null);
  assert.equal(refusal("member", Uint32Array.of(0, 1, 1), values, describe), null);
  assert.equal(
    refusal("value", Uint32Array.of(0, 9, 9), values, describe),
    "1 of 3 answers are wrong; the first: query 1 gave 9, right is 7",
  );
  assert.equal(
    refusal("member", Uint32Array.of(1, 1, 0), values, describe),
    "2 of 3 answers are wrong; the first: query 0 gave 1, right is 0",
  );
});

test("an input other than the recorded one is rejected", () => {
  assert.throws(
    () => requireExpected("quick4", { prefixCount: 1 }),
    /quick4 is not the one recorded in bench\/expected\.json/,
  );
});

test("best is the lowest time or the highest rate; the median of an even number is the middle", () => {
  assert.deepEqual(summarize([3, 1, 2, 10]), { best: 1, median: 2.5, samples: 4 });
  assert.deepEqual(summarize([3, 1, 2], "more"), { best: 3, median: 2, samples: 3 });
});
