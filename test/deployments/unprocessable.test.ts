/** An address that a list can express stays in it, whatever else is listed. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Prefix } from "../../src/address/address.ts";
import { formatPrefix, parsePrefix, prefixOf } from "../../src/address/prefix.ts";
import { compileList } from "../../src/deployments/compile.ts";
import { gatheringPrefixes } from "../../src/deployments/gathered.ts";
import { expressingList, gatheredFor, reasonAgainst } from "../../src/deployments/unprocessable.ts";
import { FORMATS } from "../../src/formats/formats.ts";
import type { Format } from "../../src/formats/format.ts";
import { type Expression, exportRules, RULE_EXPORT_FORMATS } from "../../src/rulesets/export-rules.ts";
import { AddressSet } from "../../src/sets/address-set.ts";
import { entriesFor, HOSTS_OF_256 } from "../../src/sets/capability.ts";
import { finished } from "../../src/turns/finished.ts";
import { onlyLong, rounds } from "../rounds.ts";
import { readByVendor } from "../formats/vendor-readers.ts";
import { randomWords } from "../random-words.ts";

const CASES = rounds({ short: 600, long: 100_000 });
/** Each of which may be of tens of thousands of entries. */
const SLOW_CASES = 2500;
const SEED = 20_261_127;

interface Case {
  readonly include: readonly Prefix[];
  readonly exclude: readonly Prefix[];
  readonly added: Prefix;
}

/** Every format that lists are written in, and single addresses for bouncers. */
const EXPRESSIONS: readonly (readonly [name: string, Expression])[] = [
  ...RULE_EXPORT_FORMATS.map((name) => [name, FORMATS[name] as Format<"rules">] as const),
  ["hosts-only bouncer keys", { expresses: HOSTS_OF_256, unprocessable: () => "it is too wide" }],
];

/** Within few blocks, so that prefixes touch, nest and merge. */
function prefixIn(random: () => number): Prefix {
  const isIpv4 = random() < 0.6;
  const lengths = isIpv4
    ? [8, 11, 12, 14, 15, 16, 17, 22, 23, 24, 25, 31, 32]
    : [19, 32, 63, 64, 65, 100, 119, 120, 121, 127, 128];
  const length = lengths[Math.floor(random() * lengths.length)]!;
  const bits = (count: number): number => Math.floor(random() * 2 ** count);
  // A few addresses beside each other at every length.
  if (isIpv4)
    return prefixOf(
      { family: 4, w0: ((45 << 24) | (bits(1) << (32 - length)) | bits(1)) >>> 0, w1: 0, w2: 0, w3: 0 },
      length,
    );
  const word = (at: number): number =>
    length > 32 * at && length <= 32 * at + 32 ? (bits(1) << (32 * at + 32 - length)) >>> 0 : 0;
  return prefixOf({ family: 6, w0: 0x20010db8, w1: word(1), w2: word(2), w3: (word(3) | bits(1)) >>> 0 }, length);
}

function caseOf(random: () => number): Case {
  const many = (most: number) => Array.from({ length: Math.floor(random() * (most + 1)) }, () => prefixIn(random));
  return { include: [prefixIn(random), ...many(5)], exclude: random() < 0.3 ? many(2) : [], added: prefixIn(random) };
}

type Written = (include: readonly Prefix[], exclude: readonly Prefix[], expression: Expression) => Prefix[];

const written: Written = (include, exclude, expression) => [...expressed(include, exclude, expression).written()];

function expressed(include: readonly Prefix[], exclude: readonly Prefix[], expression: Expression) {
  const sources = [finished(gatheringPrefixes("include", include, gatheredFor(expression)))];
  const list = compileList({ include: sources, exclude: [finished(gatheringPrefixes("exclude", exclude))] });
  return finished(expressingList(list, sources, expression));
}

