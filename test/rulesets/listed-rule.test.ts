import assert from "node:assert/strict";
import { test } from "node:test";
import { parsePrefix } from "../../src/address/prefix.ts";
import { addListed } from "../../src/rulesets/listed-rule.ts";
import type { Rule } from "../../src/rulesets/rule.ts";
import { addRule, CONFLICT_MODES, type ConflictMode } from "../../src/rulesets/write-rule.ts";

const NOW = Date.UTC(2026, 5, 1, 12);
const prefix = parsePrefix("192.0.2.0/24");
const EXPIRIES = [null, NOW - 1, NOW + 1, NOW + 2] as const;
const EXISTING: readonly (Rule | undefined)[] = [
  undefined,
  ...["known", null].flatMap((name) =>
    EXPIRIES.map((expiresAt) => ({ prefix, name, expiresAt, createdAt: 1, updatedAt: 2 })),
  ),
];

/** What is there after adding the rule that the list names, if it does, and then the part of the one that was cut. */
function addedInTurn(
  existing: Rule | undefined,
  named: number | null | undefined,
  part: number | null,
  mode: ConflictMode,
) {
  const rule = { prefix, name: "listed" };
  if (named === undefined) return addRule(existing, { ...rule, expiresAt: part, mode: "extend" }, NOW);
  const first = addRule(existing, { ...rule, expiresAt: named, mode }, NOW);
  if (first.action === "conflict") return first;
  const { rule: last } = addRule(first.rule, { ...rule, expiresAt: part, mode: "extend" }, NOW);
  return { action: existing === undefined ? "created" : last === existing ? "skipped" : "updated", rule: last };
}

test("a part of a cut rule extends what is there, after the rule that the list itself names, in any mode", () => {
  for (const existing of EXISTING)
    for (const mode of CONFLICT_MODES) {
      for (const part of EXPIRIES)
        for (const named of [undefined, ...EXPIRIES]) {
          const carved = named === undefined ? { part } : { part, named };
          const added = addListed(existing, { prefix, name: "listed", expiresAt: null, carved }, mode, NOW);
          assert.deepEqual(added, addedInTurn(existing, named, part, mode));
          if (added.action === "skipped" || added.action === "conflict") assert.equal(added.rule, existing);
        }
      const whole = { prefix, name: "listed", expiresAt: NOW + 1 };
      assert.deepEqual(addListed(existing, whole, mode, NOW), addRule(existing, { ...whole, mode }, NOW));
    }
});
