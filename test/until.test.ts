import assert from "node:assert/strict";
import { test } from "node:test";
import { until } from "./until.ts";

test("waits until it is so, and asks again no more", async () => {
  let asked = 0;
  await until("the third time", () => ++asked === 3, { every: 1 });
  assert.equal(asked, 3);
});

test("what never comes fails with what was waited for; what fails while it is asked for fails as that", async () => {
  await assert.rejects(
    until("it never is", async () => false, { every: 1, within: 20 }),
    { name: "AssertionError", message: "not within 20 ms: it never is" },
  );
  await assert.rejects(
    until("nothing", () => Promise.reject(new Error("gone"))),
    /gone/,
  );
});