/** What is said not to be in the file once the rule is added. */
function reportedOf({ include, exclude, added }: Case, expression: Expression): AddressSet {
  const list = expressed([...include, added], exclude, expression);
  const reported = [...list.prefixes()].filter((prefix) => reasonAgainst(expression, prefix) !== undefined);
  assert.equal(list.unprocessable.count, reported.length);
  return AddressSet.of(reported);
}

/** The negative control: as it was, the list is merged without regard to what can be expressed. */
const mergedFirst: Written = (include, exclude, expression) => {
  const list = compileList({
    include: [finished(gatheringPrefixes("include", include))],
    exclude: [finished(gatheringPrefixes("exclude", exclude))],
  });
  return [...list.prefixes()].filter((prefix) => reasonAgainst(expression, prefix) === undefined);
};

/** What the list loses: addresses it had before the rule was added, and prefixes that can be expressed by themselves. */
function lostBy(write: Written, { include, exclude, added }: Case, expression: Expression): AddressSet {
  const before = AddressSet.of(write(include, exclude, expression));
  const after = write([...include, added], exclude, expression);
  for (const prefix of after) assert.equal(reasonAgainst(expression, prefix), undefined, formatPrefix(prefix));
  const outside = AddressSet.of(exclude);
  const alone = [...include, added].filter(
    (prefix) => reasonAgainst(expression, prefix) === undefined && AddressSet.of([prefix]).isDisjointFrom(outside),
  );
  const listed = AddressSet.of([...include, added]).difference(outside);
  assert.ok(AddressSet.of(after).isSubsetOf(listed));
  return before.union(AddressSet.of(alone)).difference(AddressSet.of(after));
}

/**
 * What excludes leave of an IPv6 prefix may be too much for Cloudflare's lists to have one by one: it is reported, and
 * so are addresses that are also given by themselves in it.
 */
function isCutSmall(name: string, { exclude }: Case): boolean {
  return name === "cloudflare-list" && exclude.some(({ family, length }) => family === 6 && length > 64);
}

function casesThatLose(write: Written, cases: number): string[] {
  const words = randomWords(SEED);
  const random = (): number => words() / 2 ** 32;
  const found: string[] = [];
  for (let at = 0; at < cases; at++) {
    const each = caseOf(random);
    const [name, expression] = EXPRESSIONS[at % EXPRESSIONS.length]!;
    if (isCutSmall(name, each)) continue;
    const lost = lostBy(write, each, expression);
    if (!lost.isEmpty) found.push(`${name} ${each.include.map(formatPrefix).join(" ")} + ${formatPrefix(each.added)}`);
  }
  return found;
}

test(`no rule that is added removes an address from a list that can express it, in ${CASES} random lists`, () => {
  assert.deepEqual(casesThatLose(written, CASES), []);
});

test(
  "what excludes leave of IPv6 prefixes, if it is too much for Cloudflare, is reported to the last address",
  { skip: onlyLong() },
  () => {
    const words = randomWords(SEED + 1);
    const random = (): number => words() / 2 ** 32;
    const expression = FORMATS["cloudflare-list"] as Format<"rules">;
    let [seen, losing] = [0, 0];
    for (let at = 0; at < SLOW_CASES; at++) {
      const each = caseOf(random);
      if (!isCutSmall("cloudflare-list", each)) continue;
      seen++;
      const lost = lostBy(written, each, expression);
      const texts = each.include.map(formatPrefix).join(" ");
      assert.ok(lost.isSubsetOf(reportedOf(each, expression)), `${texts} + ${formatPrefix(each.added)}`);
      // Without the report, these would be lost without a word.
      if (!lost.isEmpty) losing++;
    }
    assert.ok(seen > SLOW_CASES / 50 && losing > 0, `${seen} cases, of which ${losing} lose addresses`);
  },
);

test("negative control: merging first is found, in each format that cannot express every length", () => {
  const found = new Set(casesThatLose(mergedFirst, Math.max(CASES, 4000)).map((text) => text.split(/ (?=[\d])/)[0]));
  for (const name of ["sophos", "ntop", "cloudflare-list", "hosts-only bouncer keys"]) assert.ok(found.has(name), name);
  assert.equal(found.size, 4);
});

