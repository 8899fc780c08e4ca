import assert from "node:assert/strict";
import { afterEach, test } from "node:test";
import { inTurn, oneOf, onlyLong, rounds, sampled, takingTurns, TURNS } from "./rounds.ts";

const numbers = { short: 3, long: 7 };
const before = { ...process.env };
afterEach(() => {
  for (const name of ["TEST_ROUNDS", "TEST_SEED"])
    if (before[name] === undefined) delete process.env[name];
    else process.env[name] = before[name];
});

test("the short number, unless the long form is requested", () => {
  delete process.env["TEST_ROUNDS"];
  assert.equal(rounds(numbers), 3);
  process.env["TEST_ROUNDS"] = "long";
  assert.equal(rounds(numbers), 7);
});

test("skipped parts of `npm test` say so, and run in the long form", () => {
  delete process.env["TEST_ROUNDS"];
  assert.match(String(onlyLong()), /\.ci\/run/);
  process.env["TEST_ROUNDS"] = "long";
  assert.equal(onlyLong(), false);
});

test("in turn, a test is in each of so many runs, and always in the long form", () => {
  delete process.env["TEST_ROUNDS"];
  const runs = (from: number): boolean[] =>
    Array.from({ length: 6 }, (_, number) => {
      process.env["TEST_SEED"] = String(number * TURNS + 3);
      return takingTurns(3, from) === false;
    });
  assert.deepEqual(runs(0), [true, false, false, true, false, false]);
  assert.deepEqual(runs(1), [false, false, true, false, false, true]);
  assert.match(String(takingTurns(3)), /one of 3 runs.*\.ci\/run/);
  delete process.env["TEST_SEED"];
  assert.equal(takingTurns(3), false);
  process.env["TEST_SEED"] = String(TURNS);
  process.env["TEST_ROUNDS"] = "long";
  assert.equal(takingTurns(3), false);
});

test("some of the items, different ones in each run, unless the long form is requested", () => {
  const items = ["a", "b", "c", "d", "e"];
  delete process.env["TEST_ROUNDS"];
  delete process.env["TEST_SEED"];
  assert.deepEqual(sampled(items, 2), ["a", "c", "e"]);
  assert.deepEqual([0, 1, 2].flatMap((from) => sampled(items, 3, from)).sort(), items);
  assert.deepEqual(sampled(items, 3, 4), ["b", "e"]);
  process.env["TEST_SEED"] = String(5 * TURNS);
  assert.deepEqual(sampled(items, 3), ["c"]);
  assert.deepEqual(sampled(items, 3, 1), ["a", "d"]);
  assert.deepEqual(sampled(["a", "b"], 4), ["b"], "few items: not none");
  process.env["TEST_ROUNDS"] = "long";
  assert.equal(sampled(items, 2), items);
});

test("one of the items, another one in each run, in the long form too", () => {
  for (const form of ["short", "long"]) {
    process.env["TEST_ROUNDS"] = form;
    const runs = Array.from({ length: 4 }, (_, number) => {
      process.env["TEST_SEED"] = String(number * TURNS);
      return oneOf(["a", "b", "c"], 1);
    });
    assert.deepEqual(runs, ["b", "c", "a", "b"]);
  }
});

test("a test that takes turns in a file that takes turns has its turn: no two of both are tied to each other", () => {
  delete process.env["TEST_ROUNDS"];
  const files = ["a", "b", "c", "d", "e"];
  for (const step of [2, 3, 4, 8]) {
    const seen = new Set<string>();
    for (let number = 0; number < TURNS * step; number++) {
      process.env["TEST_SEED"] = String(number);
      for (const file of inTurn(files)) if (takingTurns(step) === false) seen.add(file);
    }
    assert.deepEqual([...seen].toSorted(), files, String(step));
  }
});
