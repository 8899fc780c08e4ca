import assert from "node:assert/strict";
import { describe, test } from "node:test";
import * as fc from "fast-check";
import type { Prefix } from "../../src/address/address.ts";
import { comparePrefixes, formatPrefix, parsePrefix, prefixContains } from "../../src/address/prefix.ts";
import { mergePrefixes } from "../../src/address/range.ts";
import { subtractPrefixes } from "../../src/address/subtract.ts";

function subtract(prefixes: readonly string[], minus: readonly string[]): string[] {
  const parse = (text: string): Prefix => parsePrefix(text);
  return subtractPrefixes(prefixes.map(parse), minus.map(parse)).map(formatPrefix);
}

describe("subtraction of prefixes", () => {
  const cases: [what: string, prefixes: string[], minus: string[], rest: string[]][] = [
    ["nothing from nothing", [], [], []],
    ["nothing", ["192.0.2.0/24"], [], ["192.0.2.0/24"]],
    ["itself", ["192.0.2.0/24"], ["192.0.2.0/24"], []],
    ["what covers it", ["192.0.2.0/24", "198.51.100.0/24"], ["192.0.0.0/16"], ["198.51.100.0/24"]],
    ["its lower half", ["192.0.2.0/24"], ["192.0.2.0/25"], ["192.0.2.128/25"]],
    ["its upper half", ["192.0.2.0/24"], ["192.0.2.128/25"], ["192.0.2.0/25"]],
    ["both halves", ["192.0.2.0/24"], ["192.0.2.128/25", "192.0.2.0/25"], []],
    ["one address", ["192.0.2.0/30"], ["192.0.2.1"], ["192.0.2.0", "192.0.2.2/31"]],
    [
      "holes that nest and repeat",
      ["192.0.2.0/29"],
      ["192.0.2.4/31", "192.0.2.4", "192.0.2.4/31"],
      ["192.0.2.0/30", "192.0.2.6/31"],
    ],
    [
      "a hole over two prefixes",
      ["192.0.2.0/25", "192.0.2.128/25", "192.0.4.0/24"],
      ["192.0.2.0/24"],
      ["192.0.4.0/24"],
    ],
    ["the other family", ["192.0.2.0/24", "2001:db8::/32"], ["::/0"], ["192.0.2.0/24"]],
    ["of the whole of IPv4", ["0.0.0.0/0"], ["128.0.0.0/1"], ["0.0.0.0/1"]],
    ["an IPv6 half", ["2001:db8::/32"], ["2001:db8:8000::/33"], ["2001:db8::/33"]],
    ["behind the last hole", ["10.0.0.0/8", "192.0.2.0/24"], ["9.0.0.0/8"], ["10.0.0.0/8", "192.0.2.0/24"]],
  ];
  for (const [what, prefixes, minus, rest] of cases)
    test(what, () => assert.deepEqual(subtract(prefixes, minus), rest));

  test("one IPv6 address leaves 96 prefixes of a /32", () => {
    assert.equal(subtract(["2001:db8::/32"], ["2001:db8::1"]).length, 96);
  });
});

/** Prefixes inside 192.0.2.0/24 and the first /120 of 2001:db8::, so that all their addresses can be listed. */
const small = fc
  .tuple(fc.boolean(), fc.nat({ max: 255 }), fc.integer({ min: 0, max: 8 }))
  .map(([isIpv6, last, bits]) =>
    isIpv6
      ? parsePrefix(`2001:db8::${last.toString(16)}/${120 + bits}`, "mask")
      : parsePrefix(`192.0.2.${last}/${24 + bits}`, "mask"),
  );
const all = Array.from({ length: 256 }, (_, last) => [
  parsePrefix(`192.0.2.${last}`),
  parsePrefix(`2001:db8::${last.toString(16)}`),
]).flat();
const RUNS = { numRuns: 500, seed: 20261121 };

function isExact(difference: (a: Prefix[], b: Prefix[]) => Prefix[]): fc.IProperty<[Prefix[], Prefix[]]> {
  return fc.property(fc.array(small, { maxLength: 8 }), fc.array(small, { maxLength: 8 }), (a, b) => {
    const rest = difference(a, b);
    const covers = (prefixes: readonly Prefix[], address: Prefix): boolean =>
      prefixes.some((prefix) => prefixContains(prefix, address));
    for (const address of all) assert.equal(covers(rest, address), covers(a, address) && !covers(b, address));
    assert.deepEqual(rest, [...rest].sort(comparePrefixes));
    assert.deepEqual(rest, mergePrefixes(rest), "it is not the fewest");
  });
}

test("equals the difference of sets of addresses", () => fc.assert(isExact(subtractPrefixes), RUNS));

test("negative control: removing only listed prefixes is detected as different", () => {
  const ofLists = (a: Prefix[], b: Prefix[]): Prefix[] =>
    mergePrefixes(a.filter((prefix) => !b.some((other) => comparePrefixes(prefix, other) === 0)));
  assert.equal(fc.check(isExact(ofLists), RUNS).failed, true);
});
