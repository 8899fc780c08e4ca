import assert from "node:assert/strict";
import { test } from "node:test";
import { prefixOf } from "../../src/address/prefix.ts";
import { isRecord } from "../../src/json/metadata-guards.ts";
import { finished } from "../../src/turns/finished.ts";
import type { Rule } from "../../src/rulesets/rule.ts";
import { partsOf, RuleIndex } from "../../src/rulesets/index/rule-index.ts";
import { RulesetError } from "../../src/rulesets/ruleset-error.ts";
import { storedLabels, storedRules, storingRules } from "../../src/rulesets/stored/stored-ruleset.ts";
import { checkInvariants } from "./check-invariants.ts";
import { randomWords } from "../random-words.ts";

const ABOUT = { name: "", purpose: "blocklist", allowSpecialPurpose: true, sequence: 1 } as const;
const next = randomWords(20_261_123);

function randomRule(): Rule {
  const [w0, w1] = [next() & 0xffff_ff00, next() & 0x8000_000f];
  const prefix =
    next() % 3 === 0
      ? prefixOf({ family: 6, w0: w0 >>> 0, w1: w1 >>> 0, w2: next(), w3: next() }, 32 + (next() % 97))
      : prefixOf({ family: 4, w0: w0 >>> 0, w1: 0, w2: 0, w3: 0 }, 12 + (next() % 21));
  const expiresAt = next() % 2 === 0 ? null : 80 + (next() % 400);
  return {
    prefix,
    name: next() % 4 === 0 ? null : `n${next() % 99_999}`,
    expiresAt,
    createdAt: next() % 9,
    updatedAt: 9,
  };
}

/** An index, and the same index opened from its file. */
function openedBeside(rules: number): [plain: RuleIndex, opened: RuleIndex] {
  const plain = new RuleIndex();
  for (let rule = 0; rule < rules; rule++) plain.set(randomRule());
  const { table, metadata } = finished(storingRules(plain, ABOUT));
  return [plain, storedRules(metadata, table).rules];
}

function writeSome(indexes: readonly RuleIndex[], rules: readonly Rule[]): void {
  for (let write = next() % 30; write > 0; write--) {
    const known = rules[next() % rules.length]!;
    const rule = next() % 2 === 0 ? randomRule() : { ...randomRule(), prefix: known.prefix };
    if (next() % 3 === 0) for (const index of indexes) index.delete(known.prefix);
    else for (const index of indexes) index.set(rule);
  }
}

function assertSame(one: RuleIndex, other: RuleIndex): void {
  assert.deepEqual([...one.rules()], [...other.rules()]);
  for (const now of [0, 100, 300, 500]) {
    assert.equal(one.expiredCount(now), other.expiredCount(now));
    assert.equal(one.nextExpiry(now), other.nextExpiry(now));
  }
  checkInvariants(one);
}

test("rules of a file are completed in steps, while they change, freeze, and use parts that are not built yet", (t) => {
  let steps = 0;
  for (const needed of ["nothing", "order", "expiries"]) {
    const [plain, opened] = openedBeside(9000);
    const rules = [...plain.rules()];
    let freezing = opened.freezing();
    const works = [opened.completing(), opened.completing()];
    // Two runs in turns, as two requests would make them.
    for (let step = works[0]!.next(); step.done !== true; step = works[++steps % 2]!.next()) {
      writeSome([plain, opened], rules);
      if (freezing.next().done === true) freezing = opened.freezing();
      if (steps % 7 === 3 && needed === "order") opened.rules().next();
      if (steps % 7 === 3 && needed === "expiries") opened.expiredCount(100);
    }
    finished(works[1]!);
    assertSame(opened, plain);
    writeSome([plain, opened], rules);
    assertSame(opened, plain);
    assert.equal(opened.completing().next().done, true);
  }
  t.diagnostic(`${steps} steps`);
  assert.ok(steps > 15);
});

