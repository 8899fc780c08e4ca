import assert from "node:assert/strict";
import { test } from "node:test";
import { until } from "./until.ts";

test("waits until the condition holds, and then no longer checks it", async () => {
  let asked = 0;
  await until("the third time", () => ++asked === 3, { every: 1 });
  assert.equal(asked, 3);
});

test("a condition that never holds fails with its description; an error of the condition is passed on", async () => {
  await assert.rejects(
    until("it never is", async () => false, { every: 1, within: 20 }),
    { name: "AssertionError", message: "not within 20 ms: it never is" },
  );
  await assert.rejects(
    until("nothing", () => Promise.reject(new Error("gone"))),
    /gone/,
  );
});
