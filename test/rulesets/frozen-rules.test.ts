import assert from "node:assert/strict";
import { test } from "node:test";
import type { Family, Prefix } from "../../src/address/address.ts";
import { prefixContains, prefixOf } from "../../src/address/prefix.ts";
import type { Rule } from "../../src/rulesets/rule.ts";
import type { RuleId } from "../../src/rulesets/rule-id.ts";
import { partsOf, RuleIndex } from "../../src/rulesets/rule-index.ts";
import { Ruleset } from "../../src/rulesets/ruleset.ts";
import { rounds } from "../rounds.ts";
import { checkInvariants } from "./check-invariants.ts";
import { chunksOf } from "./columns.ts";

const SEED = 20_261_122;
/** Enough that a freeze takes several steps, which writes come between. */
const RULES = 12_000;
const ADDRESSES = 1000;

function generator(seed: number): () => number {
  let state = seed;
  return () => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return state >>> 0;
  };
}

/** Crowded: prefixes meet, cover each other, and are drawn again. */
class World {
  readonly next: () => number;
  readonly rules = new Map<string, Rule>();

  constructor(seed: number) {
    this.next = generator(seed);
  }

  address(family: Family): { family: Family; w0: number; w1: number; w2: number; w3: number } {
    const { next } = this;
    if (family === 4)
      return { family, w0: ((next() % 4) * 0x4000_0000 + (next() & 0x0003_ffff)) >>> 0, w1: 0, w2: 0, w3: 0 };
    return {
      family,
      w0: 0x2001_0db8 + (next() % 2),
      w1: (next() & 0x8000_00ff) >>> 0,
      w2: next() % 3,
      w3: next() & 0xff,
    };
  }

  prefix(): Prefix {
    const family = this.next() % 3 === 0 ? 6 : 4;
    const lengths =
      family === 4 ? [32, 32, 32, 31, 28, 24, 20, 12, 8, 0] : [128, 128, 127, 120, 96, 64, 63, 48, 32, 20, 0];
    return prefixOf(this.address(family), lengths[this.next() % lengths.length]!);
  }

  rule(prefix: Prefix, now: number): Rule {
    const expiresAt = this.next() % 2 === 0 ? null : now - 20 + (this.next() % 40);
    return { prefix, name: null, expiresAt, createdAt: 0, updatedAt: 0 };
  }
}

const keyOf = (prefix: Prefix): string => Object.values(prefix).join();

interface Tally {
  answers: number;
  found: number;
  linear: number;
  writes: number;
  freezes: number;
  stepsBack: number;
}

/** Compares an index that is frozen again and again with one that never is, and now and then with a list of all rules. */
function compare(times: number, break_: (index: RuleIndex) => void = () => {}): Tally {
  const tally: Tally = { answers: 0, found: 0, linear: 0, writes: 0, freezes: 0, stepsBack: 0 };
  const world = new World(SEED);
  const start = Array.from({ length: RULES }, () => world.rule(world.prefix(), 100));
  const index = new RuleIndex();
  const plain = new RuleIndex();
  break_(index);
  const set = (rule: Rule): void => {
    index.set(rule);
    plain.set(rule);
    world.rules.set(keyOf(rule.prefix), rule);
  };
  for (const rule of start) set(rule);
  let freeze = index.freezing();
  let now = 100;
  for (let round = 0; round < times; round++) {
    for (let write = world.next() % 40; write > 0; write--, tally.writes++) {
      const prefix = world.prefix();
      const action = world.next() % 3;
      if (action > 0) set(world.rule(prefix, now));
      else {
        assert.equal(index.delete(prefix), plain.delete(prefix));
        world.rules.delete(keyOf(prefix));
      }
    }
    // A freeze goes on, or, now and then, is given up for another.
    if (world.next() % 50 === 0) freeze = index.freezing();
    for (let step = world.next() % 4; step > 0; step--) {
      if (freeze.next().done !== true) continue;
      tally.freezes++;
      freeze = index.freezing();
    }
    const before = now;
    now = 100 + (world.next() % 60) - 30;
    if (now < before) tally.stepsBack++;
    for (const family of [4, 6] as const) ask(family, now, index, plain, world, tally);
  }
  checkInvariants(index);
  return tally;
}

