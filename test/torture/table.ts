/**
 * R6: compares the table with the linear oracle for a given time: `npm run torture -- table --minutes 5 [--seed N]`.
 * Prints the counts; exits 1 at the first disagreement, with the seed of the set that shows it. Starts with the
 * negative control: a table with one leaf changed must be noticed.
 */
import { parseArgs } from "node:util";
import { PrefixTable } from "../../src/table/prefix-table.ts";
import { compareWithOracle, randomPrefixes, seededRandom, tableOf } from "../table/differential.ts";

const { values } = parseArgs({
  options: { minutes: { type: "string", default: "1" }, seed: { type: "string", default: "1" } },
});

function checkSet(seed: number): number {
  const random = seededRandom(seed);
  const prefixes = randomPrefixes(random);
  const table = tableOf(prefixes);
  if (seed % 16 === 0) table.checkStructure();
  return compareWithOracle(table, prefixes, 100, random);
}

function controlIsCaught(seed: number): boolean {
  const random = seededRandom(seed);
  const prefixes = randomPrefixes(random);
  const table = tableOf(prefixes);
  const root = table.sections[prefixes[0]!.family === 4 ? "root4" : "root6"];
  const words = new Int32Array(table.buffer, root.byteOffset, root.byteLength / 4);
  words[words.findIndex((entry) => entry !== 0)] = 0;
  try {
    compareWithOracle(new PrefixTable(table.buffer, table.sections), prefixes, 8, random);
    return false;
  } catch {
    return true;
  }
}

const firstSeed = Number(values.seed);
const controls = Array.from({ length: 50 }, (_, i) => controlIsCaught(firstSeed + i)).filter(Boolean).length;
console.log(`negative control: ${controls} of 50 corrupt tables noticed`);
if (controls !== 50) process.exit(1);

const end = Date.now() + Number(values.minutes) * 60_000;
let answers = 0;
let sets = 0;
for (let seed = firstSeed; Date.now() < end; seed++) {
  try {
    answers += checkSet(seed);
  } catch (error) {
    console.error(`seed ${seed}:`, error);
    process.exit(1);
  }
  sets++;
}
console.log(`seeds ${firstSeed} to ${firstSeed + sets - 1}: ${answers} answers over ${sets} sets, 0 disagreements`);
