import assert from "node:assert/strict";
import { getEventListeners } from "node:events";
import { test } from "node:test";
import { Stop } from "../../../src/batch/pipeline/_stop.ts";

const never = new Promise<number>(() => {});

test("what comes first ends the wait: the result, its error, or the stop; no listener is left", async () => {
  const stop = new Stop();
  assert.equal(await stop.orStopped(Promise.resolve(7)), 7);
  await assert.rejects(stop.orStopped(Promise.reject(new RangeError("bad"))), RangeError);
  assert.equal(getEventListeners(stop.signal, "abort").length, 0);
  const waiting = [stop.orStopped(never), stop.orStopped(never)];
  assert.equal(stop.isStopped, false);
  stop.stop("first");
  stop.stop("second");
  assert.deepEqual(
    (await Promise.allSettled(waiting)).map((end) => end.status === "rejected" && end.reason),
    ["first", "first"],
  );
  await assert.rejects(stop.orStopped(Promise.resolve(7)), (reason) => reason === "first");
  assert.deepEqual([stop.isStopped, stop.reason], [true, "first"]);
  assert.equal(getEventListeners(stop.signal, "abort").length, 0);
});