test("a wider rule empties no list of single addresses, and is reported", () => {
  const texts = ["45.1.0.0/24", "45.0.0.0/12", "46.0.0.0/16", "46.1.0.0/16"];
  const sources = [
    finished(
      gatheringPrefixes(
        "include",
        texts.map((text) => parsePrefix(text)),
        FORMATS.sophos.expresses,
      ),
    ),
  ];
  const list = finished(expressingList(compileList({ include: sources, exclude: [] }), sources, FORMATS.sophos));
  assert.deepEqual([...list.written()].map(formatPrefix), ["45.1.0.0/24", "46.0.0.0/16", "46.1.0.0/16"]);
  assert.deepEqual(
    list.unprocessable.named.map(({ prefix }) => formatPrefix(prefix)),
    ["45.0.0.0/12"],
  );
  assert.deepEqual(list.entries, { 4: 256 + 2 * 65_536, 6: 0 });
});

test("each format writes as many entries as it says, of every length that it says", () => {
  for (const format of [
    "sophos",
    "ntop",
    "cloudflare-list",
    "aws-waf",
    "aws-prefix-list",
    "firewalld",
    "azure-ip-group",
    "checkpoint",
  ] as const) {
    const { expresses, unprocessable } = FORMATS[format] as Format<"rules">;
    for (const text of ["10.0.0.0", "a001:db8::"]) {
      const address = parsePrefix(text);
      for (const length of address.family === 4 ? [0, 1, 7, 8, 15, 16, 24, 31, 32] : [0, 1, 11, 12, 64, 65, 127, 128]) {
        const prefix = prefixOf(address, length);
        const rule = { prefix, name: null, expiresAt: null, createdAt: 0, updatedAt: 0 };
        const write = (): string => [...exportRules([rule], format, { setName: "list" })].join("");
        const entries = entriesFor(expresses!, address.family, length);
        if (entries === 0) {
          assert.equal(typeof unprocessable?.(prefix), "string");
          assert.throws(write, { name: "UnexportableError" }, `${format} ${formatPrefix(prefix)}`);
        } else {
          const found = readByVendor(format, write());
          assert.ok(found.equals(AddressSet.of([prefix])), `${format} ${formatPrefix(prefix)}`);
          const lines = write()
            .split("\n")
            .filter((line) => /\d|::/.test(line)).length;
          assert.equal(lines, entries, `${format} ${formatPrefix(prefix)}`);
        }
      }
    }
  }
});

test("a blocklist that is written as what it does not list has as many entries as its file has lines", () => {
  const words = randomWords(SEED);
  const random = (): number => words() / 2 ** 32;
  let caught = 0;
  const cases = CASES / 10;
  for (let at = 0; at < cases; at++) {
    const { include, exclude } = caseOf(random);
    const sources = [finished(gatheringPrefixes("include", include))];
    const list = compileList({ include: sources, exclude: [finished(gatheringPrefixes("exclude", exclude))] });
    const rules = [...list.prefixes()].map((prefix) => ({
      prefix,
      name: null,
      expiresAt: null,
      createdAt: 0,
      updatedAt: 0,
    }));
    for (const purpose of ["blocklist", "allowlist"] as const) {
      if (rules.length === 0 && purpose === "allowlist") continue;
      const { entries } = finished(expressingList(list, sources, FORMATS.traefik, purpose));
      const file = [...exportRules(rules, "traefik", { setName: "list", purpose })].join("");
      const lines = file.split("\n").filter((line) => line.startsWith("        - "));
      const told = { 4: lines.filter((line) => line.includes(".")).length, 6: 0 };
      told[6] = lines.length - told[4];
      assert.deepEqual(entries, told, `${purpose} of ${rules.map(({ prefix }) => formatPrefix(prefix)).join(" ")}`);
      if (list.entries[4] + list.entries[6] !== lines.length) caught++;
    }
  }
  assert.ok(caught > cases / 2, `counting prefixes was caught ${caught} times`);
});
