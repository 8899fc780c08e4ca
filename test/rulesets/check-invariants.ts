import assert from "node:assert/strict";
import type { FamilyRules } from "../../src/rulesets/index/_family-rules.ts";
import { LEFT, LENGTH, RIGHT, ROOT, RULE, type RuleTree, STRIDE, TOTAL } from "../../src/rulesets/index/_rule-tree.ts";
import type { RuleIndex } from "../../src/rulesets/index/rule-index.ts";
import { prefixBits } from "../oracle/prefix-oracle.ts";
import { partsOf } from "../../src/rulesets/index/rule-index.ts";

/**
 * Walks every cell of an index and throws if one is lost, used twice, or has an invalid value. Records and slots in use
 * and freed ones make up the arrays; each record is needed, its keys extend its parent's, and its counts are right;
 * expiries and blocks have the right counts at every time at which something expires, and just before and after it.
 */
export function checkInvariants(index: RuleIndex): void {
  for (const rules of partsOf(index)) {
    const slots = checkTree(rules.tree);
    assert.equal(rules.count, slots.length);
    checkSlots(rules, slots);
    checkTimes(rules, slots);
  }
}

/** Checks the records and returns the slots of the rules, in order. */
function checkTree(tree: RuleTree): number[] {
  const { cells, slots } = tree;
  const records = new Set<number>();
  const found: number[] = [];
  const takeSlot = (slot: number, length: number, above: string): number => {
    const bits = prefixBits(slots.prefixAt(slot)).slice(1);
    assert.equal(bits.length, length, "a rule's length is not its record's");
    assert.ok(bits.startsWith(above), "a rule does not extend the key above it, or is on the wrong side");
    found.push(slot);
    return 1;
  };
  const visit = (at: number, above: string): number => {
    if (at === 0) return 0;
    if (at < 0) return takeSlot(~at, slots.lengths[~at]!, above);
    takeRecord(tree, at, records);
    const children = [cells[at + LEFT], cells[at + RIGHT]].filter((child) => child !== 0).length;
    const rule = cells[at + RULE]!;
    assert.ok(rule === 0 ? children === 2 : children > 0, "a record is not needed");
    const first = found.length;
    const own = rule === 0 ? 0 : takeSlot(rule, cells[at + LENGTH]!, above);
    const prefix = keyOf(tree, at);
    assert.ok(
      prefix.startsWith(above) && prefix.length === cells[at + LENGTH],
      "a record does not extend its parent's key",
    );
    const left = visit(cells[at + LEFT]!, `${prefix}0`);
    const right = visit(cells[at + RIGHT]!, `${prefix}1`);
    assert.equal(cells[at + TOTAL], own + left + right, "a record miscounts its rules");
    assert.equal(found.length - first, cells[at + TOTAL]);
    return cells[at + TOTAL]!;
  };
  const total = visit(cells[ROOT]!, "");
  for (let at = tree.freed; at !== 0; at = cells[at + LEFT]!) takeRecord(tree, at, records);
  assert.equal(records.size, tree.end / STRIDE - 1, "a record is neither in the tree nor free");
  assert.equal(tree.total, total);
  return found;
}

/** The bits that all keys below a record share, taken from any one of them. */
function keyOf({ cells, slots }: RuleTree, at: number): string {
  let below = at;
  while (below > 0) below = cells[below + RULE] === 0 ? cells[below + LEFT]! : ~cells[below + RULE]!;
  return prefixBits(slots.prefixAt(~below)).slice(1, 1 + cells[at + LENGTH]!);
}

function takeRecord(tree: RuleTree, at: number, seen: Set<number>): void {
  assert.ok(at % STRIDE === 0 && at < tree.end, "a reference names no record");
  assert.ok(!seen.has(at), "a record is referred to twice");
  seen.add(at);
}

function checkSlots({ slots, decider }: FamilyRules, used: readonly number[]): void {
  const seen = new Set(used);
  assert.equal(seen.size, used.length, "a slot is in the tree twice");
  for (let slot = slots.freed; slot !== 0; slot = slots.keys[slot * slots.words]!) {
    assert.ok(slot < slots.end && !seen.has(slot), "a slot is freed twice, or in use");
    assert.equal(slots.names.get(slot), null, "a freed slot keeps a name alive");
    seen.add(slot);
  }
  for (const slot of decider.gone) {
    assert.ok(!seen.has(slot) && !slots.isTaken(slot), "a slot that a rule has left is free, or in use");
    seen.add(slot);
  }
  assert.equal(seen.size, slots.end - 1, "a slot is neither in use nor free");
}

function checkTimes({ slots, expiries, blocks }: FamilyRules, used: readonly number[]): void {
  const moments = [...new Set(used.map((slot) => slots.expiresAt[slot]!))].sort((a, b) => a - b);
  assert.equal(
    expiries.countUntil(Number.MAX_VALUE),
    used.filter((slot) => slots.expiresAt[slot] !== Number.POSITIVE_INFINITY).length,
    "an expiry is not counted, or is counted twice",
  );
  for (const now of moments.slice(0, 20).flatMap((moment) => (Number.isFinite(moment) ? [moment - 1, moment] : []))) {
    const active = used.filter((slot) => now < slots.expiresAt[slot]!);
    const expired = used.filter((slot) => now >= slots.expiresAt[slot]!);
    assert.equal(expiries.countUntil(now), expired.length, "expiries are miscounted");
    assert.deepEqual(
      blocks.page("active", { offset: 0, limit: used.length }, now),
      active,
      "the blocks miss an active rule, or have one too many",
    );
    assert.deepEqual(
      blocks.page("expired", { offset: 0, limit: used.length }, now),
      expired,
      "the blocks miss an expired rule, or have one too many",
    );
  }
}
