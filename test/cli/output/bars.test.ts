import assert from "node:assert/strict";
import { test } from "node:test";
import { type Bar, barLines } from "../../../src/cli/output/bars.ts";

test("lines fit terminals of 40 or more columns, and a wide one shows complete names", () => {
  const bars = ["unmatched", "a provider with quite a long name", "x"].map((name, i): Bar => ({
    name,
    count: 9_876_543 >> i,
    color: "cyan",
  }));
  const drawn = (width: number): string[] => barLines([bars], 9_876_543, width, (_, text) => text).flat();
  for (let width = 40; width <= 120; width++) {
    const longest = Math.max(...drawn(width).map((line) => line.length));
    assert.ok(longest <= width, `${longest} columns of ${width}`);
  }
  assert.match(drawn(40)[1]!, /^  a provide…  /);
  assert.match(drawn(80)[1]!, /^  a provider with quite a long name  /);
});