function ask(family: Family, now: number, index: RuleIndex, plain: RuleIndex, world: World, tally: Tally): void {
  const asked = Array.from({ length: ADDRESSES }, () => world.address(family));
  const words = Uint32Array.from(asked.flatMap(({ w0, w1, w2, w3 }) => (family === 4 ? [w0] : [w0, w1, w2, w3])));
  const [one, other] = [new Uint32Array(ADDRESSES), new Uint32Array(ADDRESSES)];
  index.decideWordsInto(family, words, one, now);
  plain.decideWordsInto(family, words, other, now);
  // A rule that decides covers the address: its length says which one it is.
  const lengthsOf = (of: RuleIndex, ids: Uint32Array): number[] => {
    const { lengths } = partsOf(of)[family === 4 ? 0 : 1].slots;
    return Array.from(ids, (id) => (id === 0 ? -1 : lengths[id >>> 1]!));
  };
  const [found, expected] = [lengthsOf(index, one), lengthsOf(plain, other)];
  assert.deepEqual(found, expected);
  tally.answers += ADDRESSES;
  tally.found += found.filter((length) => length >= 0).length;
  const at = world.next() % ADDRESSES;
  const address = asked[at]!;
  const id =
    family === 4 ? index.decide4(address.w0, now) : index.decide6(address.w0, address.w1, address.w2, address.w3, now);
  assert.equal(id, one[at]);
  const host = { ...address, length: family === 4 ? 32 : 128 };
  const covering = [...world.rules.values()].filter(({ prefix }) => prefixContains(prefix, host));
  const active = covering.filter(({ expiresAt }) => expiresAt === null || now < expiresAt);
  active.sort((a, b) => b.prefix.length - a.prefix.length);
  assert.deepEqual(index.check(address, now), { rule: active[0] ?? null, covering: active });
  assert.deepEqual(id === 0 ? null : index.ruleAt(id as RuleId), active[0] ?? null);
  assert.equal(index.covering(address).length, covering.length);
  tally.linear++;
}

test("base and overlay give the answers of the index and of a list, while rules change and freezes come and go", (t) => {
  const tally = compare(rounds({ short: 60, long: 1500 }));
  t.diagnostic(`seed ${SEED}: ${JSON.stringify(tally)}`);
  assert.ok(Object.values(tally).every((count) => count > 0));
});

const broken: Record<string, (index: RuleIndex) => void> = {
  "what comes after a freeze is not seen": (index) => {
    for (const { decider } of partsOf(index)) {
      const add = decider.add.bind(decider);
      decider.add = (slot) => (decider.frozen === undefined ? add(slot) : undefined);
    }
  },
  "an expired rule decides": (index) => {
    for (const { slots } of partsOf(index)) {
      const write = slots.write.bind(slots);
      slots.write = (slot, rule) =>
        write(slot, { ...rule, expiresAt: rule.expiresAt === null ? null : rule.expiresAt + 1 });
    }
  },
  "a rule that goes still decides": (index) => {
    for (const { slots } of partsOf(index)) slots.clear = (slot) => slots.names.set(slot, null);
  },
};
for (const [what, break_] of Object.entries(broken)) {
  test(`the comparison finds an index where ${what}`, () => assert.throws(() => compare(60, break_)));
}

test("a freeze goes on while its index is copied, and both stay whole", () => {
  const world = new World(SEED);
  const index = new RuleIndex();
  for (let at = 0; at < RULES; at++) index.set(world.rule(world.prefix(), 100));
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
    one.set(world.rule(world.prefix(), 100));
    checkInvariants(one);
  }
});

test("a ruleset freezes in the background, in turns that others come between", async () => {
  const world = new World(SEED);
  const ruleset = new Ruleset({ allowSpecialPurpose: true });
  for (let at = 0; at < RULES; at++) ruleset.add(world.prefix(), {}, 1);
  const grown = ruleset.byteLength;
  // Each of 100 turns is given to others between the slices; the table's arrays are what grows.
  for (let turn = 0; turn < 2000 && ruleset.byteLength <= grown + 10_000; turn++)
    await new Promise((resolve) => setTimeout(resolve, 5));
  assert.ok(ruleset.byteLength > grown + 10_000);
});

test("columns of rules that are in order are frozen as they are", () => {
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
