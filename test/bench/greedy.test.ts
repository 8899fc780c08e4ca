import assert from "node:assert/strict";
import { test } from "node:test";
import { joinedGreedily } from "../../bench/fit/greedy.ts";
import { parsePrefix } from "../../src/address/prefix.ts";
import { coverTree } from "../../src/sets/_cover-tree.ts";
import { AddressSet } from "../../src/sets/address-set.ts";
import { fit } from "../../src/sets/fit.ts";
import { finished } from "../../src/turns/finished.ts";

const SHORTEST = { 4: 8, 6: 19 } as const;

function treeOf(texts: readonly string[]) {
  const set = AddressSet.of(texts.map((text) => parsePrefix(text)));
  return { set, tree: finished(coverTree([...set.prefixes()], { ofAddress: 1, weights: [], shortest: SHORTEST })) };
}

test("pairs are joined at the lowest price, and whole prefixes at the lowest price for each entry saved", () => {
  // Two pairs of two hosts at 2 and 6 addresses each, and all four hosts at 12.
  const { set, tree } = treeOf(["10.0.0.0", "10.0.0.3", "10.0.0.8", "10.0.0.15"]);
  assert.deepEqual(joinedGreedily([tree], 3, "pair"), { count: 3, cost: 2 });
  assert.deepEqual(joinedGreedily([tree], 2, "pair"), { count: 2, cost: 8 });
  assert.deepEqual(joinedGreedily([tree], 1, "pair"), { count: 1, cost: 12 });
  assert.deepEqual(joinedGreedily([tree], 3, "share"), { count: 3, cost: 2 });
  assert.equal(fit(set, 2, { loss: "add", shortest: SHORTEST }).cost, 8);
});

test("both families are joined by the same prices; what is too wide is never joined", () => {
  const four = treeOf(["10.0.0.0", "10.0.0.3", "200.0.0.0"]).tree;
  const six = treeOf(["2001:db8::/64", "2001:db8:0:3::/64"]).tree;
  assert.deepEqual(joinedGreedily([four, six], 3, "share"), { count: 3, cost: 4 });
  assert.deepEqual(joinedGreedily([four, six], 1, "pair"), { count: 3, cost: 4 });
});

test("neither way is ever better than the proven bound of fit", () => {
  let state = 7;
  const random = (): number => (state = (state * 48_271) % 2_147_483_647) / 2_147_483_647;
  const hosts = Array.from(
    { length: 300 },
    () => `10.0.${Math.floor(random() ** 2 * 256)}.${Math.floor(random() * 256)}`,
  );
  const { set, tree } = treeOf(hosts);
  let worse = 0;
  for (const most of [5, 20, 60, 150]) {
    const { bound } = fit(set, most, { loss: "add", shortest: SHORTEST });
    for (const greed of ["pair", "share"] as const) {
      const { count, cost } = joinedGreedily([tree], most, greed);
      assert.ok(count <= most && cost >= bound - 1e-6, `${greed} to ${most}: ${cost} below ${bound}`);
      if (cost > bound) worse++;
    }
  }
  assert.ok(worse > 0);
});
