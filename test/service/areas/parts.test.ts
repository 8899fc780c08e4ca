import assert from "node:assert/strict";
import { test } from "node:test";
import { Parts } from "../../../src/service/areas/parts.ts";

/** Parts that note what happens to them; `failing`: those that reject, at "start" or "stop". */
function partsThatNote(failing: Readonly<Record<string, "start" | "stop">> = {}) {
  const done: string[] = [];
  const parts = new Parts();
  for (const name of ["a", "b", "c", "d"]) {
    const note = async (what: "start" | "stop"): Promise<void> => {
      await Promise.resolve();
      done.push(`${what} ${name}`);
      if (failing[name] === what) throw new Error(`${name} fails`);
    };
    parts.add({ start: () => note("start"), stop: () => note("stop") });
  }
  return { parts, done };
}

const STOPS = ["stop d", "stop c", "stop b", "stop a"];

test("parts are started in their order, and stopped in the opposite one, once", async () => {
  const { parts, done } = partsThatNote();
  await parts.start();
  await parts.stop();
  await parts.stop();
  assert.deepEqual(done, ["start a", "start b", "start c", "start d", ...STOPS]);
});

test("after a part that cannot be started, none is; all are stopped", async () => {
  const { parts, done } = partsThatNote({ b: "start" });
  await assert.rejects(parts.start(), { message: "b fails" });
  await parts.stop();
  assert.deepEqual(done, ["start a", "start b", ...STOPS]);
});

test("a part that cannot be stopped keeps none running, and its error is the one that is seen", async () => {
  const { parts, done } = partsThatNote({ c: "stop" });
  await assert.rejects(parts.stop(), { message: "c fails" });
  assert.deepEqual(done, STOPS);
});

test("the errors of several are seen", async () => {
  const { parts, done } = partsThatNote({ a: "stop", c: "stop" });
  await assert.rejects(parts.stop(), (error: AggregateError) => {
    assert.deepEqual(
      error.errors.map((each: Error) => each.message),
      ["c fails", "a fails"],
    );
    return error.message === "Error: c fails; Error: a fails";
  });
  assert.deepEqual(done, STOPS);
});

test("what is not a promise may fail, too", async () => {
  const parts = new Parts();
  let isStopped = false;
  parts.add({ stop: () => (isStopped = true) });
  parts.add({
    stop() {
      throw new Error("at once");
    },
  });
  await assert.rejects(parts.stop(), { message: "at once" });
  assert.ok(isStopped);
});
