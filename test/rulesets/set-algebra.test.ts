import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import type { Prefix } from "../../src/address/address.ts";
import { formatPrefix, parsePrefix } from "../../src/address/prefix.ts";
import { difference, intersection, union } from "../../src/rulesets/set-algebra.ts";
import { anyPrefix } from "../trie/operations.ts";

const prefixes = (...texts: string[]): Prefix[] => texts.map((text) => parsePrefix(text));
const texts = (list: readonly Prefix[]): string[] => list.map(formatPrefix);

test("by example", () => {
  const one = prefixes("10.0.0.0/24", "10.0.2.0/24", "2001:db8::/33");
  const other = prefixes("10.0.1.0/24", "10.0.2.128/25", "2001:db8::/32");
  assert.deepEqual(texts(union(one, other)), ["10.0.0.0/23", "10.0.2.0/24", "2001:db8::/32"]);
  assert.deepEqual(texts(intersection(one, other)), ["10.0.2.128/25", "2001:db8::/33"]);
  assert.deepEqual(texts(difference(one, other)), ["10.0.0.0/24", "10.0.2.0/25"]);
  assert.deepEqual(texts(union()), []);
});

/** Prefixes inside 192.0.2.0/24 and a /120, so that all their addresses can be listed. */
const small = fc.array(
  fc.tuple(fc.boolean(), fc.nat({ max: 255 }), fc.integer({ min: 0, max: 8 })).map(([isIpv6, low, depth]) => {
    const kept = low & ~((1 << (8 - depth)) - 1);
    return isIpv6
      ? parsePrefix(`2001:db8::${kept.toString(16)}/${120 + depth}`)
      : parsePrefix(`192.0.2.${kept}/${24 + depth}`);
  }),
  { maxLength: 12 },
);

function addresses(list: readonly Prefix[]): Set<string> {
  const found = new Set<string>();
  for (const { family, w0, w3, length } of list) {
    const low = family === 4 ? w0 : w3;
    const bits = family === 4 ? 32 : 128;
    for (let host = 0; host < 2 ** (bits - length); host++) found.add(`${family} ${low + host}`);
  }
  return found;
}

/** Least in number: no prefix contains another, and no two are halves of one. */
function isLeast(list: readonly Prefix[]): boolean {
  return list.length === union(list).length && texts(list).join() === texts(union(list)).join();
}

test("every answer has exactly the addresses that sets of addresses have, in the fewest prefixes", () => {
  fc.assert(
    fc.property(small, small, (one, other) => {
      const [a, b] = [addresses(one), addresses(other)];
      const answers: [answer: Prefix[], expected: string[]][] = [
        [union(one, other), [...a, ...b]],
        [intersection(one, other), [...a].filter((address) => b.has(address))],
        [difference(one, other), [...a].filter((address) => !b.has(address))],
      ];
      for (const [answer, expected] of answers) {
        assert.deepEqual(addresses(answer), new Set(expected));
        assert.ok(isLeast(answer), texts(answer).join());
      }
    }),
    { seed: 20_260_601, numRuns: 400 },
  );
});

test("laws hold for prefixes of any length", () => {
  const lists = fc.array(anyPrefix, { maxLength: 20 });
  fc.assert(
    fc.property(lists, lists, (one, other) => {
      const common = texts(intersection(one, other));
      assert.deepEqual(common, texts(intersection(other, one)));
      assert.deepEqual(common, texts(difference(one, difference(one, other))));
      assert.deepEqual(
        texts(union(one, other)),
        texts(union(difference(one, other), difference(other, one), intersection(one, other))),
      );
    }),
    { seed: 20_260_601, numRuns: 400 },
  );
});
