/** What is read of a ruleset in slices is what it was at one moment, also where it never rests. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { inSlices } from "../../../src/turns/in-slices.ts";
import { atOneVersion } from "../../../src/service/rules/at-one-version.ts";
import type { LiveRuleset } from "../../../src/service/rules/service-memory.ts";
import type { Prefix } from "../../../src/address/address.ts";
import type { Rule } from "../../../src/rulesets/rule.ts";
import { RuleIndex } from "../../../src/rulesets/rule-index.ts";

const prefix = (w0: number): Prefix => ({ family: 4, w0, w1: 0, w2: 0, w3: 0, length: 32 });
const rule = (w0: number, name: string): Rule => ({
  prefix: prefix(w0),
  name,
  expiresAt: null,
  createdAt: 1,
  updatedAt: 1,
});
const LAST = 9;

/**
 * A ruleset in which somebody renames the first and the last rule, both to the same, whenever others have their turn.
 */
function restless(changes: number) {
  const rules = new RuleIndex();
  let version = 0;
  const change = (): void => {
    version++;
    for (const w0 of [0, LAST]) rules.set(rule(w0, `version ${version}`));
  };
  for (let w0 = 0; w0 <= LAST; w0++) rules.set(rule(w0, ""));
  change();
  const about = {
    id: "a",
    organisationId: "b",
    name: "",
    purpose: "blocklist" as const,
    description: "",
    createdAt: 1,
    updatedAt: 1,
  };
  const current = (): LiveRuleset => ({ about: { ...about, version }, rules });
  const timer = (left: number): void =>
    void setImmediate(() => {
      if (left === 0) return;
      change();
      timer(left - 1);
    });
  timer(changes);
  return current;
}

/** Takes its time between the first rule and the last. */
function* readBoth({ rules }: LiveRuleset): Generator<undefined, readonly (string | null | undefined)[], undefined> {
  const first = rules.get(prefix(0))?.name;
  for (let step = 0; step < 3; step++) {
    for (const end = performance.now() + 6; performance.now() < end;);
    yield;
  }
  return [first, rules.get(prefix(LAST))?.name];
}

for (const [what, changes] of [
  ["rests", 0],
  ["changes twice", 2],
  ["never rests", 1000],
] as const) {
  test(`a ruleset that ${what}`, async () => {
    const { ruleset, result } = (await atOneVersion(restless(changes), readBoth))!;
    assert.deepEqual(result, [`version ${ruleset.about.version}`, `version ${ruleset.about.version}`]);
  });
}

test("the negative control: read without that, the parts do not fit together", async () => {
  const [first, last] = await inSlices(readBoth(restless(1000)()));
  assert.notEqual(first, last);
});

test("a ruleset that is gone", async () => assert.equal(await atOneVersion(() => undefined, readBoth), undefined));
