import assert from "node:assert/strict";
import { test } from "node:test";
import type { Family, Prefix } from "../../src/address/address.ts";
import { formatPrefix, parsePrefix } from "../../src/address/prefix.ts";
import { AddressSet } from "../../src/sets/address-set.ts";
import { AddressTimes, type CoveringEnd, type EndingPrefix } from "../../src/sets/address-times.ts";
import { finished } from "../../src/turns/finished.ts";

/** Address number `at` of a family: every second one, so that none are joined. */
const address = (family: Family, at: number): Prefix =>
  family === 4
    ? { family, w0: 0x14000000 + 2 * at, w1: 0, w2: 0, w3: 0, length: 32 }
    : { family, w0: 0x20010db8, w1: at >>> 8, w2: (at & 255) << 8, w3: 2 * at, length: 128 };

function timesOf(entries: Iterable<EndingPrefix | undefined>, covering: CoveringEnd = "latest"): AddressTimes {
  return finished(AddressTimes.collecting(entries, covering));
}

const read = (...texts: string[]): EndingPrefix[] =>
  texts.map((text) => {
    const [prefix, end] = text.split(" ") as [string, string];
    return { prefix: parsePrefix(prefix), end: Number(end) };
  });

function textsOf(times: AddressTimes, shortest?: number): string[] {
  return ([4, 6] as const).flatMap((family) =>
    [...times.prefixes(family, shortest)].map(({ prefix, end }) => `${formatPrefix(prefix)} ${end}`),
  );
}

test("thousands of ends of both families are kept and found", () => {
  const entries = ([4, 6] as const).flatMap((family) =>
    Array.from({ length: 5000 }, (_, at): EndingPrefix => ({ prefix: address(family, at), end: 1 + (at % 7) })),
  );
  const times = timesOf(entries);
  for (const family of [4, 6] as const) {
    const found = [...times.prefixes(family)];
    assert.deepEqual(
      found,
      entries.filter(({ prefix }) => prefix.family === family),
    );
    for (const at of [0, 1, 4998, 4999]) {
      assert.equal(times.latestIn(address(family, at)), 1 + (at % 7));
      const { w3, w0, ...rest } = address(family, at);
      const beside = family === 4 ? { ...rest, w0: w0 + 1, w3 } : { ...rest, w0, w3: w3 + 1 };
      assert.equal(times.latestIn(beside), 0, "the address after it is not listed");
    }
  }
  assert.equal(times.latestIn(parsePrefix("20.0.0.0/8")), 7);
  assert.equal(times.latestIn(parsePrefix("21.0.0.0/8")), 0);
  const twice = timesOf(entries.map(({ prefix, end }) => ({ prefix, end: 8 - end })));
  const combine = (choice: "latest" | "earliest") =>
    finished(times.combining(choice, twice)).latestIn(address(6, 4999));
  assert.deepEqual([combine("latest"), combine("earliest")], [6, 2]);
});

test("the end of an address: of the closest prefix that covers it, or the latest", () => {
  const nested = read("20.0.0.0/29 5", "20.0.0.0/31 9", "20.0.0.0 3", "20.0.0.4/31 2", "20.0.0.6 Infinity");
  assert.deepEqual(textsOf(timesOf(nested, "latest")), [
    "20.0.0.0/31 9",
    "20.0.0.2/31 5",
    "20.0.0.4/31 5",
    "20.0.0.6 Infinity",
    "20.0.0.7 5",
  ]);
  assert.deepEqual(textsOf(timesOf(nested, "closest")), [
    "20.0.0.0 3",
    "20.0.0.1 9",
    "20.0.0.2/31 5",
    "20.0.0.4/31 2",
    "20.0.0.6 Infinity",
    "20.0.0.7 5",
  ]);
  const gone = read("20.0.0.0/30 5", "20.0.0.1 0");
  assert.deepEqual(textsOf(timesOf(gone, "closest")), ["20.0.0.0 5", "20.0.0.2/31 5"]);
  assert.deepEqual(textsOf(timesOf([undefined, ...gone, undefined], "latest")), ["20.0.0.0/30 5"]);
  assert.throws(() => timesOf(read("20.0.0.1 5", "20.0.0.0 5")), RangeError);
});

test("the addresses of both or of either, each with the earlier or the later end", () => {
  const one = timesOf(read("20.0.0.0/30 5", "2001:db8::/127 Infinity"));
  const other = timesOf(read("20.0.0.2/31 9", "20.0.0.4 1", "2001:db8::1 7"));
  const combined = (choice: "latest" | "earliest") => textsOf(finished(one.combining(choice, other)));
  assert.deepEqual(combined("latest"), ["20.0.0.0/31 5", "20.0.0.2/31 9", "20.0.0.4 1", "2001:db8::/127 Infinity"]);
  assert.deepEqual(combined("earliest"), ["20.0.0.2/31 5", "2001:db8::1 7"]);
  assert.deepEqual(textsOf(finished(AddressTimes.uniting([one, other, one]))), combined("latest"));
  assert.deepEqual(textsOf(finished(AddressTimes.uniting([]))), []);
});

test("a set without ends, up to the last address; mapped addresses are left out, wide prefixes split", () => {
  const set = AddressSet.of(
    ["20.0.0.0/8", "255.255.255.255", "::fffe:ffff:0/112", "ffff::/16"].map((text) => parsePrefix(text)),
  );
  assert.deepEqual(textsOf(AddressTimes.of(set)), [
    "20.0.0.0/8 Infinity",
    "255.255.255.255 Infinity",
    "::fffe:ffff:0/112 Infinity",
    "ffff::/16 Infinity",
  ]);
  assert.deepEqual(textsOf(AddressTimes.of(AddressSet.of([parsePrefix("20.0.0.0/8")])), 9), [
    "20.0.0.0/9 Infinity",
    "20.128.0.0/9 Infinity",
  ]);
  const mapped = { family: 6, w0: 0, w1: 0, w2: 0xffff, w3: 5, length: 128 } as const;
  assert.deepEqual(textsOf(AddressTimes.of(AddressSet.of([mapped]))), []);
  assert.deepEqual(textsOf(AddressTimes.EMPTY), []);
});
