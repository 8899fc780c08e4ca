import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { formatPrefix, parsePrefix } from "../../src/address/prefix.ts";
import { planReplacement, type DesiredRule } from "../../src/rulesets/plan-replacement.ts";
import type { Rule } from "../../src/rulesets/rule.ts";
import { RuleIndex } from "../../src/rulesets/index/rule-index.ts";
import { anyPrefix } from "../trie/operations.ts";

const NOW = 5000;

function rule(text: string, name: string | null = null, expiresAt: number | null = null): Rule {
  return { prefix: parsePrefix(text), name, expiresAt, createdAt: 1, updatedAt: 2 };
}

function wanted(text: string, name: string | null = null, expiresAt: number | null = null): DesiredRule {
  return { prefix: parsePrefix(text), name, expiresAt };
}

test("a plan has the added, updated, removed and unchanged rules, in order", () => {
  const current = [rule("10.0.0.0/8", "a"), rule("10.0.0.0/9", "b"), rule("11.0.0.0/8", "c", 7), rule("2001:db8::/32")];
  const list = [
    wanted("::/0", "new"),
    wanted("11.0.0.0/8", "c", 8),
    wanted("10.0.0.0/8", "a"),
    wanted("9.0.0.0/8", null, 6000),
    wanted("2001:db8::/32"),
  ];
  assert.deepEqual(planReplacement(current, list, NOW), {
    added: [
      { ...wanted("9.0.0.0/8", null, 6000), createdAt: NOW, updatedAt: NOW },
      { ...wanted("::/0", "new"), createdAt: NOW, updatedAt: NOW },
    ],
    updated: [{ before: current[2], after: { ...current[2], expiresAt: 8, updatedAt: NOW } }],
    removed: [current[1]],
    unchanged: 2,
  });
});

test("a repeated desired prefix is rejected", () => {
  assert.throws(
    () => planReplacement([], [wanted("10.0.0.0/8"), wanted("9.0.0.0/8"), wanted("::ffff:10.0.0.0/104")], NOW),
    /Duplicate prefix 10.0.0.0\/8/,
  );
});

const anyList = fc.uniqueArray(
  fc.record({ prefix: anyPrefix, name: fc.constantFrom(null, "a", "b"), expiresAt: fc.constantFrom(null, 1, 2) }),
  {
    selector: ({ prefix }) => formatPrefix(prefix),
    maxLength: 40,
  },
);

test("applying a plan yields exactly the desired rules; the same list again changes nothing", () => {
  fc.assert(
    fc.property(anyList, anyList, (before, list) => {
      const index = new RuleIndex();
      for (const content of before) index.set({ ...content, createdAt: 1, updatedAt: 2 });
      const plan = planReplacement(index.rules(), list, NOW);
      assert.equal(plan.updated.length + plan.removed.length + plan.unchanged, index.count);
      for (const { prefix } of plan.removed) assert.ok(index.delete(prefix));
      for (const added of plan.added) assert.equal(index.get(added.prefix), undefined);
      for (const { after } of plan.updated) assert.equal(index.get(after.prefix)!.createdAt, after.createdAt);
      for (const after of [...plan.added, ...plan.updated.map(({ after }) => after)]) index.set(after);
      assert.equal(index.count, list.length);
      for (const { prefix, name, expiresAt } of list) {
        const made = index.get(prefix)!;
        assert.deepEqual([made.name, made.expiresAt], [name, expiresAt]);
      }
      assert.deepEqual(planReplacement(index.rules(), list, NOW + 1), {
        added: [],
        updated: [],
        removed: [],
        unchanged: list.length,
      });
    }),
    { seed: 20_260_601 },
  );
});
