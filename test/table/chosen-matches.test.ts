import assert from "node:assert/strict";
import { test } from "node:test";
import { MatchInterner } from "../../src/table/_match-interner.ts";

// Matches chosen for a hash that is known: all of them in one slot of a table with `SLOTS`.
const COUNT = 1 << 15;
const SLOTS = 1 << 17;
const FACTOR = 0x9e37_79b1;

/** The inverse of an odd number modulo 2^32, by Newton's iteration. */
function inverse(odd: number): number {
  let x = odd;
  for (let step = 0; step < 5; step++) x = Math.imul(x, 2 - Math.imul(odd, x));
  return x;
}

const known = (hash: number, word: number, key: number): number => {
  const mixed = Math.imul(hash ^ word, key);
  return mixed ^ (mixed >>> 15);
};
/** The word that `known` brings from `hash` to `mixed`. */
function wordFor(hash: number, mixed: number): number {
  const before = mixed ^ (mixed >>> 15) ^ (mixed >>> 30);
  return Math.imul(before, inverse(FACTOR)) ^ hash;
}

/** The values whose matches of length 24, without a parent, have the hashes 0, SLOTS, 2 * SLOTS, ... */
const chosen = Array.from({ length: COUNT }, (_, index) => {
  const last = wordFor(0, index * SLOTS); // the hash before the parent 0
  const second = wordFor(24, last);
  return wordFor(0, second);
});

function processorTime(values: readonly number[]): number {
  const start = process.cpuUsage();
  const interner = new MatchInterner();
  for (const value of values) interner.intern(value, 24, 0);
  const { user, system } = process.cpuUsage(start);
  assert.equal(interner.count, values.length);
  return user + system;
}

test("matches that share a slot of a known hash take no longer than others", (t) => {
  const hashes = chosen.map((value) => known(known(known(0, value, FACTOR), 24, FACTOR), 0, FACTOR));
  assert.equal(new Set(hashes.map((hash) => hash & (SLOTS - 1))).size, 1, "the generator chooses one slot");
  assert.equal(new Set(chosen).size, COUNT);
  const plain = Array.from({ length: COUNT }, (_, index) => index + 1);
  processorTime(plain);
  const times = [processorTime(plain), processorTime(chosen)] as const;
  t.diagnostic(`${COUNT} matches: ${times[0]} microseconds, chosen ones ${times[1]}`);
  // A search through all of them takes a thousand times as long.
  assert.ok(times[1] < 50 * Math.max(times[0], 1000));
});
