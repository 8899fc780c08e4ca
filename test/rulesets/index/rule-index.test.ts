import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { parseAddress } from "../../../src/address/parse-address.ts";
import { formatPrefix, parsePrefix } from "../../../src/address/prefix.ts";
import type { Rule } from "../../../src/rulesets/rule.ts";
import { columnsOf, type RuleColumns } from "../../../src/rulesets/rule-columns.ts";
import { RuleIndex } from "../../../src/rulesets/index/rule-index.ts";
import { checkInvariants } from "../check-invariants.ts";
import { chunksOf } from "../columns.ts";

const NOW = Date.UTC(2026, 5, 1);

function rule(text: string, expiresAt: number | null = null, name: string | null = text): Rule {
  return { prefix: parsePrefix(text), name, expiresAt, createdAt: NOW - 2, updatedAt: NOW - 1 };
}

/** In order. */
const texts = [
  "0.0.0.0/0",
  "10.0.0.0/8",
  "10.0.0.0",
  "10.255.255.255",
  "128.0.0.0/1",
  "255.255.255.255",
  "::/0",
  "::",
  "2001:db8::/32",
  "2001:db8::1",
  "ffff::/16",
];

function indexOf(rules: readonly Rule[]): RuleIndex {
  const index = new RuleIndex();
  for (const each of rules) index.set(each);
  return index;
}

function names(rules: Iterable<Rule>): (string | null)[] {
  return [...rules].map(({ name }) => name);
}

for (const [how, make] of [
  ["rule by rule", () => indexOf(texts.toReversed().map((text) => rule(text)))],
  [
    "from columns",
    () =>
      RuleIndex.from(
        chunksOf(
          texts.map((text) => rule(text)),
          2,
        ),
      ),
  ],
] as const) {
  test(`filled ${how}: rules are in the order of prefixes, from any position`, () => {
    const index = make();
    checkInvariants(index);
    assert.equal(index.count, texts.length);
    assert.deepEqual(names(index.rules()), texts);
    for (let offset = 0; offset <= texts.length + 1; offset++) {
      assert.deepEqual(names(index.page({ offset, limit: 3 }, NOW)), texts.slice(offset, offset + 3));
      if (offset < texts.length)
        assert.deepEqual(names(index.rules(parsePrefix(texts[offset]!))), texts.slice(offset + 1));
    }
    for (const text of texts) assert.deepEqual(index.get(parsePrefix(text)), rule(text));
  });
}

describe("check", () => {
  const index = indexOf([...texts.map((text) => rule(text)), rule("10.1.0.0/16", NOW), rule("10.1.2.0/24", NOW + 1)]);
  const cases: [where: string, covering: string[]][] = [
    ["10.0.0.0", ["10.0.0.0", "10.0.0.0/8", "0.0.0.0/0"]],
    ["10.1.2.3", ["10.1.2.0/24", "10.0.0.0/8", "0.0.0.0/0"]],
    ["10.1.0.0/16", ["10.0.0.0/8", "0.0.0.0/0"]],
    ["10.0.0.0/7", ["0.0.0.0/0"]],
    ["0.0.0.0/0", ["0.0.0.0/0"]],
    ["::ffff:10.255.255.255", ["10.255.255.255", "10.0.0.0/8", "0.0.0.0/0"]],
    ["::ffff:10.0.0.0/104", ["10.0.0.0/8", "0.0.0.0/0"]],
    ["::/95", ["::/0"]],
    ["2001:db8::1", ["2001:db8::1", "2001:db8::/32", "::/0"]],
    ["2001:db8::1:0/112", ["2001:db8::/32", "::/0"]],
  ];
  for (const [where, expected] of cases) {
    test(where, () => {
      const { rule: best, covering } = index.check(parsePrefix(where), NOW);
      assert.deepEqual(names(covering), expected);
      assert.deepEqual(best, covering[0]);
    });
  }

  test("an address is looked up as a full-length prefix", () => {
    assert.equal(index.check(parseAddress("10.1.2.3"), NOW).rule?.name, "10.1.2.0/24");
    assert.equal(index.check(parseAddress("10.1.2.3"), NOW + 1).rule?.name, "10.0.0.0/8");
    assert.deepEqual(names(index.covering(parseAddress("10.1.2.3"))), [
      "10.1.2.0/24",
      "10.1.0.0/16",
      "10.0.0.0/8",
      "0.0.0.0/0",
    ]);
  });

  test("nothing covers", () =>
    assert.deepEqual(new RuleIndex().check(parsePrefix("10.0.0.0"), NOW), { rule: null, covering: [] }));
});

test("one prefix has one rule, however it is written", () => {
  const index = indexOf([
    rule("::ffff:192.0.2.0/120"),
    rule("192.0.2.0/24", NOW, "second"),
    rule("2001:DB8::"),
    rule("2001:db8:0::0/128", null, "third"),
  ]);
  assert.deepEqual(
    [...index.rules()].map(({ prefix, name }) => [formatPrefix(prefix), name]),
    [
      ["192.0.2.0/24", "second"],
      ["2001:db8::", "third"],
    ],
  );
  assert.equal(index.activeCount(NOW), 1);
  assert.equal(index.delete(parsePrefix("::ffff:192.0.2.0/120")), true);
  assert.equal(index.delete(parsePrefix("::ffff:192.0.2.0/120")), false);
});

test("host bits are ignored", () => {
  const prefix = { ...parsePrefix("10.1.2.3"), length: 8 };
  const index = indexOf([{ ...rule("10.0.0.0/8"), prefix }]);
  assert.equal(formatPrefix(index.get(prefix)!.prefix), "10.0.0.0/8");
  assert.equal(index.get(parsePrefix("10.0.0.0/8"))?.name, "10.0.0.0/8");
});

