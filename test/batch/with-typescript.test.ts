// The tests of this folder that use the kernel, run with the TypeScript engine.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { onlyLong } from "../rounds.ts";

process.env["IPSIEVE_TEST_ENGINE"] = "typescript";
const { ENGINE } = await import("./fixture.ts");
describe("runs", { skip: onlyLong() }, async () => {
  await import("./identify.test.ts");
});
await import("./lines/fields.test.ts");
describe("compressed input", { skip: onlyLong() }, async () => {
  await import("./input/compressed.test.ts");
});
describe("records", { skip: onlyLong() }, async () => {
  await import("./lines/records.test.ts");
});

test("these were the tests of the TypeScript engine", () => assert.equal(ENGINE, "typescript"));
