/** What is read of a ruleset in slices is its state at one moment, even if it changes all the time. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { inSlices } from "../../../src/turns/in-slices.ts";
import { atOneVersion } from "../../../src/service/rules/at-one-version.ts";
import type { LiveRuleset } from "../../../src/service/store/service-memory.ts";
import type { Prefix } from "../../../src/address/address.ts";
import type { Rule } from "../../../src/rulesets/rule.ts";
import { memoryOf } from "./memory-of.ts";
import { aboutRuleset } from "./about-ruleset.ts";

const prefix = (w0: number): Prefix => ({ family: 4, w0, w1: 0, w2: 0, w3: 0, length: 32 });
const rule = (w0: number, name: string): Rule => ({
  prefix: prefix(w0),
  name,
  expiresAt: null,
  createdAt: 1,
  updatedAt: 1,
});
const LAST = 9;

const about = aboutRuleset("a", "b", "");

/**
 * A ruleset of which the first and the last rule are both renamed to the same name whenever other tasks get a turn; it
 * has `beside` further rules.
 */
async function restless(changes: number, beside = 0): Promise<() => LiveRuleset | undefined> {
  const named = (version: number): Rule[] =>
    Array.from({ length: LAST + 1 + beside }, (_, w0) => rule(w0, `version ${version}`));
  const { current, change } = await memoryOf(about, named(1));
  const timer = (version: number): void =>
    void setImmediate(async () => {
      if (version > changes + 1) return;
      await change(named(version));
      timer(version + 1);
    });
  timer(2);
  return current;
}

/** Takes its time between reading the first rule and the last. */
function* readBoth({ rules }: LiveRuleset): Generator<undefined, readonly (string | null | undefined)[], undefined> {
  const first = rules.get(prefix(0))?.name;
  for (let step = 0; step < 3; step++) {
    for (const end = performance.now() + 6; performance.now() < end;);
    yield;
  }
  return [first, rules.get(prefix(LAST))?.name];
}

for (const [what, changes, beside] of [
  ["rests", 0, 0],
  ["changes twice", 2, 0],
  ["never rests", 1000, 0],
  ["never rests, and changes as a whole", 50, 20_000],
] as const) {
  test(`a ruleset that ${what}`, async () => {
    const { ruleset, result } = (await atOneVersion(await restless(changes, beside), readBoth))!;
    assert.deepEqual(result, [`version ${ruleset.about.version}`, `version ${ruleset.about.version}`]);
  });
}

test("the negative control: without it, the parts are of different versions", async () => {
  const current = await restless(1000);
  const [first, last] = await inSlices(readBoth(current()!));
  assert.notEqual(first, last);
});

test("a deleted ruleset", async () => assert.equal(await atOneVersion(() => undefined, readBoth), undefined));
