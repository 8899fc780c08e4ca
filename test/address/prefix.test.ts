import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { IPv4CidrRange, IPv6CidrRange } from "ip-num";
import { addressBits } from "../../src/address/address.ts";
import type { Family, Prefix } from "../../src/address/address.ts";
import { AddressError } from "../../src/address/address-error.ts";
import { parseAddress } from "../../src/address/parse-address.ts";
import { comparePrefixes, formatPrefix, parsePrefix, prefixContains, prefixOf } from "../../src/address/prefix.ts";
import { lastAddress, mergePrefixes, parseRange, rangeToPrefixes } from "../../src/address/range.ts";
import {
  HOST_BITS_SET,
  MALFORMED_ADDRESSES,
  MALFORMED_PREFIXES,
  MALFORMED_RANGES,
  VALID_ADDRESSES,
  VALID_PREFIXES,
} from "../cases/addresses.ts";
import type { Malformed } from "../cases/addresses.ts";
import { addressOf, valueOf } from "./address-numbers.ts";
import { oracleBlocks, oracleMerge } from "../oracle/address-oracle.ts";
import type { Block } from "../oracle/address-oracle.ts";
import { rounds } from "../rounds.ts";

function assertRefused(parse: (text: string) => unknown, [text, code, position, cure]: Malformed): void {
  assert.throws(
    () => parse(text),
    (error: unknown) => {
      assert.ok(error instanceof AddressError);
      assert.deepEqual([error.value, error.code, error.position], [text, code, position]);
      assert.ok(error.message.includes(cure), `${error.message} does not name the cure: ${cure}`);
      return true;
    },
  );
}

test("every prefix and every address of the table is read as its canonical prefix", () => {
  for (const [text, canonical] of [...VALID_PREFIXES, ...VALID_ADDRESSES]) {
    const prefix = parsePrefix(text);
    assert.equal(formatPrefix(prefix), canonical);
    assert.deepEqual(parsePrefix(text, "mask"), prefix);
    assert.deepEqual(parsePrefix(canonical), prefix);
  }
});

test("host bits are rejected with the canonical prefix in the message, or masked", () => {
  for (const [text, canonical] of HOST_BITS_SET) {
    assertRefused(parsePrefix, [text, "host-bits-set", text.indexOf("/") + 1, `did you mean ${canonical}?`]);
    assert.equal(formatPrefix(parsePrefix(text, "mask")), canonical);
  }
});

test("every malformed prefix, and every malformed address, is rejected as a prefix", () => {
  for (const malformed of MALFORMED_PREFIXES) {
    assertRefused(parsePrefix, malformed);
    assertRefused((text) => parsePrefix(text, "mask"), malformed);
  }
  for (const malformed of MALFORMED_ADDRESSES) {
    if (!malformed[0].includes("/")) assertRefused(parsePrefix, malformed);
  }
});

test("every malformed range is rejected", () => {
  for (const malformed of MALFORMED_RANGES) assertRefused(parseRange, malformed);
});

test("a length that its family does not have is rejected", () => {
  for (const length of [-1, 33, 1.5, Number.NaN]) {
    assert.throws(() => prefixOf(parseAddress("10.0.0.0"), length), {
      name: "AddressError",
      code: "length-out-of-range",
    });
  }
  assert.throws(() => prefixOf(parseAddress("::"), 129), { name: "AddressError", code: "length-out-of-range" });
});

function blockOf(prefix: Prefix): Block {
  return { first: valueOf(prefix), length: prefix.length };
}

const family = fc.constantFrom<Family>(4, 6);

/** A family and some of its numbers, often close to each other, to the ends and to powers of two. */
const values = family.chain((of) => {
  const bits = addressBits(of);
  const max = (1n << BigInt(bits)) - 1n;
  const power = fc
    .tuple(fc.integer({ min: 0, max: bits }), fc.bigInt(-3n, 3n))
    .map(([shift, near]) => (1n << BigInt(shift)) + near);
  const value = fc
    .oneof(fc.bigInt(0n, max), fc.bigInt(0n, 300n), fc.bigInt(max - 300n, max), power)
    .map((n) => (n < 0n ? 0n : n > max ? max : n));
  return fc.record({ family: fc.constant(of), values: fc.array(value, { minLength: 2, maxLength: 2 }) });
});

test("a range becomes the fewest prefixes that cover exactly this range", () => {
  fc.assert(
    fc.property(values, ({ family: of, values: ends }) => {
      const [first, last] = ends[0]! <= ends[1]! ? [ends[0]!, ends[1]!] : [ends[1]!, ends[0]!];
      const prefixes = rangeToPrefixes(addressOf(of, first), addressOf(of, last));
      assert.deepEqual(prefixes.map(blockOf), oracleBlocks(first, last, addressBits(of)));
      assert.equal(valueOf(prefixes[0]!), first);
      assert.equal(valueOf(lastAddress(prefixes.at(-1)!)), last);
      assert.ok(prefixes.length <= 2 * addressBits(of) - 2);
      assert.deepEqual(mergePrefixes(prefixes), prefixes);
    }),
    { seed: 11, numRuns: rounds({ short: 600, long: 2000 }) },
  );
});

