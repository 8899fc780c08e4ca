import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import type { Prefix } from "../../src/address/address.ts";
import { comparePrefixes, formatPrefix, parsePrefix } from "../../src/address/prefix.ts";
import { AddressSet, AddressSetBuilder } from "../../src/sets/address-set.ts";
import { prefixLines } from "../../src/sets/prefix-lines.ts";
import { rounds } from "../rounds.ts";
import { anyPrefix } from "../trie/operations.ts";

/** Built as a list is read: most prefixes arrive as words, in the same array each time. */
function built(prefixes: readonly Prefix[]): AddressSet {
  const builder = new AddressSetBuilder();
  const words = new Uint32Array(4);
  for (const [index, prefix] of prefixes.entries()) {
    words.set([prefix.w0, prefix.w1, prefix.w2, prefix.w3]);
    if (index % 4 === 3) builder.add(prefix);
    else builder.addWords(prefix.family, words, prefix.length);
  }
  return builder.finish();
}

function linesOf(...[set, family]: Parameters<typeof prefixLines>): string {
  const chunks = [...prefixLines(set, family)];
  assert.ok(chunks.every(({ length }) => length > 0));
  return chunks.map((chunk) => Buffer.from(chunk).toString()).join("");
}

function expected(...[set, family]: Parameters<typeof prefixLines>): string {
  return [...set.prefixes(family)].map((prefix) => `${formatPrefix(prefix)}\n`).join("");
}

/** Compares what is built and written from words with what is built and written from objects. */
function assertSame(prefixes: readonly Prefix[]): void {
  const [set, other] = [built(prefixes), AddressSet.of(prefixes)];
  assert.ok(set.equals(other));
  for (const family of [undefined, 4, 6] as const) assert.equal(linesOf(set, family), expected(other, family));
}

test("sets built from words, and their texts, equal those built from objects", () => {
  fc.assert(fc.property(fc.array(anyPrefix, { maxLength: 40 }), assertSame), {
    numRuns: rounds({ short: 300, long: 6_000 }),
  });
});

test("sorted lists with a few prefixes out of order", () => {
  const moved = fc.array(fc.tuple(fc.nat(), fc.nat()), { maxLength: 5 });
  fc.assert(
    fc.property(fc.array(anyPrefix, { maxLength: 60 }), moved, (prefixes, moves) => {
      const list = prefixes.toSorted(comparePrefixes);
      for (const [from, to] of moves) {
        const [prefix] = list.splice(from % (list.length + 1), 1);
        if (prefix !== undefined) list.splice(to % (list.length + 1), 0, prefix);
      }
      assertSame(list);
    }),
    { numRuns: rounds({ short: 300, long: 6_000 }) },
  );
});

test("the ends of the spaces, nested prefixes, neighbours, and an empty set", () => {
  for (const texts of [
    [],
    ["0.0.0.0/0", "::/0"],
    ["10.0.0.0/8", "0.0.0.0/0", "255.255.255.255"],
    ["255.255.255.255", "255.255.255.254", "0.0.0.0"],
    ["128.0.0.0/1", "127.255.255.255", "255.0.0.0/8"],
    ["10.0.0.0/9", "10.128.0.0/9", "10.0.0.0/24", "9.255.255.255", "11.0.0.0"],
    ["::/80", "2001:db8::1", "10.1.2.3"],
  ])
    assertSame(texts.map((text) => parsePrefix(text)));
});

test("the text of many prefixes is written in chunks of complete lines, which are not reused", () => {
  const prefixes = Array.from({ length: 30_000 }, (_, i): Prefix => {
    const w0 = Math.imul(i, 0x9e3779b1) >>> 0;
    return i % 3 === 0
      ? { family: 6, w0, w1: i, w2: 0, w3: 0, length: 64 }
      : {
          family: 4,
          w0: i % 3 === 1 ? w0 : (w0 & 0xffff_fff0) >>> 0,
          w1: 0,
          w2: 0,
          w3: 0,
          length: i % 3 === 1 ? 32 : 28,
        };
  });
  assertSame(prefixes);
  const chunks = [...prefixLines(built(prefixes))].map((chunk) => Buffer.from(chunk).toString());
  assert.ok(chunks.length > 5);
  for (const chunk of chunks) assert.ok(chunk.length <= 1 << 16 && chunk.endsWith("\n"));
});

test("negative control: a set that differs in one address has another text", () => {
  const [one, other] = [built([parsePrefix("10.0.0.0/31")]), AddressSet.of([parsePrefix("10.0.0.0")])];
  assert.ok(!one.equals(other));
  assert.notEqual(linesOf(one), expected(other));
});
