/** Long work gives other tasks their turns. Turns of the event loop are counted, not time. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { setImmediate as nextTurn } from "node:timers/promises";
import { inSlices, Slice, turn } from "../../src/turns/in-slices.ts";

/** Longer than a slice. */
function work(): void {
  for (const end = performance.now() + 6; performance.now() < end;);
}

/** Counts turns until `done` has resolved. */
async function turnsUntil(done: Promise<unknown>): Promise<number> {
  const end = { isThere: false };
  void done.then(() => (end.isThere = true));
  let turns = 0;
  for (; !end.isThere; turns++) await nextTurn();
  return turns;
}

function* steps(count: number, step: () => void): Generator<undefined, string, undefined> {
  for (let left = count; left > 0; left--) {
    step();
    yield;
  }
  return "done";
}

test("work of many steps takes as many turns as it has slices", async () => {
  const done = inSlices(steps(20, work));
  assert.ok((await turnsUntil(done)) >= 20);
  assert.equal(await done, "done");
});

test("the negative control: one step is one turn, however long", async () => {
  const all = steps(1, () => Array.from({ length: 20 }, work));
  assert.ok((await turnsUntil(inSlices(all))) <= 2);
});

test("simultaneous works do not all begin at once", async () => {
  let begun = 0;
  const all = Promise.all(Array.from({ length: 10 }, () => inSlices(steps(2, () => (begun++, work())))));
  await nextTurn();
  await nextTurn();
  assert.ok(begun <= 3, String(begun));
  await all;
  assert.equal(begun, 20);
});

test("only one of many works continues in a turn", async () => {
  let now = 0;
  const end = { isThere: false };
  const counting = (async () => {
    for (; !end.isThere; now++) await nextTurn();
  })();
  const at: number[] = [];
  const works = Array.from({ length: 5 }, async () => {
    const slice = new Slice();
    await turn();
    for (let step = 0; step < 4; step++) {
      at.push(now);
      work();
      await slice.pause();
    }
  });
  await Promise.all(works);
  end.isThere = true;
  await counting;
  assert.equal(at.length, 20);
  assert.equal(new Set(at).size, 20);
});

test("a work ends once its signal is aborted, with the signal's reason", async () => {
  const gone = new AbortController();
  const reason = new Error("no one waits for it");
  let done = 0;
  const endless = steps(Infinity, () => {
    if (++done === 3) gone.abort(reason);
    work();
  });
  await assert.rejects(inSlices(endless, gone.signal), reason);
  assert.equal(done, 3);
  await assert.rejects(inSlices(steps(1, work), gone.signal), reason, "one that begins too late");
  assert.equal(await inSlices(steps(3, work), new AbortController().signal), "done");
});
