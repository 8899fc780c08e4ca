import assert from "node:assert/strict";
import { KEY, LEFT, LENGTH, RIGHT, ROOT, VALUE } from "../../src/trie/_radix-arena.ts";
import type { RadixArena } from "../../src/trie/_radix-arena.ts";
import { MAX_VALUE } from "../../src/trie/_value-sets.ts";
import type { ValueSets } from "../../src/trie/_value-sets.ts";
import { partsOf } from "../../src/trie/prefix-trie.ts";
import type { PrefixTrie } from "../../src/trie/prefix-trie.ts";

/**
 * Walks every cell of a trie and throws if one is lost, used twice, or has an invalid value. Records reachable from the
 * root and freed ones make up the arena, and so do blocks of values; a record without a value has two children; keys
 * are canonical and extend their parent's.
 */
export function checkInvariants(trie: PrefixTrie): void {
  const blocks = new Set<number>();
  const { arena4, arena6, sets } = partsOf(trie);
  for (const arena of [arena4, arena6]) {
    const values = checkArena(arena);
    for (const value of values) {
      if (value <= MAX_VALUE) continue;
      assert.ok(!blocks.has(value), "two records share a block of values");
      blocks.add(value);
    }
  }
  checkBlocks(sets, blocks);
}

/** Checks one family's records and returns the values that they hold. */
function checkArena(arena: RadixArena): number[] {
  const { cells, stride } = arena;
  const seen = new Set<number>();
  const values: number[] = [];
  assert.equal(
    [LENGTH, RIGHT, VALUE, KEY].find((cell) => cells[cell] !== 0),
    undefined,
    "record 0 holds something besides the root",
  );
  const pending: { at: number; above: string | null }[] = [{ at: cells[ROOT]!, above: null }];
  for (let item = pending.pop(); item !== undefined; item = pending.pop()) {
    const { at, above } = item;
    if (at === 0) continue;
    takeRecord(arena, at, seen);
    const key = keyBits(arena, at);
    const [left, right] = [cells[at + LEFT]!, cells[at + RIGHT]!];
    const bits = key.slice(0, cells[at + LENGTH]);
    assert.ok(!key.slice(bits.length).includes("1"), "a key has host bits");
    assert.ok(
      above === null || bits.startsWith(above),
      "a child does not extend its parent's key, or is on the wrong side",
    );
    const value = cells[at + VALUE]!;
    if (value === 0) assert.ok(left !== 0 && right !== 0, "a record without a value lacks a child");
    else values.push(value);
    pending.push({ at: left, above: `${bits}0` }, { at: right, above: `${bits}1` });
  }
  for (let at = arena.freed; at !== 0; at = cells[at + LEFT]!) takeRecord(arena, at, seen);
  assert.equal(seen.size, arena.end / stride - 1, "a record is neither in the trie nor free");
  assert.equal(values.length, arena.size, "the size is not the number of prefixes");
  return values;
}

function takeRecord(arena: RadixArena, at: number, seen: Set<number>): void {
  assert.ok(at % arena.stride === 0 && at < arena.end, "a reference names no record");
  assert.ok(!seen.has(at), "a record is referred to twice");
  seen.add(at);
}

function keyBits({ cells, words }: RadixArena, at: number): string {
  const key = Array.from(cells.subarray(at + KEY, at + KEY + words));
  return key.map((word) => word.toString(2).padStart(32, "0")).join("");
}

/** Checks that the blocks in use and the freed ones make up the cells, without overlap. */
function checkBlocks(sets: ValueSets, used: Set<number>): void {
  const { cells, end, freed } = sets;
  const spans: { from: number; size: number }[] = [];
  for (const word of used) {
    const from = word - 0x80000000;
    const count = cells[from]!;
    const values = Array.from(cells.subarray(from + 1, from + 1 + count));
    assert.ok(count >= 2 && values.length === count, "a block does not hold what it says");
    assert.ok(
      values.every((value, index) => value > (values[index - 1] ?? 0)),
      "values are not ascending",
    );
    let size = 4;
    while (size < count + 1) size *= 2;
    spans.push({ from, size });
  }
  for (const [bits, first] of freed.entries()) {
    for (let from = first; from !== 0; from = cells[from]!) {
      spans.push({ from, size: 2 ** bits });
      assert.ok(spans.length <= end, "the freed blocks go round in a circle");
    }
  }
  spans.sort((a, b) => a.from - b.from);
  let next = 4;
  for (const { from, size } of spans) {
    assert.equal(from, next, "blocks overlap, or one is neither in use nor free");
    next += size;
  }
  assert.equal(next, end, "the last block is neither in use nor free");
}
