import assert from "node:assert/strict";
import fc from "fast-check";
import type { Address, Prefix } from "../../src/address/address.ts";
import { formatAddress } from "../../src/address/format-address.ts";
import { prefixOf } from "../../src/address/prefix.ts";
import type { Rule } from "../../src/rulesets/rule.ts";
import type { RuleId } from "../../src/rulesets/rule-id.ts";
import { RuleIndex } from "../../src/rulesets/index/rule-index.ts";
import type { RuleFilter } from "../../src/rulesets/index/rule-search.ts";
import { StateBlocks } from "../../src/rulesets/index/_state-blocks.ts";
import { RuleOracle } from "../oracle/rule-oracle.ts";
import { anyPrefix } from "../trie/operations.ts";
import { checkInvariants } from "./check-invariants.ts";
import { chunksOf } from "./columns.ts";
import { partsOf } from "../../src/rulesets/index/rule-index.ts";

/** The operations and queries on an index; `change` is done before each further step of a walk. */
type Change = { do: "set"; rule: Rule } | { do: "delete"; prefix: Prefix };
type Question =
  | { do: "get" | "covering"; prefix: Prefix }
  | { do: "check"; prefix: Prefix; now: number }
  | { do: "counts"; now: number }
  | { do: "page"; offset: number; limit: number; which: "all" | "active" | "expired"; now: number }
  | { do: "search"; filter: RuleFilter; now: number; step: number }
  | { do: "walk"; after: Prefix | undefined; changes: Change[] }
  | { do: "rebuild"; size: number }
  | { do: "freeze"; steps: number }
  | { do: "copy" };
type Operation = Change | Question;

/**
 * How often each kind of operation was done, how many rules searches found, how often time moved back, and how large
 * the index became.
 */
export type Counts = Record<
  Operation["do"] | "sequences" | "walkSteps" | "found" | "stepsBack" | "expired" | "largest",
  number
>;

export function newCounts(): Counts {
  return {
    sequences: 0,
    set: 0,
    delete: 0,
    get: 0,
    covering: 0,
    check: 0,
    counts: 0,
    page: 0,
    search: 0,
    walk: 0,
    rebuild: 0,
    freeze: 0,
    copy: 0,
    walkSteps: 0,
    found: 0,
    stepsBack: 0,
    expired: 0,
    largest: 0,
  };
}

/** Few moments, so that expiries coincide with each other and with `now`. */
const anyTime = fc.integer({ min: -3, max: 12 });
const anyRule: fc.Arbitrary<Rule> = fc.record({
  prefix: anyPrefix,
  name: fc.constantFrom(null, "", "a", "B", "Äb"),
  expiresAt: fc.option(anyTime, { freq: 3 }),
  createdAt: anyTime,
  updatedAt: anyTime,
});

const anyFilter: fc.Arbitrary<RuleFilter> = fc.record({
  state: fc.constantFrom(undefined, "active" as const, "expired" as const, "expiring" as const),
  within: fc.integer({ min: 1, max: 6 }),
  name: fc.constantFrom(undefined, undefined, "", "A", "b", "äB", "c"),
  related: fc.option(anyPrefix, { nil: undefined }),
});

const change: fc.Arbitrary<Change> = fc.oneof(
  { weight: 3, arbitrary: fc.record({ do: fc.constant("set" as const), rule: anyRule }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("delete" as const), prefix: anyPrefix }) },
);

const question: fc.Arbitrary<Question> = fc.oneof(
  fc.record({ do: fc.constantFrom("get" as const, "covering" as const), prefix: anyPrefix }),
  fc.record({ do: fc.constant("check" as const), prefix: anyPrefix, now: anyTime }),
  fc.record({ do: fc.constant("counts" as const), now: anyTime }),
  fc.record({
    do: fc.constant("page" as const),
    offset: fc.nat(40),
    limit: fc.nat(20),
    which: fc.constantFrom("all" as const, "active" as const, "expired" as const),
    now: anyTime,
  }),
  fc.record({
    do: fc.constant("search" as const),
    filter: anyFilter,
    now: anyTime,
    step: fc.integer({ min: 1, max: 50 }),
  }),
  fc.record({
    do: fc.constant("walk" as const),
    after: fc.option(anyPrefix, { nil: undefined }),
    changes: fc.array(change, { maxLength: 12 }),
  }),
  fc.record({ do: fc.constant("rebuild" as const), size: fc.integer({ min: 1, max: 40 }) }),
  fc.record({ do: fc.constant("freeze" as const), steps: fc.integer({ min: 1, max: 4 }) }),
  fc.record({ do: fc.constant("copy" as const) }),
);