test("the whole space is one prefix; without its first and last address it takes the maximum number", () => {
  const whole = (text: string) => {
    const { first, last } = parseRange(text);
    return rangeToPrefixes(first, last);
  };
  assert.deepEqual(whole("0.0.0.0 - 255.255.255.255").map(formatPrefix), ["0.0.0.0/0"]);
  assert.deepEqual(whole("::-ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff").map(formatPrefix), ["::/0"]);
  assert.equal(whole("0.0.0.1\t-\t255.255.255.254").length, 62);
  assert.equal(whole("::1-ffff:ffff:ffff:ffff:ffff:ffff:ffff:fffe").length, 254);
});

/** Prefixes crowded enough to cover, repeat and adjoin each other. */
const crowd = family.chain((of) => {
  const bits = addressBits(of);
  const prefix = fc
    .tuple(
      fc.oneof(fc.integer({ min: bits - 6, max: bits }), fc.integer({ min: 0, max: bits })),
      fc.bigInt(0n, 255n),
      fc.boolean(),
    )
    .map(([length, low, high]) => prefixOf(addressOf(of, high ? (1n << BigInt(bits)) - 1n - low : low), length));
  return fc.array(prefix, { maxLength: 40 });
});

test("merging prefixes yields the fewest that cover exactly the same addresses", () => {
  fc.assert(
    fc.property(crowd, crowd, (one, other) => {
      const merged = mergePrefixes([...one, ...other]);
      for (const side of [4, 6] as const) {
        const given = [...one, ...other].filter((prefix) => prefix.family === side).map(blockOf);
        const result = merged.filter((prefix) => prefix.family === side).map(blockOf);
        assert.deepEqual(result, oracleMerge(given, addressBits(side)));
      }
      assert.deepEqual(merged, merged.toSorted(comparePrefixes));
    }),
    { seed: 12, numRuns: rounds({ short: 2000, long: 5000 }) },
  );
});

test("negative control: the oracle detects a merge that misses one join, and a range that is one too long", () => {
  const halves = ["10.0.0.0/9", "10.128.0.0/9"].map((text) => parsePrefix(text));
  assert.notDeepEqual(halves.map(blockOf), oracleMerge(halves.map(blockOf), 32));
  assert.notDeepEqual(
    rangeToPrefixes(parseAddress("10.0.0.0"), parseAddress("10.0.0.8")).map(blockOf),
    oracleBlocks(0x0a000000n, 0x0a000007n, 32),
  );
});

test("containment equals that of numbers, and ip-num has the same first and last address", () => {
  const pair = fc.tuple(crowd, crowd).filter(([one, other]) => one.length > 0 && other.length > 0);
  let contained = 0;
  fc.assert(
    fc.property(pair, ([[outer], [inner]]) => {
      const holds =
        outer!.family === inner!.family &&
        valueOf(outer!) <= valueOf(inner!) &&
        valueOf(lastAddress(inner!)) <= valueOf(lastAddress(outer!));
      if (holds) contained++;
      assert.equal(prefixContains(outer!, inner!), holds);
      assert.ok(prefixContains(inner!, inner!));
      assert.equal(Math.sign(comparePrefixes(outer!, inner!)) + Math.sign(comparePrefixes(inner!, outer!)), 0);
      const text = formatPrefix(inner!);
      const cidr = text.includes("/") ? text : `${text}/${addressBits(inner!.family)}`;
      const range = inner!.family === 4 ? IPv4CidrRange.fromCidr(cidr) : IPv6CidrRange.fromCidr(cidr);
      assert.equal(range.getFirst().getValue(), valueOf(inner!));
      assert.equal(range.getLast().getValue(), valueOf(lastAddress(inner!)));
    }),
    { seed: 13, numRuns: 5000 },
  );
  assert.ok(contained > 200, `${contained} pairs contained each other`);
});

test("masking clears the host bits and nothing else", () => {
  fc.assert(
    fc.property(values, fc.nat(), ({ family: of, values: [value] }, any) => {
      const bits = addressBits(of);
      const length = any % (bits + 1);
      const host = (1n << BigInt(bits - length)) - 1n;
      const prefix = prefixOf(addressOf(of, value!), length);
      assert.equal(valueOf(prefix), value! & ~host);
      assert.equal(valueOf(lastAddress(prefix)), value! | host);
      assert.equal(prefix.length, length);
    }),
    { seed: 14, numRuns: rounds({ short: 2000, long: 5000 }) },
  );
});
