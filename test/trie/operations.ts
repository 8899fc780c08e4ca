import assert from "node:assert/strict";
import fc from "fast-check";
import type { Address, Family, Prefix } from "../../src/address/address.ts";
import type { PrefixEntry } from "../../src/trie/prefix-trie.ts";
import { PrefixTrie } from "../../src/trie/prefix-trie.ts";
import { PrefixOracle } from "../oracle/prefix-oracle.ts";
import { checkInvariants } from "./check-invariants.ts";

/** The operations and queries on a trie; `change` is done before each further step of a walk. */
type Change =
  | { do: "insert" | "add" | "remove"; prefix: Prefix; value: number }
  | { do: "delete" | "deleteCovered"; prefix: Prefix };
type Question =
  | { do: "exact" | "lookup" | "covering" | "covered"; prefix: Prefix }
  | { do: "iterate" }
  | { do: "walk"; over: "covered" | "covering"; prefix: Prefix; changes: Change[] };
type Operation = Change | Question;

/** How often each kind of operation was done, and how large the trie became. */
export type Counts = Record<Operation["do"] | "sequences" | "walkSteps" | "largest", number>;

export function newCounts(): Counts {
  return {
    sequences: 0,
    insert: 0,
    add: 0,
    remove: 0,
    delete: 0,
    deleteCovered: 0,
    exact: 0,
    lookup: 0,
    covering: 0,
    covered: 0,
    iterate: 0,
    walk: 0,
    walkSteps: 0,
    largest: 0,
  };
}

/** A prefix of the first bits of `pattern`, with up to one bit flipped. */
function prefixOfPattern(family: Family, pattern: bigint, flipped: number, length: number): Prefix {
  const bits = family === 4 ? 32 : 128;
  const mask = (1n << BigInt(bits)) - (1n << BigInt(bits - length));
  const flip = flipped < bits ? 1n << BigInt(bits - 1 - flipped) : 0n;
  const address = (pattern ^ flip) & mask;
  const words = [0n, 32n, 64n, 96n]
    .map((shift) => Number((address >> shift) & 0xffffffffn))
    .slice(0, bits / 32)
    .reverse();
  const [w0 = 0, w1 = 0, w2 = 0, w3 = 0] = words;
  return { family, w0, w1, w2, w3, length };
}

const anyFamily = fc.constantFrom<Family>(4, 6);

/** A bit position or a length, often at or next to a word boundary. */
function position(bits: number): fc.Arbitrary<number> {
  const beside = [0, 1, 31, 32, 33, 63, 64, 65, 95, 96, 97, 127, 128].filter((candidate) => candidate <= bits);
  return fc.oneof(fc.constantFrom(...beside), fc.integer({ min: 0, max: bits }));
}

/** Deep nesting: prefixes of a few addresses, of any length, each possibly with one bit flipped. */
const nested: fc.Arbitrary<Prefix> = anyFamily.chain((chosen) => {
  const bits = chosen === 4 ? 32 : 128;
  const patterns =
    chosen === 4 ? [0n, 0xffffffffn, 0x0a141e28n] : [0n, (1n << 128n) - 1n, 0x20010db8_80000001_80000001_80000001n];
  return fc
    .tuple(fc.constantFrom(...patterns), position(bits), position(bits))
    .map(([pattern, flipped, length]) => prefixOfPattern(chosen, pattern, flipped, length));
});

/** Dense groups: all prefixes of a window of a few bits at either end or, for IPv6, across a word boundary. */
function crowded(window: number): fc.Arbitrary<Prefix> {
  return anyFamily.chain((chosen) => {
    const bits = chosen === 4 ? 32 : 128;
    const starts = chosen === 4 ? [0, bits - window] : [0, 29, 61, 93, bits - window];
    return fc
      .tuple(fc.constantFrom(...starts), fc.nat(window), fc.nat(2 ** window - 1))
      .map(([start, depth, low]) =>
        prefixOfPattern(chosen, BigInt(low) << BigInt(bits - start - window), bits, start + depth),
      );
  });
}

/** Prefixes that interact: nested ones and dense groups, of both families. */
export const anyPrefix = fc.oneof(nested, crowded(5), crowded(9));
const anyValue = fc.oneof(
  { weight: 20, arbitrary: fc.integer({ min: 1, max: 9 }) },
  { weight: 1, arbitrary: fc.constant(2 ** 31 - 1) },
);

const change: fc.Arbitrary<Change> = fc.oneof(
  { weight: 6, arbitrary: fc.record({ do: fc.constant("insert" as const), prefix: anyPrefix, value: anyValue }) },
  { weight: 8, arbitrary: fc.record({ do: fc.constant("add" as const), prefix: anyPrefix, value: anyValue }) },
  { weight: 4, arbitrary: fc.record({ do: fc.constant("remove" as const), prefix: anyPrefix, value: anyValue }) },
  { weight: 4, arbitrary: fc.record({ do: fc.constant("delete" as const), prefix: anyPrefix }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("deleteCovered" as const), prefix: anyPrefix }) },
);