function sequences(maxLength: number): fc.Arbitrary<Operation[]> {
  const operation = fc.oneof<fc.WeightedArbitrary<Operation>[]>(
    { weight: 2, arbitrary: change },
    { weight: 1, arbitrary: question },
  );
  return fc.array(operation, { maxLength, size: "max" });
}

/** Makes an index of the rules, which must be in order. */
export type MakeIndex = (rules: readonly Rule[], size: number) => RuleIndex;

/** With small blocks, so that a few rules fill many of them. */
export const fromColumns: MakeIndex = (rules, size) => {
  const index = RuleIndex.from(chunksOf(rules, size));
  for (const family of partsOf(index)) family.blocks = new StateBlocks(family.tree, 1 + (size % 7));
  return index;
};

/**
 * The property: random sequences agree with the oracle at each step and leave the arrays consistent, and so does
 * deleting the remaining rules.
 */
export function agreesWithOracle(
  counts: Counts,
  maxLength: number,
  makeIndex = fromColumns,
): fc.IProperty<[Operation[]]> {
  return fc.property(sequences(maxLength), (operations) => {
    let index = makeIndex([], 1);
    const oracle = new RuleOracle();
    let now = 0;
    counts.sequences++;
    for (const operation of operations) {
      if ("now" in operation) {
        if (operation.now < now) counts.stepsBack++;
        now = operation.now;
      }
      counts[operation.do]++;
      if (operation.do === "rebuild") index = makeIndex(oracle.rules(), operation.size);
      else if (operation.do === "copy") index = index.copy();
      else perform(operation, index, oracle, counts);
    }
    checkInvariants(index);
    for (const { prefix } of oracle.rules()) assert.ok(index.delete(prefix));
    checkInvariants(index);
    assert.equal(index.count, 0);
  });
}

/** The freeze in progress in an index. */
const freezes = new WeakMap<RuleIndex, Generator<undefined, void>>();

/**
 * Continues a freeze, which other operations may interrupt, or starts one; sometimes starts one while another is in
 * progress.
 */
function freezeSteps(index: RuleIndex, steps: number): void {
  const work = (steps < 4 ? freezes.get(index) : undefined) ?? index.freezing();
  freezes.set(index, work);
  for (let step = 0; step < steps; step++) if (work.next().done) return void freezes.delete(index);
}

/** Performs one operation on both, and throws if they disagree. */
function perform(
  operation: Exclude<Operation, { do: "rebuild" | "copy" }>,
  index: RuleIndex,
  oracle: RuleOracle,
  counts: Counts,
): void {
  switch (operation.do) {
    case "get":
      return assert.deepEqual(index.get(operation.prefix), oracle.get(operation.prefix));
    case "covering":
      return assert.deepEqual(index.covering(operation.prefix), oracle.covering(operation.prefix));
    case "check":
      return checkCheck(operation, index, oracle);
    case "counts":
      return checkCounts(operation.now, index, oracle, counts);
    case "page": {
      const { offset, limit, which, now } = operation;
      const rules = oracle.search({ state: which === "all" ? undefined : which }, now);
      return assert.deepEqual(
        index.page({ offset, limit, activeOnly: which === "active", expiredOnly: which === "expired" }, now),
        rules.slice(offset, offset + limit),
      );
    }
    case "search":
      return checkSearch(operation, index, oracle, counts);
    case "freeze":
      return freezeSteps(index, operation.steps);
    case "walk":
      return checkWalk(operation, index, oracle, counts);
    default:
      applyChange(operation, index, oracle);
      counts.largest = Math.max(counts.largest, index.count);
  }
}

function applyChange(operation: Change, index: RuleIndex, oracle: RuleOracle): void {
  if (operation.do === "delete") return assert.equal(index.delete(operation.prefix), oracle.delete(operation.prefix));
  index.set(operation.rule);
  oracle.set(operation.rule);
  assert.equal(index.count, oracle.count);
}

