import assert from "node:assert/strict";
import { test } from "node:test";
import type { Prefix } from "../../../src/address/address.ts";
import { prefixOf } from "../../../src/address/prefix.ts";
import type { Rule } from "../../../src/rulesets/rule.ts";
import { partsOf, RuleIndex } from "../../../src/rulesets/index/rule-index.ts";
import { indexOf, Ruleset } from "../../../src/rulesets/ruleset.ts";
import { rounds } from "../../rounds.ts";
import { checkInvariants } from "../check-invariants.ts";
import { chunksOf } from "../columns.ts";
import { randomWords } from "../../random-words.ts";
import { BROKEN, emptyTally, RulesDifferential } from "../rules-differential.ts";

const SEED = 20_261_122;
/** Enough for a freeze to take several steps, with writes in between. */
const RULES = 12_000;
/** Addresses of each family that are looked up in a round. */
const ASKED = 1000;

class World {
  readonly next = randomWords(SEED);

  prefix(): Prefix {
    const { next } = this;
    const [w0, w1] = [next(), next()];
    return next() % 3 === 0
      ? prefixOf({ family: 6, w0, w1, w2: 0, w3: 0 }, 48 + (next() % 17))
      : prefixOf({ family: 4, w0, w1: 0, w2: 0, w3: 0 }, 16 + (next() % 17));
  }

  rule(): Rule {
    const expiresAt = this.next() % 2 === 0 ? null : 80 + (this.next() % 40);
    return { prefix: this.prefix(), name: null, expiresAt, createdAt: 0, updatedAt: 0 };
  }
}

test("table and tree equal the index and a list, while rules change and freezes start and end", (t) => {
  const tally = emptyTally();
  const differential = new RulesDifferential(SEED, ASKED, tally);
  for (let round = rounds({ short: 50, long: 500 }); round > 0; round--) differential.round();
  differential.finish();
  t.diagnostic(`seed ${SEED}: ${JSON.stringify(tally)}`);
  assert.ok(Object.values(tally).every((count) => count > 0));
});

for (const [what, break_] of Object.entries(BROKEN)) {
  test(`the comparison detects an index where ${what}`, () => {
    const differential = new RulesDifferential(SEED, ASKED, emptyTally(), break_);
    assert.throws(() => {
      for (let round = 0; round < 60; round++) differential.round();
    }, assert.AssertionError);
  });
}

test("rules are frozen if those of both families are, or are few", () => {
  for (const family of [4, 6] as const) {
    const world = new World();
    const index = new RuleIndex();
    assert.equal(index.isFrozen, true);
    while (index.count < RULES) {
      const rule = world.rule();
      if (rule.prefix.family === family) index.set(rule);
    }
    assert.equal(index.isFrozen, false);
    for (const _ of index.freezing());
    assert.equal(index.isFrozen, true);
  }
});

test("a freeze of rules that have not changed since the last one does nothing", () => {
  const world = new World();
  const index = new RuleIndex();
  for (let at = 0; at < 20; at++) index.set(world.rule());
  const steps = (): number => [...index.freezing()].length;
  assert.ok(steps() > 0);
  assert.equal(steps(), 0);
});

test("a freeze continues while its index is copied, and both stay intact", () => {
  const world = new World();
  const index = new RuleIndex();
  for (let at = 0; at < RULES; at++) index.set(world.rule());
  for (const _ of index.freezing());
  for (let at = 0; at < 500; at++) index.delete(world.prefix());
  const copying = index.copying();
  const freezing = index.freezing();
  let copied = copying.next();
  for (let step = freezing.next(); copied.done !== true; copied = copying.next())
    if (step.done !== true) step = freezing.next();
  for (const _ of freezing);
  const copy = copied.value;
  for (const one of [index, copy]) {
    one.set(world.rule());
    checkInvariants(one);
  }
});

test("a ruleset freezes in the background, in turns with other work in between", async () => {
  const world = new World();
  const ruleset = new Ruleset({ allowSpecialPurpose: true });
  for (let at = 0; at < RULES; at++) ruleset.add(world.prefix(), {}, 1);
  const grown = ruleset.byteLength;
  // The freeze runs in slices between other work; when it is done, its table adds to the size.
  for (let turn = 0; turn < 2000 && ruleset.byteLength <= grown + 10_000; turn++)
    await new Promise((resolve) => setTimeout(resolve, 5));
  assert.ok(ruleset.byteLength > grown + 10_000);
});

test("a freeze that fails in the background is reported and tried again", async () => {
  const ruleset = new Ruleset({ allowSpecialPurpose: true });
  const { decider } = partsOf(indexOf(ruleset))[0];
  const refreezing = decider.refreezing.bind(decider);
  let failures = 0;
  decider.refreezing = function* () {
    if (failures++ < 1) throw new RangeError("no memory");
    yield* refreezing();
  };
  for (let at = 0; at < 300; at++) ruleset.add(prefixOf({ family: 4, w0: at << 8, w1: 0, w2: 0, w3: 0 }, 24), {}, 1);
  const errors = new Set<unknown>([ruleset.freezeError]);
  for (let turn = 0; turn < 2000 && decider.frozen === undefined; turn++) {
    await new Promise((resolve) => setTimeout(resolve, 5));
    errors.add((ruleset.freezeError as Error | null)?.message ?? null);
  }
  assert.deepEqual([...errors], [null, "no memory"]);
  assert.equal(ruleset.freezeError, null);
  assert.ok(decider.frozen !== undefined);
});

test("columns of sorted rules are frozen unchanged", () => {
  const rules = Array.from({ length: 300 }, (_, at): Rule => ({
    prefix: prefixOf({ family: 4, w0: at << 8, w1: 0, w2: 0, w3: 0 }, 24),
    name: null,
    expiresAt: null,
    createdAt: 0,
    updatedAt: 0,
  }));
  const index = RuleIndex.from(chunksOf(rules, 64));
  assert.ok(index.isStale);
  for (const _ of index.freezing());
  assert.ok(!index.isStale);
  assert.deepEqual(
    rules.map((_, at) => index.prefixAt(index.decide4((at << 8) | 7, 0)).w0),
    rules.map((_, at) => at << 8),
  );
});
