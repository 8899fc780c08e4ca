import assert from "node:assert/strict";
import { test } from "node:test";
import { countRead } from "../../../src/api/http/read-buffers.ts";
import { until } from "../../until.ts";

const PART = 64 << 10;
const COUNT = 100;

const heldBytes = (): number => process.memoryUsage().arrayBuffers;

/** Makes the buffers of a hundred reads and drops them; returns the bytes that were in use before. */
function makeGarbage(): number {
  // The engine may collect by itself in between.
  for (let tries = 0; tries < 20; tries++) {
    const before = heldBytes();
    for (let index = 0; index < COUNT; index++) new Uint8Array(PART)[0] = index;
    if (heldBytes() - before >= COUNT * PART) return before;
  }
  throw new Error("the engine collected 20 times by itself");
}

test("buffers are released once per 16 MiB read; the negative control: not before", async () => {
  const before = makeGarbage();
  countRead(1);
  assert.ok(heldBytes() - before >= COUNT * PART, "nothing is collected for a byte");
  countRead(16 << 20);
  // Another thread of the engine frees the memory after the collection.
  await until("most of it is given back", () => heldBytes() - before < (COUNT * PART) / 4);
});
