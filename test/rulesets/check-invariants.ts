import assert from "node:assert/strict";
import type { FamilyRules } from "../../src/rulesets/_family-rules.ts";
import { EXPIRED, LEFT, LENGTH, RIGHT, ROOT, RULE, type RuleTree, STRIDE, TOTAL } from "../../src/rulesets/_rule-tree.ts";
import type { RuleSlots } from "../../src/rulesets/_rule-slots.ts";
import type { RuleIndex } from "../../src/rulesets/rule-index.ts";
import { prefixBits } from "../oracle/prefix-oracle.ts";

/**
 * Walks every cell of an index and throws if one is lost, used twice, or says what it must not: records and slots in use and freed
 * ones make up the arrays; a record is needed, its keys extend its parent's, and it counts right; a rule that expires stands in the
 * right heap at its place, and heaps are in order.
 */
export function checkInvariants(index: RuleIndex): void {
  for (const rules of [index["rules4"], index["rules6"]]) {
    const slots = checkTree(rules.tree);
    checkSlots(rules.slots, slots);
    checkHeaps(rules, slots);
  }
}

interface Sums {
  readonly total: number;
  readonly expired: number;
}

/** Checks the records and returns the slots of the rules, in order. */
function checkTree(tree: RuleTree): number[] {
  const { cells, slots } = tree;
  const records = new Set<number>();
  const found: number[] = [];
  const takeSlot = (slot: number, length: number, above: string): Sums => {
    const bits = prefixBits(slots.prefixAt(slot)).slice(1);
    assert.equal(bits.length, length, "a rule's length is not its record's");
    assert.ok(bits.startsWith(above), "a rule does not extend the key above it, or is on the wrong side");
    found.push(slot);
    return { total: 1, expired: slots.expiresAt[slot] <= slots.settledAt ? 1 : 0 };
  };
  const visit = (at: number, above: string): Sums => {
    if (at === 0) return { total: 0, expired: 0 };
    if (at < 0) return takeSlot(~at, slots.lengths[~at], above);
    takeRecord(tree, at, records);
    const children = [cells[at + LEFT], cells[at + RIGHT]].filter((child) => child !== 0).length;
    const rule = cells[at + RULE];
    assert.ok(rule === 0 ? children === 2 : children > 0, "a record is not needed");
    const first = found.length;
    const own = rule === 0 ? { total: 0, expired: 0 } : takeSlot(rule, cells[at + LENGTH], above);
    const prefix = keyOf(tree, at);
    assert.ok(prefix.startsWith(above) && prefix.length === cells[at + LENGTH], "a record does not extend its parent's key");
    const left = visit(cells[at + LEFT], `${prefix}0`);
    const right = visit(cells[at + RIGHT], `${prefix}1`);
    assert.equal(cells[at + TOTAL], own.total + left.total + right.total, "a record miscounts its rules");
    assert.equal(cells[at + EXPIRED], own.expired + left.expired + right.expired, "a record miscounts its expired rules");
    assert.equal(found.length - first, cells[at + TOTAL]);
    return { total: cells[at + TOTAL], expired: cells[at + EXPIRED] };
  };
  const sums = visit(cells[ROOT], "");
  for (let at = tree.freed; at !== 0; at = cells[at + LEFT]) takeRecord(tree, at, records);
  assert.equal(records.size, tree.end / STRIDE - 1, "a record is neither in the tree nor free");
  assert.deepEqual({ total: tree.total, expired: tree.expired }, sums);
  return found;
}

/** The bits that all keys below a record share: those of any of them. */
function keyOf({ cells, slots }: RuleTree, at: number): string {
  let below = at;
  while (below > 0) below = cells[below + RULE] === 0 ? cells[below + LEFT] : ~cells[below + RULE];
  return prefixBits(slots.prefixAt(~below)).slice(1, 1 + cells[at + LENGTH]);
}

function takeRecord(tree: RuleTree, at: number, seen: Set<number>): void {
  assert.ok(at % STRIDE === 0 && at < tree.end, "a reference names no record");
  assert.ok(!seen.has(at), "a record is referred to twice");
  seen.add(at);
}

function checkSlots(slots: RuleSlots, used: readonly number[]): void {
  const seen = new Set(used);
  assert.equal(seen.size, used.length, "a slot is in the tree twice");
  for (let slot = slots.freed; slot !== 0; slot = slots.places[slot]) {
    assert.ok(slot < slots.end && !seen.has(slot), "a slot is freed twice, or in use");
    assert.equal(slots.names.get(slot), null, "a freed slot keeps a name alive");
    seen.add(slot);
  }
  assert.equal(seen.size, slots.end - 1, "a slot is neither in use nor free");
}

function checkHeaps(rules: FamilyRules, used: readonly number[]): void {
  const { slots } = rules;
  const held: number[] = [];
  for (const [heap, sign] of [[rules["pending"], 1], [rules["expired"], -1]] as const) {
    for (let place = 0; place < heap.size; place++) {
      const slot = heap.heap[place];
      const expiry = slots.expiresAt[slot];
      assert.equal(slots.places[slot], place, "a rule does not know its place in the heap");
      assert.equal(expiry <= slots.settledAt, sign === -1, "a rule is in the wrong heap");
      assert.ok(place === 0 || sign * slots.expiresAt[heap.heap[(place - 1) >>> 1]] <= sign * expiry, "a heap is out of order");
      held.push(slot);
    }
  }
  const expiring = used.filter((slot) => slots.expiresAt[slot] !== Number.POSITIVE_INFINITY);
  const ascending = (list: readonly number[]): number[] => list.toSorted((a, b) => a - b);
  assert.deepEqual(ascending(held), ascending(expiring), "a rule that expires is in no heap");
}
