import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { LEFT, RadixArena, RIGHT } from "../../src/trie/_radix-arena.ts";
import { ValueSets } from "../../src/trie/_value-sets.ts";
import { PrefixTrie, replaceParts } from "../../src/trie/prefix-trie.ts";
import { rounds } from "../rounds.ts";
import { agreesWithOracle, newCounts } from "./operations.ts";

const SEED = 20_260_601;

test("random operation sequences agree with the oracle and keep the invariants of the arena", (t) => {
  const counts = newCounts();
  fc.assert(agreesWithOracle(counts, 60), { seed: SEED, numRuns: rounds({ short: 600, long: 4000 }) });
  fc.assert(agreesWithOracle(counts, 900), { seed: SEED, numRuns: rounds({ short: 20, long: 150 }) });
  t.diagnostic(`seed ${SEED}: ${JSON.stringify(counts)}`);
  // An arena grows for the first time at 64 records.
  assert.ok(counts.largest > 128 && Object.values(counts).every((count) => count > 0));
});

class LeakingArena extends RadixArena {
  override free(): void {
    this.changes++;
  }
}

class TwiceFreeingArena extends RadixArena {
  override free(at: number): void {
    super.free(at);
    super.free(at);
  }
}

class ArenaThatKeepsBranches extends RadixArena {
  override splice(parentCell: number, at: number): void {
    if ((this.cells[at + LEFT] || this.cells[at + RIGHT]) === 0) super.splice(parentCell, at);
  }
}

class ArenaThatDropsTheChild extends RadixArena {
  override splice(parentCell: number, at: number): void {
    this.cells[parentCell] = 0;
    this.free(at);
  }
}

class ArenaWithoutLastBit extends RadixArena {
  override sharedBits(at: number, w0: number, w1: number, w2: number, w3: number): number {
    const shared = super.sharedBits(at, w0, w1, w2, w3);
    return shared === 127 ? 128 : shared;
  }
}

class ArenaThatHidesChanges extends RadixArena {
  constructor(words: 1 | 4) {
    super(words);
    Object.defineProperty(this, "changes", { get: () => 0, set: () => undefined });
  }
}

class LeakingSets extends ValueSets {
  override release(): void {}
}

class SetsInOrderOfArrival extends ValueSets {
  override toArray(set: number): number[] {
    return super.toArray(set).reverse();
  }
}

/** A trie with one part replaced by a broken version. */
function trieWith(part: typeof RadixArena | typeof ValueSets): PrefixTrie {
  const trie = new PrefixTrie();
  if (part === ValueSets || part.prototype instanceof ValueSets) {
    replaceParts(trie, { sets: new (part as typeof ValueSets)() });
  } else {
    const Arena = part as typeof RadixArena;
    replaceParts(trie, { arena4: new Arena(1), arena6: new Arena(4) });
  }
  return trie;
}

test("negative control: the same harness detects every broken trie", (t) => {
  const broken = [
    LeakingArena,
    TwiceFreeingArena,
    ArenaThatKeepsBranches,
    ArenaThatDropsTheChild,
    ArenaWithoutLastBit,
    ArenaThatHidesChanges,
    LeakingSets,
    SetsInOrderOfArrival,
  ];
  for (const part of broken) {
    const counts = newCounts();
    const result = fc.check(
      agreesWithOracle(counts, 60, () => trieWith(part)),
      { seed: SEED, numRuns: 4000, endOnFailure: true },
    );
    assert.ok(result.failed, `${part.name} was not found`);
    t.diagnostic(`${part.name} found after ${result.numRuns} sequences`);
  }
  for (const sound of [RadixArena, ValueSets]) {
    fc.assert(
      agreesWithOracle(newCounts(), 60, () => trieWith(sound)),
      { seed: SEED, numRuns: 50 },
    );
  }
});
