/** Lists for firewalls and clouds contain exactly what the rules say, or are rejected with the reason. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import fc from "fast-check";
import { formatAddress } from "../../src/address/format-address.ts";
import { formatPrefix, parsePrefix } from "../../src/address/prefix.ts";
import { UnexportableError } from "../../src/formats/format.ts";
import {
  exportRules,
  ONE_FAMILY_FORMATS,
  type RuleExportFormat,
  unprocessableReason,
} from "../../src/rulesets/export-rules.ts";
import type { Rule } from "../../src/rulesets/rule.ts";
import { AddressSet } from "../../src/sets/address-set.ts";
import { anyRules } from "./hostile-rules.ts";
import { bound, entriesOf, linesOf, probes, subjects } from "./subjects.ts";
import { readByVendor, VENDOR_FORMATS } from "./vendor-readers.ts";

function textOf(rules: Iterable<Rule>, format: RuleExportFormat, purpose?: "allowlist"): string {
  return [...exportRules(rules, format, { setName: "list", ...(purpose && { purpose }) })].join("");
}

function ruleList(...texts: string[]): Rule[] {
  return texts.map((text) => ({ prefix: parsePrefix(text), name: null, expiresAt: null, createdAt: 0, updatedAt: 0 }));
}

const HOST_LISTS: ReadonlySet<RuleExportFormat> = new Set(["ntop", "sophos"]);

/** The rules that the format can express; few addresses if each takes a line. */
function expressible(rules: readonly Rule[], format: RuleExportFormat): Rule[] {
  const possible = rules.filter(
    ({ prefix }) =>
      unprocessableReason(format, prefix) === undefined && (!HOST_LISTS.has(format) || prefix.length >= 24),
  );
  const [first] = possible;
  return possible.filter(({ prefix }) => !ONE_FAMILY_FORMATS.has(format) || prefix.family === first!.prefix.family);
}

describe("read as documented by its vendor, a list has the addresses of its rules, whatever their names", () => {
  for (const format of VENDOR_FORMATS)
    test(format, () => {
      let listed = 0;
      fc.assert(
        fc.property(anyRules, (rules) => {
          const list = expressible(rules, format);
          const expected = AddressSet.of(list.map(({ prefix }) => prefix));
          // Traefik has no middleware that blocks every client.
          if (format === "traefik" && expected.size(4) === 1n << 32n && expected.size(6) === 1n << 128n) return;
          listed += list.length;
          const found = readByVendor(format, textOf(list, format));
          assert.deepEqual([...found.prefixes()].map(formatPrefix), [...expected.prefixes()].map(formatPrefix));
        }),
        { seed: 20_260_601, numRuns: 200 },
      );
      assert.ok(listed > 100, `${listed} rules`);
    });

  for (const format of VENDOR_FORMATS)
    test(`${format}: negative control, a list with another address is detected`, () => {
      const [list, other] = [ruleList("192.0.2.0/24"), ruleList("192.0.2.0/25")];
      const found = readByVendor(format, textOf(other, format));
      assert.ok(!found.equals(AddressSet.of(list.map(({ prefix }) => prefix))));
      const broken = textOf(list, format).replace(/\d(?=\D*$)/, "\n");
      assert.throws(() => readByVendor(format, broken), format);
    });
});

test("a rule that a format cannot express causes an error that names the rule, the reason and the remedy", () => {
  for (const [format, rules, message] of [
    ["sophos", ["192.0.2.1", "2001:db8::1"], /^sophos cannot express 2001:db8::1: it takes IPv4 addresses only; leave/],
    ["ntop", ["10.0.0.0/15"], /10\.0\.0\.0\/15: it takes single addresses only, and prefixes wider than \/16/],
    ["sophos", Array.from({ length: 17 }, (_, at) => `10.${at}.0.0/16`), /each of its 1114112 addresses/],
    ["checkpoint", ["2001:db8::/32"], /2001:db8::\/32: its indicators are IPv4/],
    ["azure-ip-group", ["2001:db8::/32"], /documented for IPv4 only/],
    ["cloudflare-list", ["2001:db8::/65"], /2001:db8::\/65: it takes IPv6 prefixes of up to \/64/],
    ["aws-waf", ["192.0.2.1", "2001:db8::1"], /one family, and this one has 192\.0\.2\.1 and 2001:db8::1; write/],
    ["traefik", ["0.0.0.0/0", "::/0"], /Traefik needs an address that is allowed/],
  ] as const)
    assert.throws(
      () => textOf(ruleList(...rules), format),
      (error) => error instanceof UnexportableError && message.test(error.message),
      format,
    );
  assert.throws(() => textOf([], "exabgp-flowspec", "allowlist"), /flow routes discard/);
  assert.throws(() => textOf([], "traefik", "allowlist"), /Traefik needs an address/);
});