function checkCheck({ prefix, now }: { prefix: Prefix; now: number }, index: RuleIndex, oracle: RuleOracle): void {
  const active = new Set(oracle.rules(now));
  const covering = oracle.covering(prefix).filter((rule) => active.has(rule));
  assert.deepEqual(index.check(prefix, now), { rule: covering[0] ?? null, covering });
  assert.deepEqual(index.deciding(prefix, now), covering[0] ?? null);
  const { length: _, ...address } = prefix;
  checkDeciding(address, now, index, oracle);
  assert.deepEqual(
    index.check(address, now).covering,
    oracle.covering(address).filter((rule) => active.has(rule)),
  );
  assert.deepEqual(
    index.check(prefixOf(prefix, 0), now).covering,
    oracle.covering(prefixOf(prefix, 0)).filter((rule) => active.has(rule)),
  );
}

/**
 * Looks up the address and its neighbour in one batch: the slot must be that of the rule, and no word may be mistaken
 * for another one's.
 */
function checkDeciding(address: Address, now: number, index: RuleIndex, oracle: RuleOracle): void {
  const { family, w0, w1, w2, w3 } = address;
  const last = family === 4 ? "w0" : "w3";
  const asked = [address, { ...address, [last]: (address[last] ^ 1) >>> 0 }];
  const words = family === 4 ? [w0, asked[1]!.w0] : [w0, w1, w2, w3, w0, w1, w2, asked[1]!.w3];
  const ids = new Uint32Array(2);
  index.decideWordsInto(family, Uint32Array.from(words), ids, now);
  const active = new Set(oracle.rules(now));
  const expected = asked.map((each) => oracle.covering(each).find((rule) => active.has(rule)) ?? null);
  assert.deepEqual(
    [...ids].map((id) => (id === 0 ? null : index.ruleAt(id as RuleId))),
    expected,
  );
  const single = asked.map(({ w0, w1, w2, w3 }) =>
    family === 4 ? index.decide4(w0, now) : index.decide6(w0, w1, w2, w3, now),
  );
  assert.deepEqual(single, [...ids]);
  const texts = new Uint32Array(2);
  index.decideInto(asked.map(formatAddress), texts, now);
  assert.deepEqual(texts, ids);
}

function checkCounts(now: number, index: RuleIndex, oracle: RuleOracle, counts: Counts): void {
  const active = oracle.rules(now).length;
  counts.expired += oracle.count - active;
  assert.equal(index.activeCount(now), active);
  assert.equal(index.expiredCount(now), oracle.count - active);
  assert.equal(index.nextExpiry(now), oracle.nextExpiry(now));
}

/** What is found, page by page, and how long that stays the result. */
function checkSearch(
  { filter, now, step }: Question & { do: "search" },
  index: RuleIndex,
  oracle: RuleOracle,
  counts: Counts,
): void {
  const search = index.search(filter, now);
  while (search.advance(step));
  const found = search.found();
  const expected = oracle.search(filter, now);
  counts.found += expected.length;
  assert.equal(found.count, expected.length);
  for (let offset = 0; offset <= expected.length; offset += step)
    assert.deepEqual(found.page(offset, step), expected.slice(offset, offset + step));
  assert.equal(found.since, now);
  for (let time = now + 1; time < Math.min(found.until, 20); time++)
    assert.deepEqual(oracle.search(filter, time), expected);
  if (found.until < Infinity) assert.notDeepEqual(oracle.search(filter, found.until), expected);
}

/** Walks the index while it changes between the steps. */
function checkWalk(walk: Question & { do: "walk" }, index: RuleIndex, oracle: RuleOracle, counts: Counts): void {
  const steps = index.rules(walk.after);
  const changes = walk.changes.values();
  let last = walk.after;
  for (;;) {
    counts.walkSteps++;
    const expected = oracle.next(last);
    const step = steps.next();
    assert.deepEqual(step.value, expected);
    if (expected === undefined) return;
    last = expected.prefix;
    const next = changes.next();
    if (!next.done) applyChange(next.value, index, oracle);
  }
}
