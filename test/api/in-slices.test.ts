import assert from "node:assert/strict";
import { test } from "node:test";
import { inSlices } from "../../src/api/in-slices.ts";

/** Work of so many steps of `milliseconds` each. */
function* busy(steps: number, milliseconds: number): Generator<undefined, number, undefined> {
  for (let step = 0; step < steps; step++) {
    for (const end = performance.now() + milliseconds; performance.now() < end; );
    yield;
  }
  return steps;
}

/** How many steps of all works are done in one turn of the event loop, at most. */
async function mostStepsInATurn(run: (work: Generator<undefined, number, undefined>) => Promise<number>): Promise<number> {
  let [steps, most] = [0, 0];
  const counted = function* (): Generator<undefined, number, undefined> {
    for (let step = 0; step < 3; step++) {
      for (const end = performance.now() + 5; performance.now() < end; );
      most = Math.max(most, ++steps);
      yield;
    }
    return 3;
  };
  let isDone = false;
  const turn = (): void => {
    steps = 0;
    if (!isDone) setImmediate(turn);
  };
  turn();
  await Promise.all(Array.from({ length: 10 }, () => run(counted())));
  isDone = true;
  return most;
}

test("works that are under way at the same time share one slice of each turn", async () => {
  // A step takes longer than a slice. The counter's own turn may come before or after the slice's.
  assert.ok((await mostStepsInATurn(inSlices)) <= 2);
  const eachOnItsOwn = async (work: Generator<undefined, number, undefined>): Promise<number> => {
    for (;;) {
      const { done, value } = work.next();
      if (done === true) return value;
      await new Promise<void>((resolve) => void setImmediate(resolve));
    }
  };
  assert.ok((await mostStepsInATurn(eachOnItsOwn)) >= 10, "negative control: a slice for each work");
});

test("a work that fails rejects, and those after it go on", async () => {
  const failing = function* (): Generator<undefined, number, undefined> {
    yield;
    throw new Error("broken");
  };
  const [one, two] = await Promise.allSettled([inSlices(failing()), inSlices(busy(2, 1))]);
  assert.deepEqual([one.status, two], ["rejected", { status: "fulfilled", value: 2 }]);
  assert.equal(await inSlices(busy(1, 0)), 1);
});
