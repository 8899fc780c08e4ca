import assert from "node:assert/strict";
import { test } from "node:test";
import { RuleIndex } from "../../../src/rulesets/rule-index.ts";
import { storedRules, storingRules } from "../../../src/rulesets/stored-ruleset.ts";
import { completeRules } from "../../../src/service/rules/complete-rules.ts";
import type { LiveRuleset } from "../../../src/service/rules/service-memory.ts";
import { finished } from "../../../src/turns/finished.ts";

const ABOUT = { name: "", purpose: "blocklist", allowSpecialPurpose: true, sequence: 1 } as const;

function openedRuleset(id: string): LiveRuleset {
  const index = new RuleIndex();
  for (let w0 = 0; w0 < 20_000; w0++) {
    const prefix = { family: 4 as const, w0, w1: 0, w2: 0, w3: 0, length: 32 };
    index.set({ prefix, name: null, expiresAt: null, createdAt: 1, updatedAt: 1 });
  }
  const { metadata, table } = finished(storingRules(index, ABOUT));
  return { about: { id } as LiveRuleset["about"], rules: storedRules(metadata, table).rules };
}

const isComplete = ({ rules }: LiveRuleset): boolean => rules.completing().next().done === true;

test("rulesets from snapshots are completed one by one; one that fails is logged, and none is begun after the end", async () => {
  const rulesets = ["a", "b", "c", "d"].map(openedRuleset);
  const logged: unknown[] = [];
  const log = { error: (about: { ruleset: string }) => void logged.push(about.ruleset) };
  rulesets[1]!.rules.completing = () => {
    throw new RangeError("no memory");
  };
  let asked = 0;
  const memory = { everyRuleset: () => rulesets };
  await completeRules(memory, { isEnded: () => asked++ === 3, log: log as never });
  delete (rulesets[1]!.rules as { completing?: unknown }).completing;
  assert.deepEqual(rulesets.map(isComplete), [true, false, true, false]);
  assert.deepEqual(logged, ["b"]);
});
