/**
 * Compares algebra, relations, explanations, fits and replays with oracles that look at every address: `npm run
 * torture -- deciding --cases 1000000 [--minutes 60] [--seed N]` ends after this many cases of each, or this many
 * minutes. Prints the counts; exits 1 at the first difference, with the seed that shows it. Starts with the negative
 * controls: tools that are deliberately wrong must be found.
 */
import { AssertionError } from "node:assert/strict";
import { parseArgs } from "node:util";
import { BROKEN, DecidingDifferential, emptyTally } from "../rulesets/deciding-differential.ts";

const { values } = parseArgs({
  options: {
    cases: { type: "string", default: "1000000000" },
    minutes: { type: "string", default: "1" },
    seed: { type: "string", default: "1" },
  },
});

/** Rounds for each seed. */
const ROUNDS = 1000;

const firstSeed = Number(values.seed);
for (const [what, tools] of Object.entries(BROKEN)) {
  let rounds = 0;
  try {
    const differential = new DecidingDifferential(firstSeed, emptyTally(), tools);
    for (; rounds < ROUNDS; rounds++) differential.round();
    console.error(`negative control: one that ${what} was not found`);
    process.exit(1);
  } catch (error) {
    if (!(error instanceof AssertionError)) throw error;
    console.log(`negative control: one that ${what} was found in round ${rounds + 1}`);
  }
}

const start = Date.now();
const end = start + Number(values.minutes) * 60_000;
const tally = emptyTally();
let seed = firstSeed;
for (; Date.now() < end && tally.fits < Number(values.cases); seed++) {
  try {
    const differential = new DecidingDifferential(seed, tally);
    for (let round = 0; round < ROUNDS; round++) differential.round();
  } catch (error) {
    console.error(`seed ${seed}:`, error);
    process.exit(1);
  }
}
const minutes = ((Date.now() - start) / 60_000).toFixed(1);
console.log(`seeds ${firstSeed} to ${seed - 1}, ${minutes} minutes: ${JSON.stringify(tally)}, 0 differences`);