test("only expiries change the count in an ETag", () => {
  const index = indexOf([rule("10.0.0.0/8", NOW), rule("10.0.0.1", NOW + 5), rule("::1", NOW + 5), rule("::2")]);
  const seen = [-1, 0, 4, 5, 6, 4, -1].map((step) => [index.expiredCount(NOW + step), index.nextExpiry(NOW + step)]);
  assert.deepEqual(seen, [
    [0, NOW],
    [1, NOW + 5],
    [1, NOW + 5],
    [3, null],
    [3, null],
    [1, NOW + 5],
    [0, NOW],
  ]);
});

test("rules are copied on the way in and out", () => {
  const mine = { ...rule("10.0.0.0/8") };
  const index = indexOf([mine]);
  mine.name = "changed";
  Object.assign(index.get(mine.prefix)!, { name: "changed" });
  assert.equal(index.get(mine.prefix)?.name, "10.0.0.0/8");
});

test("names that equal members of objects are ordinary names", () => {
  for (const name of ["__proto__", "constructor", "toString"])
    assert.equal(indexOf([rule("10.0.0.0/8", null, name)]).get(parsePrefix("10.0.0.0/8"))?.name, name);
});

test("memory depends on the current rules, not on how many were added and deleted", () => {
  const index = new RuleIndex();
  const host = (i: number): Rule => ({
    ...rule("10.0.0.0", NOW + i),
    prefix: { ...parsePrefix("10.0.0.0"), w0: (i * 2_654_435_761) >>> 0 },
  });
  for (let i = 0; i < 1000; i++) index.set(host(i));
  const before = index.byteLength;
  for (let i = 1000; i < 20_000; i++) {
    index.set(host(i));
    index.delete(host(i - 1000).prefix);
    if (i % 97 === 0) index.activeCount(NOW + i - 500);
  }
  checkInvariants(index);
  assert.equal(index.count, 1000);
  assert.ok(index.byteLength <= 1.6 * before, `${before} bytes became ${index.byteLength}`);
});

test("ten thousand rules with a name each from columns take at most 70 bytes each, without the texts", () => {
  const rules = Array.from({ length: 10_000 }, (_, i) => ({
    ...rule("10.0.0.0", NOW + i),
    prefix: { ...parsePrefix("10.0.0.0"), w0: (0x0a000000 + i) >>> 0 },
  }));
  assert.ok(RuleIndex.from(columnsOf(rules)).byteLength < 700_000);
});

describe("refused", () => {
  const index = indexOf([rule("10.0.0.0/8")]);
  const sound = columnsOf([rule("10.0.0.0/8"), rule("11.0.0.0/8")])[0]!;
  const from = (change: Partial<RuleColumns>) => () => RuleIndex.from([{ ...sound, ...change }]);
  const cases: [name: string, act: () => unknown, message: RegExp][] = [
    [
      "a length beyond the family's",
      () => index.get({ ...parsePrefix("10.0.0.0/8"), length: 33 }),
      /An IPv4 prefix length must be an integer from 0 to 32, not 33/,
    ],
    [
      "an expiry that is no number",
      () => index.set({ ...rule("10.0.0.0/8"), expiresAt: Number.NaN }),
      /A time of a rule must be milliseconds since 1970, not NaN/,
    ],
    ["an infinite expiry", () => index.set({ ...rule("10.0.0.0/8"), expiresAt: Infinity }), /not Infinity/],
    [
      "a time that is no number",
      () => index.activeCount(Number.NaN),
      /The time must be milliseconds since 1970, not NaN/,
    ],
    [
      "a negative offset",
      () => index.page({ offset: -1, limit: 1 }, NOW),
      /The offset and the limit of a page must be whole and not negative, not -1/,
    ],
    ["half a limit", () => index.page({ offset: 0, limit: 0.5 }, NOW), /not 0.5/],
    [
      "columns out of order",
      from({ words: Uint32Array.of(0x0b000000, 0x0a000000) }),
      /in the order of prefixes, each prefix once, but 10.0.0.0\/8 follows 11.0.0.0\/8/,
    ],
    [
      "a prefix twice",
      from({ words: Uint32Array.of(0x0a000000, 0x0a000000) }),
      /each prefix once, but 10.0.0.0\/8 follows 10.0.0.0\/8/,
    ],
    [
      "the more specific one first",
      from({ words: Uint32Array.of(0x0a000000, 0x0a000000), lengths: Uint8Array.of(8, 7) }),
      /10.0.0.0\/7 follows 10.0.0.0\/8/,
    ],
    [
      "columns with host bits",
      from({ words: Uint32Array.of(0x0a000000, 0x0b000001) }),
      /Rule 1 of IPv4 has a prefix of length 8 whose words do not fit it/,
    ],
    ["columns with a long length", from({ lengths: Uint8Array.of(8, 33) }), /Rule 1 of IPv4 has a prefix of length 33/],
    [
      "columns without an expiry",
      from({ expiresAt: Float64Array.of(Number.NaN, 1) }),
      /Rule 0 of IPv4 has no expiry; a permanent rule has Infinity/,
    ],
    [
      "a column that is too short",
      from({ names: [] }),
      /The columns of 2 rules must have as many values each, and `words` 2/,
    ],
    ["words that are too few", from({ words: Uint32Array.of(1) }), /`words` 2/],
  ];
  for (const [name, act, message] of cases)
    test(name, () => assert.throws(act, (error) => error instanceof RangeError && message.test(error.message)));

  test("a string instead of a prefix", () => assert.throws(() => index.get("10.0.0.0/8" as never), TypeError));
});
