import assert from "node:assert/strict";
import { test } from "node:test";
import { parsePrefix } from "../../../src/address/prefix.ts";
import { computeSet } from "../../../src/service/sets/compute-set.ts";
import { AddressSet } from "../../../src/sets/address-set.ts";

const set = (text: string): AddressSet => AddressSet.of([parsePrefix(text)!]);

test("a computation for a client that has gone ends with the reason", async () => {
  const sets = [set("10.0.0.0/8"), set("10.0.0.0/9")];
  const rest = await computeSet({ operation: "subtract" }, sets, new AbortController().signal);
  assert.equal(rest.size(4), 2n ** 23n);
  const gone = AbortSignal.abort(new Error("gone"));
  await assert.rejects(computeSet({ operation: "subtract" }, sets, gone), { message: "gone" });
  await assert.rejects(computeSet({ operation: "atleast", atLeast: 2 }, sets, gone), { message: "gone" });
});