const question: fc.Arbitrary<Question> = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.record({ do: fc.constantFrom("exact", "lookup", "covering", "covered"), prefix: anyPrefix }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("iterate" as const) }) },
  {
    weight: 1,
    arbitrary: fc.record({
      do: fc.constant("walk" as const),
      over: fc.constantFrom("covered" as const, "covering" as const),
      prefix: anyPrefix,
      changes: fc.array(change, { maxLength: 12 }),
    }),
  },
);

/** Sequences that add more than they remove. */
function sequences(maxLength: number): fc.Arbitrary<Operation[]> {
  const operation = fc.oneof<fc.WeightedArbitrary<Operation>[]>(
    { weight: 2, arbitrary: change },
    { weight: 1, arbitrary: question },
  );
  return fc.array(operation, { maxLength, size: "max" });
}

/**
 * The property: random sequences agree with the oracle at each step and leave the arenas consistent, and so does
 * deleting the remaining prefixes.
 */
export function agreesWithOracle(
  counts: Counts,
  maxLength: number,
  makeTrie = () => new PrefixTrie(),
): fc.IProperty<[Operation[]]> {
  return fc.property(sequences(maxLength), (operations) => {
    const trie = makeTrie();
    const oracle = new PrefixOracle();
    counts.sequences++;
    for (const operation of operations) perform(operation, trie, oracle, counts);
    checkInvariants(trie);
    for (const { prefix } of oracle) assert.ok(trie.delete(prefix));
    checkInvariants(trie);
  });
}

/** Performs one operation on both, and throws if they disagree. */
function perform(operation: Operation, trie: PrefixTrie, oracle: PrefixOracle, counts: Counts): void {
  counts[operation.do]++;
  switch (operation.do) {
    case "exact":
      assert.equal(trie.has(operation.prefix), oracle.has(operation.prefix));
      assert.equal(trie.get(operation.prefix), oracle.get(operation.prefix));
      return assert.deepEqual(trie.values(operation.prefix), oracle.values(operation.prefix));
    case "lookup":
      return checkLookup(operation.prefix, trie, oracle);
    case "covering":
      return assert.deepEqual([...trie.covering(operation.prefix)], oracle.covering(operation.prefix));
    case "covered":
      return assert.deepEqual([...trie.covered(operation.prefix)], oracle.covered(operation.prefix));
    case "iterate":
      return checkIteration(trie, oracle);
    case "walk":
      return checkWalk(operation, trie, oracle, counts);
    default:
      applyChange(operation, trie, oracle);
      counts.largest = Math.max(counts.largest, trie.size);
  }
}

function applyChange(operation: Change, trie: PrefixTrie, oracle: PrefixOracle): void {
  switch (operation.do) {
    case "insert":
      return assert.equal(
        trie.insert(operation.prefix, operation.value),
        oracle.insert(operation.prefix, operation.value),
      );
    case "add":
      return assert.equal(trie.add(operation.prefix, operation.value), oracle.add(operation.prefix, operation.value));
    case "remove":
      return assert.equal(
        trie.remove(operation.prefix, operation.value),
        oracle.remove(operation.prefix, operation.value),
      );
    case "delete":
      return assert.equal(trie.delete(operation.prefix), oracle.delete(operation.prefix));
    case "deleteCovered":
      for (const entry of trie.covered(operation.prefix)) assert.ok(trie.delete(entry.prefix));
      for (const entry of oracle.covered(operation.prefix)) oracle.delete(entry.prefix);
  }
}

function checkLookup(address: Address, trie: PrefixTrie, oracle: PrefixOracle): void {
  assert.equal(trie.lookup(address), oracle.lookup(address));
  assert.deepEqual(trie.lookupPrefix(address), oracle.lookupPrefix(address));
}

function checkIteration(trie: PrefixTrie, oracle: PrefixOracle): void {
  const expected = [...oracle];
  assert.deepEqual([...trie], expected);
  assert.equal(trie.size, expected.length);
  const visited: PrefixEntry[] = [];
  for (const family of [4, 6] as const) {
    trie.forEach(family, (w0, w1, w2, w3, length, value, more) => {
      assert.ok(more === null || (more.length > 1 && more[0] === value));
      visited.push({ prefix: { family, w0, w1, w2, w3, length }, values: more ?? [value] });
    });
    assert.equal(trie.sizeOf(family), expected.filter((entry) => entry.prefix.family === family).length);
  }
  assert.deepEqual(visited, expected);
}

/** Walks the trie while it changes between the steps. */
function checkWalk(walk: Question & { do: "walk" }, trie: PrefixTrie, oracle: PrefixOracle, counts: Counts): void {
  const steps = walk.over === "covered" ? trie.covered(walk.prefix) : trie.covering(walk.prefix);
  const changes = walk.changes.values();
  let last: Prefix | undefined;
  for (;;) {
    counts.walkSteps++;
    const expected =
      walk.over === "covered" ? oracle.nextCovered(walk.prefix, last) : oracle.nextCovering(walk.prefix, last);
    const step = steps.next();
    assert.deepEqual(step.value, expected);
    if (expected === undefined) return;
    last = expected.prefix;
    const next = changes.next();
    if (!next.done) applyChange(next.value, trie, oracle);
  }
}
