import assert from "node:assert/strict";
import { test } from "node:test";
import { rounds } from "../rounds.ts";
import { BROKEN, DecidingDifferential, emptyTally } from "./deciding-differential.ts";

test("algebra, relations, explanations, fits and replays agree with oracles that look at every address", () => {
  const tally = emptyTally();
  const differential = new DecidingDifferential(20_261_124, tally);
  const count = rounds({ short: 500, long: 8_000 });
  for (let round = 0; round < count; round++) differential.round();
  assert.deepEqual(Object.values(tally), Array<number>(5).fill(count));
});

for (const [what, tools] of Object.entries(BROKEN))
  test(`negative control: one that ${what} is detected`, () => {
    const differential = new DecidingDifferential(7, emptyTally(), tools);
    assert.throws(() => {
      for (let round = 0; round < 500; round++) differential.round();
    }, assert.AssertionError);
  });
