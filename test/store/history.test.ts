import assert from "node:assert/strict";
import { test } from "node:test";
import type { Rule } from "../../src/rulesets/rule.ts";
import { type Entry, orderOf } from "./harness/history.ts";
import { adding } from "./harness/stores.ts";

const { prefix } = adding("192.0.2.1");
const rule = (changed: Partial<Rule> = {}): Rule => ({
  prefix,
  name: null,
  expiresAt: null,
  createdAt: 1,
  updatedAt: 1,
  ...changed,
});
const entry = (
  began: number,
  ended: number,
  mode: "extend" | "override" | "fail",
  result: string,
  after: Rule,
  expiresAt: number | null = null,
): Entry => ({
  began,
  ended,
  at: after.updatedAt,
  item: { add: adding("192.0.2.1", { mode, expiresAt }) },
  result,
  rule: after,
});

test("a history that some order explains is accepted, even if it is not the order of the responses", () => {
  assert.equal(orderOf([entry(0, 3, "extend", "skipped", rule()), entry(1, 2, "fail", "created", rule())]), 2);
});

test("negative controls: a lost write, one that goes back in time, and a shortened expiry have no order", () => {
  const impossible: Record<string, Entry[]> = {
    "created twice": [entry(0, 1, "fail", "created", rule()), entry(2, 3, "fail", "created", rule())],
    "seen before it was there": [entry(0, 1, "extend", "skipped", rule()), entry(2, 3, "fail", "created", rule())],
    "an update that a later one did not see": [
      entry(0, 1, "fail", "created", rule()),
      entry(2, 3, "override", "updated", rule({ expiresAt: 9, updatedAt: 2 }), 9),
      entry(4, 5, "extend", "skipped", rule()),
    ],
    "extend that shortens": [
      entry(0, 1, "fail", "created", rule()),
      entry(2, 3, "extend", "updated", rule({ expiresAt: 5, updatedAt: 2 }), 5),
    ],
  };
  for (const [what, entries] of Object.entries(impossible))
    assert.throws(() => orderOf(entries), /no order explains/, what);
});
