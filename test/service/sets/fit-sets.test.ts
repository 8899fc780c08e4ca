import assert from "node:assert/strict";
import { test } from "node:test";
import { parsePrefix } from "../../../src/address/prefix.ts";
import { fitSets } from "../../../src/service/sets/fit-sets.ts";
import { ServiceError } from "../../../src/service/service-error.ts";
import { AddressSet } from "../../../src/sets/address-set.ts";

const setOf = (...texts: string[]): AddressSet => AddressSet.of(texts.map((text) => parsePrefix(text)));
const REQUEST = { entries: 10, loss: "none", never: [], seen: undefined, shortest: { 4: 8, 6: 19 } } as const;
const { signal } = new AbortController();

test("sets may have at most the permitted number of prefixes in total", async () => {
  const [two, other] = [setOf("192.0.2.1", "192.0.2.4"), setOf("192.0.2.4", "192.0.2.7")];
  const { prefixes } = await fitSets({ ...REQUEST, sets: [two, other] }, signal, 3);
  assert.equal(prefixes.length, 3);
  for (const [field, sets, never] of [
    ["sets", [two, other], []],
    ["never", [setOf("10.0.0.0/8")], [two, other]],
  ] as const)
    await assert.rejects(fitSets({ ...REQUEST, sets, never }, signal, 2), (error) => {
      assert.ok(error instanceof ServiceError && error.code === "invalid");
      assert.match(
        JSON.stringify(error),
        new RegExp(`"${field}":\\["the addresses take more than 2 prefixes; fit fewer`),
      );
      return true;
    });
});

test("an aborted fit ends with the reason of the signal", async () => {
  const reason = new Error("gone");
  await assert.rejects(fitSets({ ...REQUEST, sets: [setOf("192.0.2.1")] }, AbortSignal.abort(reason)), reason);
});
