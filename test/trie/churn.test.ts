import assert from "node:assert/strict";
import { test } from "node:test";
import type { Prefix } from "../../src/address/address.ts";
import { RadixArena } from "../../src/trie/_radix-arena.ts";
import { PrefixTrie, replaceParts } from "../../src/trie/prefix-trie.ts";
import { checkInvariants } from "./check-invariants.ts";
import { randomWords } from "../random-words.ts";

const ROUNDS = 20;
const PREFIXES = 8000;
const SEED = 0x9e3779b9;

/** Half IPv4 and half IPv6 prefixes of 8 to 32 and 16 to 128 bits. */
function randomPrefixes(seed: number, count: number): Prefix[] {
  const next = randomWords(seed);
  return Array.from({ length: count }, (_, index): Prefix => {
    if (index % 2 === 0) return { family: 4, w0: next(), w1: 0, w2: 0, w3: 0, length: 8 + (next() % 25) };
    return {
      family: 6,
      w0: 0x20010000 + (next() & 0xffff),
      w1: next(),
      w2: next(),
      w3: next(),
      length: 16 + (next() % 113),
    };
  });
}

/**
 * Inserts all prefixes, adds more values to every third one, then deletes all, in another order each round; returns the
 * bytes in use after each round.
 */
function churn(trie: PrefixTrie): number[] {
  const prefixes = randomPrefixes(SEED, PREFIXES);
  return Array.from({ length: ROUNDS }, (_, round) => {
    // 3001 is coprime to the number of prefixes: every one of them is deleted, in another order.
    const turn = (index: number) => prefixes[(index * 3001 + round * 617) % PREFIXES]!;
    for (const [index, prefix] of prefixes.entries()) trie.insert(prefix, index + 1);
    for (const prefix of prefixes.filter((_, index) => index % 3 === 0))
      for (let value = 1; value <= 5; value++) trie.add(prefix, value);
    checkInvariants(trie);
    for (const index of prefixes.keys()) trie.delete(turn(index));
    assert.equal(trie.size, 0);
    checkInvariants(trie);
    return trie.byteLength;
  });
}

test("inserting and deleting everything repeatedly takes no more memory than once", (t) => {
  const bytes = churn(new PrefixTrie());
  assert.deepEqual(new Set(bytes), new Set([bytes[0]]));
  t.diagnostic(`seed ${SEED}: ${ROUNDS} rounds of ${PREFIXES} prefixes, ${bytes[0]} bytes after each`);
});

test("a sliding window of prefixes takes no more memory than its widest state", (t) => {
  const trie = new PrefixTrie();
  const prefixes = randomPrefixes(SEED + 1, 200_000);
  const width = 2000;
  let largest = 0;
  for (const [index, prefix] of prefixes.entries()) {
    trie.insert(prefix, index + 1);
    if (index >= width) trie.delete(prefixes[index - width]!);
    if (index === 2 * width) largest = trie.byteLength;
  }
  checkInvariants(trie);
  assert.equal(trie.byteLength, largest);
  t.diagnostic(`seed ${SEED + 1}: ${prefixes.length} prefixes through a window of ${width}, ${largest} bytes`);
});

test("negative control: the measurement detects a trie that does not reuse freed cells", () => {
  class LeakingArena extends RadixArena {
    override free(): void {
      this.changes++;
    }
  }
  const trie = new PrefixTrie();
  replaceParts(trie, { arena4: new LeakingArena(1) });
  const prefixes = randomPrefixes(SEED, PREFIXES).filter((prefix) => prefix.family === 4);
  const churnOnce = (): number => {
    for (const prefix of prefixes) trie.insert(prefix, 1);
    for (const prefix of prefixes) trie.delete(prefix);
    return trie.byteLength;
  };
  const first = churnOnce();
  churnOnce();
  assert.ok(churnOnce() > first);
});