test("each format, by example", () => {
  const rules = ruleList("0.0.0.0/0", "192.0.2.7");
  assert.equal(textOf(rules, "aws-waf"), '[\n"0.0.0.0/1",\n"128.0.0.0/1",\n"192.0.2.7/32"\n]\n');
  assert.equal(textOf([], "aws-waf"), "[]\n");
  assert.equal(textOf(rules.slice(1), "aws-prefix-list"), '[\n{"Cidr":"192.0.2.7/32"}\n]\n');
  assert.equal(textOf(rules.slice(1), "gcp-address-group"), '{"items":[\n"192.0.2.7/32"\n]\n}\n');
  assert.equal(textOf(rules, "azure-ip-group"), '[\n"0.0.0.0/0",\n"192.0.2.7"\n]\n');
  assert.equal(textOf(rules, "cloudflare-list").split("\n").length, 256 + 1 + 3);
  assert.equal(textOf(rules, "firewalld"), "0.0.0.0/1\n128.0.0.0/1\n");
  assert.equal(textOf(ruleList("192.0.2.6/31", "192.0.2.7"), "sophos"), "192.0.2.6\n192.0.2.7\n");
  assert.equal(
    textOf(ruleList("192.0.2.0/24", "192.0.2.7"), "checkpoint"),
    "#UNIQ-NAME,VALUE,TYPE,CONFIDENCE,SEVERITY,PRODUCT,COMMENT\nlist_192.0.2.0_24,192.0.2.0-192.0.2.255,IP Range,high,high,AB,\nlist_192.0.2.7_32,192.0.2.7,IP,high,high,AB,\n",
  );
  assert.match(textOf(rules, "envoy", "allowlist"), /action: ALLOW\n/);
  assert.match(textOf(ruleList("192.0.2.7"), "traefik", "allowlist"), /sourceRange:\n {8}- "192\.0\.2\.7\/32"\n$/);
  assert.equal(
    textOf(
      [
        { ...rules[0]!, prefix: parsePrefix("192.0.2.0/24"), name: "a,b" },
        { ...rules[1]!, expiresAt: 0 },
      ],
      "ranges-csv",
    ),
    'family,lo,hi,name,expires_at\n4,3221225984,3221225990,"a,b",\n4,3221225991,3221225991,,1970-01-01T00:00:00.000Z\n4,3221225992,3221226239,"a,b",\n',
  );
});

describe("the catalogue as ranges of numbers", async () => {
  for (const [name, tree] of await subjects())
    test(`${name}: the range of an address has the nodes of all prefixes that cover it`, () => {
      const { catalogue } = tree;
      const rows = linesOf(tree, "ranges-csv")
        .slice(1)
        .map((line) => /^([46]),(\d+),(\d+),(?:"(.*)"|([^"]*))$/.exec(line) ?? assert.fail(line));
      const ranges = rows.map(([, family, low, high, quoted, plain]) => ({
        family: Number(family),
        low: BigInt(low!),
        high: BigInt(high!),
        ids: quoted?.replaceAll('""', '"') ?? plain!,
      }));
      for (const [at, { family, low, high }] of ranges.entries()) {
        const before = ranges[at - 1];
        assert.ok(low <= high && (before === undefined || before.family < family || before.high < low));
      }
      const isLarge = catalogue.table.prefixCount(4) > 1000;
      let found = 0;
      for (const address of [...probes(catalogue, isLarge ? 500 : 1)].slice(0, 2000)) {
        const number = BigInt(
          `0x${[address.w0, address.w1, address.w2, address.w3].map((word) => word.toString(16).padStart(8, "0")).join("")}`,
        );
        const value = address.family === 4 ? number >> 96n : number;
        const range = ranges.find(
          ({ family, low, high }) => family === address.family && low <= value && value <= high,
        );
        const ids = catalogue.nodesOf(catalogue.table.lookupAddress(address)).map(({ id }) => id);
        assert.equal(range?.ids.replace(/^'(?=['=+\-@])/, "") ?? "", ids.join(), formatAddress(address));
        if (range !== undefined) found++;
      }
      assert.equal(found > 0, [...entriesOf(bound(catalogue))].length > 0);
    });
});
