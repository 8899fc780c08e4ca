import assert from "node:assert/strict";
import { describe, test } from "node:test";
import fc from "fast-check";
import { parsePrefix } from "../../src/address/prefix.ts";
import { isActive, longerExpiry, type Rule } from "../../src/rulesets/rule.ts";
import {
  type Addition,
  addRule,
  CONFLICT_MODES,
  type ConflictMode,
  updateRule,
} from "../../src/rulesets/write-rule.ts";

const NOW = Date.UTC(2026, 5, 1, 12);
const EARLIER = NOW - 5000;
const LATER = NOW + 5000;
const prefix = parsePrefix("192.0.2.0/24");

function existing(name: string | null, expiresAt: number | null): Rule {
  return { prefix, name, expiresAt, createdAt: 1000, updatedAt: 2000 };
}

test("a rule is active until the millisecond of its expiry, and always without one", () => {
  assert.equal(isActive(existing(null, NOW), NOW - 1), true);
  assert.equal(isActive(existing(null, NOW), NOW), false);
  assert.equal(isActive(existing(null, NOW), NOW + 1), false);
  assert.equal(isActive(existing(null, null), Number.MAX_SAFE_INTEGER), true);
});

test("permanent is the longest expiry", () => {
  assert.equal(longerExpiry(1, 2), 2);
  assert.equal(longerExpiry(2, 1), 2);
  assert.equal(longerExpiry(null, 2), null);
  assert.equal(longerExpiry(2, null), null);
  assert.equal(longerExpiry(null, null), null);
});

describe("addRule", () => {
  test("creates a rule in every mode if there is none", () => {
    for (const mode of CONFLICT_MODES) {
      const rule: Rule = { prefix, name: "a", expiresAt: LATER, createdAt: NOW, updatedAt: NOW };
      assert.deepEqual(addRule(undefined, { prefix, name: "a", expiresAt: LATER, mode }, NOW), {
        action: "created",
        rule,
      });
    }
  });

  type Content = [name: string | null, expiresAt: number | null];
  const cases: [ConflictMode, before: Content, request: Content, Addition["action"], after: Content][] = [
    ["extend", ["a", EARLIER], ["b", LATER], "updated", ["a", LATER]],
    ["extend", ["a", LATER], ["b", EARLIER], "skipped", ["a", LATER]],
    ["extend", ["a", LATER], ["b", LATER], "skipped", ["a", LATER]],
    ["extend", ["a", LATER], [null, null], "updated", ["a", null]],
    ["extend", ["a", null], ["b", LATER], "skipped", ["a", null]],
    ["extend", ["a", null], ["b", null], "skipped", ["a", null]],
    ["extend", [null, LATER], ["b", EARLIER], "updated", ["b", LATER]],
    ["extend", [null, LATER], [null, EARLIER], "skipped", [null, LATER]],
    ["extend", ["", LATER], ["b", EARLIER], "skipped", ["", LATER]],
    ["override", ["a", LATER], ["b", EARLIER], "updated", ["b", EARLIER]],
    ["override", ["a", LATER], [null, null], "updated", [null, null]],
    ["override", ["a", LATER], ["a", LATER], "updated", ["a", LATER]],
    ["skip", ["a", EARLIER], ["b", LATER], "skipped", ["a", EARLIER]],
    ["fail", ["a", EARLIER], ["b", LATER], "conflict", ["a", EARLIER]],
    ["fail", ["a", LATER], ["a", LATER], "conflict", ["a", LATER]],
  ];
  for (const [mode, before, request, action, after] of cases) {
    test(`${mode}: ${JSON.stringify(before)} and ${JSON.stringify(request)} yield ${action} ${JSON.stringify(after)}`, () => {
      const rule = existing(...before);
      const answer = addRule(rule, { prefix, name: request[0], expiresAt: request[1], mode }, NOW);
      const updatedAt = action === "updated" ? NOW : 2000;
      assert.deepEqual(answer, {
        action,
        rule: { prefix, name: after[0], expiresAt: after[1], createdAt: 1000, updatedAt },
      });
      if (action !== "updated") assert.equal(answer.rule, rule);
      assert.deepEqual(rule, existing(...before), "the existing rule is not written to");
    });
  }

  test("an expired rule is revived by a longer expiry", () => {
    const { rule } = addRule(existing(null, EARLIER), { prefix, name: null, expiresAt: LATER, mode: "extend" }, NOW);
    assert.ok(isActive(rule, NOW));
  });

  test("an unknown mode is rejected", () => {
    const mode = "merge" as ConflictMode;
    assert.throws(
      () => addRule(existing(null, null), { prefix, name: null, expiresAt: null, mode }, NOW),
      /the conflict mode must be one of extend, override, skip, fail, not "merge"/,
    );
  });
});

const content = fc.record({
  name: fc.option(fc.constantFrom("", "a", "b")),
  expiresAt: fc.option(fc.integer({ min: NOW - 3, max: NOW + 3 })),
});

test("extend never shortens, and a repeated addition changes nothing", () => {
  fc.assert(
    fc.property(content, content, (before, request) => {
      const rule = existing(before.name, before.expiresAt);
      const once = addRule(rule, { prefix, ...request, mode: "extend" }, NOW).rule;
      assert.ok((once.expiresAt ?? Infinity) >= (rule.expiresAt ?? Infinity));
      assert.ok((once.expiresAt ?? Infinity) >= (request.expiresAt ?? Infinity));
      const twice = addRule(once, { prefix, ...request, mode: "extend" }, NOW + 9);
      assert.equal(twice.action, "skipped");
      assert.equal(twice.rule, once);
    }),
    { seed: 20_260_601 },
  );
});

describe("updateRule", () => {
  test("changes the given fields, and the time of update with them", () => {
    assert.deepEqual(updateRule(existing("a", LATER), { name: "b" }, NOW), { ...existing("b", LATER), updatedAt: NOW });
    assert.deepEqual(updateRule(existing("a", LATER), { name: null }, NOW), {
      ...existing(null, LATER),
      updatedAt: NOW,
    });
    assert.deepEqual(updateRule(existing("a", LATER), { expiresAt: null }, NOW), {
      ...existing("a", null),
      updatedAt: NOW,
    });
  });

  test("returns the same object if nothing changes", () => {
    const rule = existing("a", LATER);
    for (const changes of [{}, { name: "a" }, { expiresAt: LATER }, { name: undefined, expiresAt: undefined }]) {
      assert.equal(updateRule(rule, changes, NOW), rule);
    }
  });
});