test("the columns of a file may begin at any byte", () => {
  const [plain] = openedBeside(300);
  const { table, metadata } = finished(storingRules(plain, ABOUT));
  for (let byte = 1; byte < 8; byte++) {
    const moved = (value: unknown): unknown => {
      if (!(value instanceof Uint8Array)) return isRecord(value) ? mapped(value) : value;
      const bytes = new Uint8Array(byte + value.length);
      bytes.set(value, byte);
      return bytes.subarray(byte);
    };
    const mapped = (values: object): object =>
      Object.fromEntries(Object.entries(values).map(([name, value]) => [name, moved(value)]));
    assertSame(storedRules(mapped(metadata), table).rules, plain);
  }
});

test("expiries are those of the start of the count, plus all changes since: none counts twice", () => {
  const plain = new RuleIndex();
  // More prefixes than one step looks at.
  const prefixes = Array.from({ length: 30_000 }, (_, at) =>
    prefixOf({ family: 4, w0: (0x1400_0000 + at) >>> 0, w1: 0, w2: 0, w3: 0 }, 32),
  );
  const ruleOf = (at: number, expiresAt: number | null): Rule => ({
    prefix: prefixes[at]!,
    name: null,
    expiresAt,
    createdAt: 1,
    updatedAt: 1,
  });
  for (let at = 0; at < prefixes.length; at++) plain.set(ruleOf(at, 100 + (at % 300)));
  const { table, metadata } = finished(storingRules(plain, ABOUT));
  const opened = storedRules(metadata, table).rules;
  let at = 0;
  for (const work = opened.completing(); work.next().done !== true; at++) {
    // From both ends: rules that have been counted, and rules that have not.
    for (const changed of [at, prefixes.length - 1 - at])
      for (const index of [plain, opened]) index.set(ruleOf(changed, at % 2 === 0 ? 450 : null));
  }
  assert.ok(at > 4, `${at} steps`);
  for (const now of [0, 100, 250, 399, 449, 450])
    assert.equal(opened.expiredCount(now), plain.expiredCount(now), `${now}`);
});

test("negative control: a rule that is missing after completing is detected", () => {
  const [plain, opened] = openedBeside(9000);
  const { decider } = partsOf(opened)[0];
  const orderedSlots = decider.orderedSlots.bind(decider);
  decider.orderedSlots = function* () {
    return (yield* orderedSlots()).subarray(1);
  };
  finished(opened.completing());
  assert.throws(() => assertSame(opened, plain), assert.AssertionError);
});

/**
 * Stores rules while they change and freeze, and compares what is read back with the rules at the beginning. A freeze
 * that has begun before may end early: then rules are added in the slots of those that were removed before it.
 */
function storeAndCompare(index: RuleIndex): void {
  [...index.rules()].forEach(({ prefix }, at) => at % 50 === 0 && index.delete(prefix));
  let freezing = index.freezing();
  freezing.next();
  for (let write = 0; write < 50; write++) index.set(randomRule());
  const rules = [...index.rules()];
  const storing = storingRules(index, ABOUT);
  if (next() % 2 === 0) finished(freezing);
  for (let write = 0; write < 50; write++) index.set(randomRule());
  let step = storing.next();
  for (; step.done !== true; step = storing.next()) {
    writeSome([index], rules);
    if (freezing.next().done === true) freezing = index.freezing();
  }
  const { table, metadata } = step.value;
  assert.deepEqual([...storedRules(metadata, table).rules.rules()], rules);
  const labels = storedLabels(metadata, table);
  for (let at = 0; at < rules.length; at += 50) {
    const { prefix, name, expiresAt } = rules[at]!;
    const label = [labels.prefixOf(at + 1), labels.nameOf(at + 1), labels.expiryOf(at + 1)];
    assert.deepEqual(label, [prefix, name, expiresAt]);
  }
}

test("rules are stored as of the call, whatever is written and frozen between its steps", () => {
  for (const index of openedBeside(9000)) {
    for (let round = 0; round < 3; round++) storeAndCompare(index);
    checkInvariants(index);
  }
});

test("negative control: a write that reaches the stored rules is detected", () => {
  const [index] = openedBeside(9000);
  for (const { slots } of partsOf(index)) {
    const moment = slots.moment.bind(slots);
    slots.moment = () => Object.assign(moment(), { keep: () => {} });
  }
  // The rules read back differ, or cannot be read at all.
  assert.throws(
    () => storeAndCompare(index),
    (error) => error instanceof assert.AssertionError || error instanceof RulesetError,
  );
});
