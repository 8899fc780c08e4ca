/** The beginning of an address, typed into the search of a ruleset. */
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { parsePrefix } from "../../src/address/prefix.ts";
import { prefixOf, readSearch } from "../../src/dashboard/rulesets/rule-filter.ts";

for (const [typed, wanted] of [
  ["2.57.122", "2.57.122.0/24"],
  ["2.57.122.", "2.57.122.0/24"],
  ["2.57", "2.57.0.0/16"],
  ["2.", "2.0.0.0/8"],
  ["2001:db8", "2001:db8::/32"],
  ["2001:db8:", "2001:db8::/32"],
  ["fe80:", "fe80::/16"],
] as const)
  test(`${typed} is the beginning of ${wanted}`, () => {
    assert.deepEqual([prefixOf(typed), readSearch(typed)], [wanted, { ip: typed, name: undefined }]);
  });

for (const typed of ["2", "2.57.999", "office", "team:dns", "v1.2b", "a.b", "2.57.122.7", "10.0.0.0/8", "2001:db8::"])
  test(`${typed} is no beginning`, () => assert.equal(prefixOf(typed), typed));

test("whatever is the beginning of an address is a prefix that covers it", () => {
  fc.assert(
    fc.property(fc.ipV4(), fc.integer({ min: 1, max: 3 }), (address, bytes) => {
      const typed = `${address.split(".").slice(0, bytes).join(".")}.`;
      const { length } = parsePrefix(prefixOf(typed));
      assert.equal(length, 8 * bytes);
      assert.equal(
        prefixOf(typed),
        `${[...typed.slice(0, -1).split("."), "0", "0", "0"].slice(0, 4).join(".")}/${length}`,
      );
    }),
  );
});
