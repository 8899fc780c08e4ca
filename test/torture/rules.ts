/**
 * Rules are added, changed, deleted and expire while they are frozen, stored and read back; compared with an index that
 * never is, and with an oracle that paints all rules over all addresses: `npm run torture -- rules [--answers
 * 100000000] [--minutes 60] [--seed N]` ends after this many answers or minutes, after one minute if neither is given.
 * Prints the counts; exits 1 at the first difference, with the seed that shows it. Starts with the negative controls:
 * indexes that are deliberately wrong must be found.
 */
import { AssertionError } from "node:assert/strict";
import { parseArgs } from "node:util";
import { BROKEN, emptyTally, RulesDifferential } from "../rulesets/rules-differential.ts";

const { values } = parseArgs({
  options: {
    answers: { type: "string" },
    minutes: { type: "string" },
    seed: { type: "string", default: "1" },
  },
});

/** Addresses of each family that are looked up in a round, and the rounds of a seed. */
const ASKED = 8192;
const ROUNDS = 500;

const firstSeed = Number(values.seed);
for (const [what, break_] of Object.entries(BROKEN)) {
  let rounds = 0;
  try {
    const differential = new RulesDifferential(firstSeed, ASKED, emptyTally(), break_);
    for (; rounds < ROUNDS; rounds++) differential.round();
    console.error(`negative control: an index where ${what} was not found`);
    process.exit(1);
  } catch (error) {
    if (!(error instanceof AssertionError)) throw error;
    console.log(`negative control: an index where ${what} was found in round ${rounds + 1}`);
  }
}

const start = Date.now();
const most = Number(values.answers ?? Infinity);
const end = start + Number(values.minutes ?? (values.answers === undefined ? 1 : Infinity)) * 60_000;
const tally = emptyTally();
let seed = firstSeed;
for (; Date.now() < end && tally.answers < most; seed++) {
  try {
    const differential = new RulesDifferential(seed, ASKED, tally);
    for (let round = 0; round < ROUNDS; round++) differential.round();
    differential.finish();
  } catch (error) {
    console.error(`seed ${seed}:`, error);
    process.exit(1);
  }
}
const minutes = ((Date.now() - start) / 60_000).toFixed(1);
console.log(`seeds ${firstSeed} to ${seed - 1}, ${minutes} minutes: ${JSON.stringify(tally)}, 0 differences`);
