import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { prefixOf } from "../../src/address/prefix.ts";
import type { FamilyRules } from "../../src/rulesets/index/_family-rules.ts";
import type { RuleIndex } from "../../src/rulesets/index/rule-index.ts";
import { agreesWithOracle, fromColumns, newCounts } from "./operations.ts";
import { partsOf } from "../../src/rulesets/index/rule-index.ts";
import { rounds } from "../rounds.ts";

const SEED = 20_260_601;

test("random operation sequences agree with the oracle and keep the invariants of the arrays", (t) => {
  const counts = newCounts();
  fc.assert(agreesWithOracle(counts, 60), { seed: SEED, numRuns: rounds({ short: 250, long: 1500 }) });
  fc.assert(agreesWithOracle(counts, 500), { seed: SEED, numRuns: rounds({ short: 5, long: 25 }) });
  t.diagnostic(`seed ${SEED}: ${JSON.stringify(counts)}`);
  // The arrays grow for the first time at 16 rules.
  assert.ok(counts.largest > 130 && Object.values(counts).every((count) => count > 0));
});

/** The negative controls: each breaks the index in one way, which the property must find. */
const broken: Record<string, (rules: FamilyRules) => void> = {
  "a rule expires a millisecond late": ({ expiries }) => {
    const countUntil = expiries.countUntil.bind(expiries);
    expiries.countUntil = (now) => countUntil(now - 1);
  },
  "a block does not notice that one of its rules changes": ({ blocks }) => {
    blocks.touch = () => {};
  },
  "a block counts for good": ({ blocks }) => {
    const page = blocks.page.bind(blocks);
    blocks.page = (which, extent) => page(which, extent, 0);
  },
  "records that nobody needs are kept": ({ tree }) => {
    tree.tidy = () => {};
  },
  "a freed slot is freed twice": ({ slots }) => {
    const free = slots.free.bind(slots);
    slots.free = (slot) => {
      free(slot);
      free(slot);
    };
  },
  "a rule leaves its expiry behind": ({ expiries }) => {
    expiries.remove = () => {};
  },
  "an expired rule decides": ({ tree }) => {
    tree.deciding = (prefix) => tree.covering(prefix).at(-1) ?? 0;
  },
  "the least specific rule decides": ({ tree, slots }) => {
    tree.deciding = (prefix, now) => tree.covering(prefix).find((slot) => now < slots.expiresAt[slot]!) ?? 0;
  },
  "a rule that comes after a freeze is not seen": ({ decider }) => {
    const add = decider.add.bind(decider);
    decider.add = (slot) => (decider.frozen === undefined ? add(slot) : undefined);
  },
  "a rule that comes during a freeze is forgotten at its end": ({ decider }) => {
    const refreezing = decider.refreezing.bind(decider);
    const add = decider.add.bind(decider);
    decider.refreezing = function* (): ReturnType<typeof refreezing> {
      decider.add = (): void => {};
      yield* refreezing();
      decider.add = add;
    };
  },
  "a slot is taken again while a table names it": ({ decider, slots }) => {
    const remove = decider.remove.bind(decider);
    decider.remove = (slot) => {
      remove(slot);
      if (decider.frozen !== undefined) slots.free(slot);
    };
  },
  "a rule that goes after a freeze still decides": ({ slots }) => {
    slots.clear = (slot) => slots.names.set(slot, null);
  },
  "a prefix of other bits counts as covering": ({ slots }) => {
    slots.covers = (slot, prefix) => slots.lengths[slot]! <= prefix.length;
  },
};

for (const [name, corruption] of Object.entries(broken)) {
  test(`the property detects an index where ${name}`, () => {
    const property = agreesWithOracle(newCounts(), 60, (rules, size) => {
      const index = fromColumns(rules, size);
      for (const family of partsOf(index)) corruption(family);
      return index;
    });
    const { failed } = fc.check(property, { seed: SEED, numRuns: 3000, endOnFailure: true });
    assert.ok(failed);
  });
}

/** The same for searches only. */
const brokenSearches: Record<string, (search: RuleIndex["search"]) => RuleIndex["search"]> = {
  "a search looks a millisecond ahead": (search) => (filter, now) => search(filter, now + 1),
  "a search takes what is beside a prefix for what is in it": (search) => (filter, now) =>
    search(
      { ...filter, related: filter.related && prefixOf(filter.related, Math.max(0, filter.related.length - 1)) },
      now,
    ),
  "a search minds capitals": (search) => (filter, now) =>
    search({ ...filter, name: filter.name === "A" ? "." : filter.name }, now),
};

for (const [name, corruption] of Object.entries(brokenSearches)) {
  test(`the property detects an index where ${name}`, () => {
    const property = agreesWithOracle(newCounts(), 60, (rules, size) => {
      const index = fromColumns(rules, size);
      index.search = corruption(index.search.bind(index));
      return index;
    });
    const { failed } = fc.check(property, { seed: SEED, numRuns: 3000, endOnFailure: true });
    assert.ok(failed);
  });
}
