import assert from "node:assert/strict";
import { describe, test } from "node:test";
import * as fc from "fast-check";
import { parseAsnCsv, readAsnTable } from "../../data/asn-table.ts";
import type { AsnPrefixes } from "../../data/asn-table.ts";
import { prefixAt } from "../../data/build-catalogue.ts";
import type { Address, Family } from "../../src/address/address.ts";
import { formatAddress } from "../../src/address/format-address.ts";
import { parseAddress } from "../../src/address/parse-address.ts";
import { formatPrefix } from "../../src/address/prefix.ts";
import { rangeToPrefixes } from "../../src/address/range.ts";
import { rounds } from "../rounds.ts";

function parse(csv: string, family: Family, organisations = new Map<number, string>()): AsnPrefixes {
  return parseAsnCsv(Buffer.from(csv), family, organisations, "table.csv");
}

function split(first: Address, last: Address): string[] {
  const prefixes = parse(`${formatAddress(first)},${formatAddress(last)},1,x\n`, first.family);
  return Array.from({ length: prefixes.count }, (_, at) => formatPrefix(prefixAt(prefixes, at)));
}

test("the table has the known content of this version of the package", (context) => {
  const { version, ipv4, ipv6, organisations } = readAsnTable();
  assert.equal(version, "2.3.2026061719");
  assert.deepEqual([ipv4.count, ipv6.count], [564_580, 167_903]);
  assert.equal(new Set(ipv4.asns).size, 84_159);
  assert.equal(organisations.size, 91_065);
  assert.equal(
    ipv4.asns.reduce((most, asn) => Math.max(most, asn), 0),
    4_294_967_294,
  );
  assert.equal(organisations.get(13335), "Cloudflare, Inc.");
  assert.equal(organisations.get(201907), 'LLC "SPUTNIK"');
  const same = (at: number): boolean =>
    ipv4.words[at] === ipv4.words[at - 1] && ipv4.lengths[at] === ipv4.lengths[at - 1];
  const twice = Array.from(ipv4.asns.keys()).filter(same);
  assert.deepEqual(
    twice.map((at) => `${formatPrefix(prefixAt(ipv4, at))} AS${ipv4.asns[at]}`),
    ["215.0.0.0/16 AS721"],
  );
  context.diagnostic(`${ipv4.count} IPv4 and ${ipv6.count} IPv6 prefixes, ${organisations.size} AS numbers`);
});

test("a line yields its prefixes, its AS number and, the first time, its organisation", () => {
  const organisations = new Map<number, string>();
  const prefixes = parse(
    '1.0.0.0,1.0.0.255,13335,"Cloudflare, ""Inc."""\n1.0.4.0,1.0.6.255,4294967295,A B\n1.0.9.9,1.0.9.9,13335,other',
    4,
    organisations,
  );
  assert.deepEqual([...prefixes.lengths], [24, 23, 24, 32]);
  assert.deepEqual([...prefixes.words], [0x01000000, 0x01000400, 0x01000600, 0x01000909]);
  assert.deepEqual([...prefixes.asns], [13335, 4294967295, 4294967295, 13335]);
  assert.deepEqual(
    [...organisations],
    [
      [13335, 'Cloudflare, "Inc."'],
      [4294967295, "A B"],
    ],
  );
});

describe("a bad line is an error with file and line", () => {
  const good = "1.0.0.0,1.0.0.255,13335,x\n";
  const cases: [line: string, family: Family, why: RegExp][] = [
    ["1.0.0.0,1.0.0.255,13335\n", 4, /table\.csv:2: fewer than four columns/],
    ["1.0.0.0\n1.0.0.0,1.0.0.255,1,x\n", 4, /table\.csv:2: /],
    ["\n", 4, /table\.csv:2: fewer/],
    ["1.0.0,1.0.0.255,1,x\n", 4, /table\.csv:2: not a range of IPv4/],
    ["2001:db8::,2001:db8::1,1,x\n", 4, /table\.csv:2: not a range of IPv4/],
    ["1.0.0.9,1.0.0.8,1,x\n", 4, /table\.csv:2: .* ends before/],
    ["1.0.0.0,1.0.0.255,,x\n", 4, /table\.csv:2: not an AS number/],
    ["1.0.0.0,1.0.0.255,AS1,x\n", 4, /table\.csv:2: not an AS number/],
    ["1.0.0.0,1.0.0.255,4294967296,x\n", 4, /table\.csv:2: not an AS number/],
  ];
  for (const [line, family, why] of cases)
    test(JSON.stringify(line), () => assert.throws(() => parse(good + line, family), why));
});

describe("ranges at the edges", () => {
  const cases: [first: string, last: string, prefixes: string[]][] = [
    ["1.0.0.0", "1.0.0.255", ["1.0.0.0/24"]],
    ["1.0.0.1", "1.0.0.6", ["1.0.0.1", "1.0.0.2/31", "1.0.0.4/31", "1.0.0.6"]],
    ["0.0.0.0", "255.255.255.255", ["0.0.0.0/0"]],
    ["255.255.255.254", "255.255.255.255", ["255.255.255.254/31"]],
    ["::", "ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff", ["::/0"]],
    ["2001:db8::", "2001:db8::1:ffff:ffff", ["2001:db8::/95"]],
    ["2001:db8::ffff:ffff", "2001:db8::1:0:0", ["2001:db8::ffff:ffff", "2001:db8::1:0:0"]],
  ];
  for (const [first, last, prefixes] of cases)
    test(`${first} to ${last}`, () => assert.deepEqual(split(parseAddress(first), parseAddress(last)), prefixes));
});

const word = fc.oneof(fc.constantFrom(0, 1, 0x80000000, 0xffffffff, 0xfffffffe), fc.nat({ max: 0xffffffff }));
const addressWords = fc.tuple(word, word, word, word);

/** Ranges whose ends share 0 to 4 words, the lower end first. */
const ranges = fc
  .tuple(fc.boolean(), addressWords, addressWords, fc.nat({ max: 3 }))
  .map(([six, one, other, shared]): [Address, Address] => {
    const ends = [one, one.map((own, at) => (at < shared ? own : other[at]!))].map(([w0, w1, w2, w3]): Address =>
      // In 2000::/3, since the text of an IPv4-mapped end would be read as IPv4.
      six
        ? { family: 6, w0: ((w0! >>> 3) | 0x20000000) >>> 0, w1: w1!, w2: w2!, w3: w3! }
        : { family: 4, w0: shared > 0 ? w3! : w0!, w1: 0, w2: 0, w3: 0 },
    );
    return ends.sort((a, b) => a.w0 - b.w0 || a.w1 - b.w1 || a.w2 - b.w2 || a.w3 - b.w3) as [Address, Address];
  });
const RUNS = { numRuns: rounds({ short: 800, long: 3000 }), seed: 20260617 };

test("the split equals rangeToPrefixes, which shares no code with it", (context) => {
  let prefixes = 0;
  fc.assert(
    fc.property(ranges, ([first, last]) => {
      const expected = rangeToPrefixes(first, last).map(formatPrefix);
      assert.deepEqual(split(first, last), expected);
      prefixes += expected.length;
    }),
    RUNS,
  );
  context.diagnostic(`${RUNS.numRuns} ranges, ${prefixes} prefixes, seed ${RUNS.seed}`);
});

test("negative control: a split that stops at its widest prefix is caught", () => {
  const broken = fc.property(ranges, ([first, last]) =>
    assert.deepEqual(split(first, last).slice(0, 1), rangeToPrefixes(first, last).map(formatPrefix)),
  );
  assert.equal(fc.check(broken, RUNS).failed, true);
});
