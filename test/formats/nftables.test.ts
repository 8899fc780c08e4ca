import assert from "node:assert/strict";
import { test } from "node:test";
import { Random } from "../../bench/data/random.ts";
import type { Prefix } from "../../src/address/address.ts";
import { comparePrefixes, formatPrefix, prefixOf } from "../../src/address/prefix.ts";
import { mergePrefixes } from "../../src/address/range.ts";
import { exportRules } from "../../src/rulesets/export-rules.ts";
import type { Rule } from "../../src/rulesets/rule.ts";

const ABOUT = { name: null, createdAt: 0, updatedAt: 0, expiresAt: null };

/**
 * IPv4 prefixes in order, with a seventh of each dense block left out: some of them join into longer and longer runs.
 */
function denseBlocks(random: Random): Prefix[] {
  const prefixes: Prefix[] = [];
  for (let block = 1; block < 12; block++) {
    const isWhole = random.below(2) === 0;
    const bits = 8 + random.below(5);
    for (let index = 0; index < 1 << bits; index++) {
      if (!isWhole && random.below(7) === 0) continue;
      const w0 = ((block << 24) | (index << (24 - bits))) >>> 0;
      const length = 8 + bits;
      prefixes.push(prefixOf({ family: 4, w0, w1: 0, w2: 0, w3: 0 }, length));
    }
  }
  return prefixes;
}

function elementsOf(prefixes: readonly Prefix[]): string[] {
  const rules = prefixes.map((prefix): Rule => ({ ...ABOUT, prefix }));
  const lines = [...exportRules(rules, "nftables")].join("").split("\n");
  return lines.filter((line) => /^[0-9a-f.:]+(\/\d+)?,?$/.test(line)).map((line) => line.replace(",", ""));
}

test("more elements with one timeout than are kept as objects still become the fewest prefixes", () => {
  const random = new Random(5);
  let most = 0;
  for (let round = 0; round < 6; round++) {
    const prefixes = denseBlocks(random);
    const expected = mergePrefixes(prefixes).map(formatPrefix);
    assert.deepEqual(elementsOf(prefixes), expected);
    assert.deepEqual(elementsOf(prefixes.toReversed()), expected, "in another order");
    most = Math.max(most, expected.length);
  }
  assert.ok(most > 2000, `${most} elements at most`);
});

test("a half that waits for the other half is joined with it, whatever came before", () => {
  const single = (w0: number): Prefix => ({ family: 4, w0, w1: 0, w2: 0, w3: 0, length: 32 });
  const unjoined = Array.from({ length: 3000 }, (_, index) => single(0x01000000 + 2 * index));
  const halves = [prefixOf(single(0x0a000000), 9)];
  for (let index = 0; index < 4096; index++) halves.push(prefixOf(single((0x0a800000 + (index << 11)) >>> 0), 21));
  const prefixes = [...unjoined, ...halves].sort(comparePrefixes);
  const elements = elementsOf(prefixes);
  assert.deepEqual([elements.length, elements.at(-1)], [3001, "10.0.0.0/8"]);
});
