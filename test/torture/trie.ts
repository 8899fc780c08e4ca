/*
 * npm run torture -- trie [--minutes N] [--seed N]
 *
 * Compares long random operation sequences on a PrefixTrie with the linear oracle, and checks the arena after each,
 * until the time is up. A disagreement is shrunk, printed with its seed, and ends the run with exit code 1.
 */
import { parseArgs } from "node:util";
import fc from "fast-check";
import { agreesWithOracle, newCounts } from "../trie/operations.ts";

const { values } = parseArgs({ options: { minutes: { type: "string", default: "10" }, seed: { type: "string" } } });
const minutes = Number(values.minutes);
const firstSeed = values.seed === undefined ? Date.now() % 2 ** 31 : Number(values.seed);
if (!(minutes > 0) || !Number.isInteger(firstSeed))
  throw new RangeError("--minutes takes a number above 0 and --seed an integer");

const counts = newCounts();
const until = Date.now() + minutes * 60_000;
let seed = firstSeed;
console.log(`seed ${firstSeed}, ${minutes} minutes`);
for (; Date.now() < until; seed++) {
  // Short sequences shrink well and are numerous; long ones make the arenas grow and their free lists long.
  for (const [maxLength, numRuns] of [
    [60, 500],
    [900, 20],
    [6000, 2],
  ] as const) {
    const result = fc.check(agreesWithOracle(counts, maxLength), { seed, numRuns });
    if (!result.failed) continue;
    console.error(fc.defaultReportMessage(result));
    process.exit(1);
  }
}
console.log(`seeds ${firstSeed} to ${seed - 1}: 0 disagreements`);
console.log(JSON.stringify(counts, null, 2));
