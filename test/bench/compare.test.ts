import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { alternate, comparisonLine } from "../../bench/compare/alternate.ts";
import { processorTimeOf } from "../../bench/compare/processor-time.ts";

/** A runner that records its turns and takes the given milliseconds. */
const fake = (name: string, turns: string[], take: (turn: number) => number) => () => {
  turns.push(name);
  return take(turns.length - 1);
};

test("each round runs both sides once, in alternating order", () => {
  const turns: string[] = [];
  alternate(
    fake("before", turns, () => 1),
    fake("after", turns, () => 1),
    3,
  );
  assert.deepEqual(turns, ["before", "after", "after", "before", "before", "after"]);
});

test("ratios are within a round, and the median counts: neither a machine that slows down nor an outlier changes it", () => {
  const turns: string[] = [];
  // Twice as slow from round to round; the fourth measurement takes a hundred times as long.
  const slowing = (turn: number): number => 2 ** (turn >> 1) * (turn === 3 ? 100 : 1);
  const result = alternate(
    fake("before", turns, (turn) => 10 * slowing(turn)),
    fake("after", turns, (turn) => 9 * slowing(turn)),
    5,
  );
  assert.equal(result.ratio, 0.9);
  assert.deepEqual(
    result.ratios.map((ratio) => ratio.toFixed(3)),
    ["0.900", "0.009", "0.900", "0.900", "0.900"],
  );
  assert.deepEqual([result.before, result.after], [80, 36]);
  assert.equal(
    comparisonLine("tsv", result),
    "tsv: 0.900 (median of 5 ratios, 0.009 to 0.900); medians 80.0 ms before, 36.0 ms after\n",
  );
});

test("negative control: a cost of the first run of a round affects both sides equally", () => {
  const turns: string[] = [];
  const cold = (turn: number): number => (turn % 2 === 0 ? 3 : 1);
  const { ratios } = alternate(fake("before", turns, cold), fake("after", turns, cold), 4);
  assert.deepEqual(ratios, [1 / 3, 3, 1 / 3, 3], "without alternation every ratio is a third");
});

test("what counts is processor time of the processes: all of what one works, and not what one waits", () => {
  const timeOf = (program: string): number =>
    processorTimeOf(() => void spawnSync(process.execPath, ["--eval", program], { stdio: "ignore" }), 2)();
  const working = timeOf("while (process.cpuUsage().user < 500_000);");
  assert.ok(working >= 490, `${working} ms`);
  const waiting = timeOf("setTimeout(() => {}, 500)");
  assert.ok(waiting < working, `${waiting} ms, and ${working} of a process that works for 500`);
});

test("a call without a commit, or for an unknown part, is rejected before anything is built", () => {
  const program = fileURLToPath(new URL("../../bench/compare.ts", import.meta.url));
  for (const [args, message] of [
    [[], /name one commit/],
    [["HEAD", "--only", "tvs"], /no part is called tvs; the parts are start, count, tsv, lookups, freeze/],
    [["HEAD", "--rounds", "0"], /--rounds must be a whole number/],
  ] as const) {
    const { status, stderr } = spawnSync(process.execPath, [program, ...args], { encoding: "utf8" });
    assert.equal(status, 1);
    assert.match(stderr, message);
  }
});
