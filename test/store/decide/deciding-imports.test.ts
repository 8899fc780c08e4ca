import assert from "node:assert/strict";
import { test } from "node:test";
import { formatPrefix, parsePrefix } from "../../../src/address/prefix.ts";
import { RuleList } from "../../../src/rulesets/rule-list.ts";
import type { Rule } from "../../../src/rulesets/rule.ts";
import { keyOfPrefix } from "../../../src/store/_prefix-key.ts";
import { Import, partsOf, undecidedRules } from "../../../src/store/decide/_import.ts";
import { RuleEvents } from "../../../src/store/decide/_rule-events.ts";
import { RulesetDraft } from "../../../src/store/decide/_ruleset-draft.ts";
import { TouchedRules } from "../../../src/store/decide/_touched-rules.ts";
import type { Ruleset } from "../../../src/store/state.ts";
import { finished } from "../../../src/turns/finished.ts";

const NOW = 1000;
const TEXTS = ["20.0.0.1", "20.0.0.2", "20.0.0.3", "2001:db8::1", "2001:db8::2"];

function listOf(texts: readonly string[], name: string | null = null) {
  const list = new RuleList();
  texts.forEach((text, at) => list.add({ prefix: parsePrefix(text), name: name ?? text, expiresAt: null }, at));
  return finished(list.inOrder(() => {}));
}
const textsIn = (columns: ReturnType<typeof listOf>, size = 100) =>
  [...partsOf(columns, size)].map((part) => part.map(({ rule }) => formatPrefix(rule.prefix)));

test("the rules of a list come in parts of a family, with their keys", () => {
  assert.deepEqual(textsIn(listOf(TEXTS), 2), [["20.0.0.1", "20.0.0.2"], ["20.0.0.3"], ["2001:db8::1", "2001:db8::2"]]);
  assert.deepEqual(textsIn(listOf(TEXTS), 3), [TEXTS.slice(0, 3), TEXTS.slice(3)]);
  for (const { key, rule } of [...partsOf(listOf(TEXTS), 9)].flat()) assert.equal(key, keyOfPrefix(rule.prefix));
});

test("of a list that was looked at beforehand only the rules that do something are left, at the same version", () => {
  const rules = listOf(TEXTS);
  const left = (indexes: readonly (readonly number[])[], version = 5) => {
    const unskipped = { version: 5, indexes: indexes.map((each) => Uint32Array.from(each)) };
    const { rules: some, skipped } = undecidedRules({ rules, unskipped }, version);
    const named = [...partsOf(some as typeof rules, 9)]
      .flat()
      .map(({ rule }) => [formatPrefix(rule.prefix), rule.name]);
    for (const [text, name] of named) assert.equal(text, name, "each has its own name");
    return [skipped, ...named.map(([text]) => text)];
  };
  assert.deepEqual(left([[0, 2], [1]]), [2, "20.0.0.1", "20.0.0.3", "2001:db8::2"]);
  assert.deepEqual(left([[0, 1, 2], []]), [2, ...TEXTS.slice(0, 3)]);
  assert.deepEqual(left([[], [0, 1]]), [3, ...TEXTS.slice(3)]);
  assert.deepEqual(left([[], []], 6), [0, ...TEXTS], "at another version all of them are");
  assert.deepEqual(undecidedRules({ rules }, 5), { rules, skipped: 0 });
});

test("an import adds, updates or skips each rule as its mode says, while there is room", () => {
  const existing: Rule = { prefix: parsePrefix("20.0.0.1"), name: "old", expiresAt: null, createdAt: 1, updatedAt: 2 };
  const run = (texts: readonly string[], mode: string, max: number, name = "new") => {
    const draft = new RulesetDraft(3, { id: "r" } as Ruleset, 0, { expiredUntil: 0, nextExpiry: null });
    const touched = new TouchedRules(new RuleEvents(draft, NOW));
    const imported = new Import(touched, { mode, at: NOW } as never, 1, max);
    for (const part of partsOf(listOf(texts, name), 9))
      imported.add(part, new Map([[keyOfPrefix(existing.prefix), existing]]));
    return [touched.added, touched.updated, imported.skipped];
  };
  assert.deepEqual(run(["20.0.0.1", "20.0.0.2"], "override", 2), [1, 1, 0]);
  assert.deepEqual(run(["20.0.0.1"], "skip", 1), [0, 0, 1]);
  assert.deepEqual(run(["20.0.0.1"], "override", 1), [0, 1, 0], "a full ruleset");
  assert.throws(() => run(["20.0.0.2", "20.0.0.3"], "override", 2), {
    code: "batch-refused",
    message: /^cannot add 20\.0\.0\.3: .*, so nothing was written$/,
  });
  assert.throws(() => run(["20.0.0.1"], "fail", 9), {
    code: "batch-refused",
    message: "a rule for 20.0.0.1 already exists, so nothing was written",
  });
});
