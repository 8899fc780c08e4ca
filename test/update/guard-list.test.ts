import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { parsePrefix } from "../../src/address/prefix.ts";
import { plainText } from "../../src/cbs/importers/plain-text.ts";
import { compareLists, impossibleList, shareOfChange, unusualChange } from "../../src/update/guard-list.ts";
import { prefixesOf, publicPrefixes } from "./lists.ts";

const changeOf = (before: readonly string[], after: readonly string[]) =>
  compareLists(prefixesOf(...before), prefixesOf(...after));
const rejectionOf = (before: readonly string[], after: readonly string[], most = 0.5) =>
  unusualChange(changeOf(before, after), most);

describe("prefixes that no publisher has", () => {
  const REFUSED: readonly [prefix: string, code: string, message: RegExp][] = [
    ["0.0.0.0/0", "too-wide", /^it contains 0\.0\.0\.0\/0, wider than any publisher has \(at most \/8\)/],
    ["::/0", "too-wide", /at most \/16/],
    ["20.0.0.0/7", "too-wide", /20\.0\.0\.0\/7/],
    ["2600::/15", "too-wide", /2600::\/15/],
    [
      "10.1.2.0/24",
      "special-purpose",
      /^it contains 10\.1\.2\.0\/24: it is in 10\.0\.0\.0\/8, Private-Use \(RFC 1918\); only the publisher/,
    ],
    ["127.0.0.1", "special-purpose", /Loopback/],
    ["169.254.169.254", "special-purpose", /Link Local/],
    ["224.0.0.0/8", "special-purpose", /Multicast/],
    ["192.0.0.0/8", "special-purpose", /it contains 192\.0\.0\.0\/24/],
    ["172.0.0.0/8", "special-purpose", /it contains 172\.16\.0\.0\/12/],
    ["255.255.255.255", "special-purpose", /Limited Broadcast/],
    ["203.0.113.0/24", "special-purpose", /Documentation/],
    ["::1", "special-purpose", /Loopback/],
    ["fd00::/48", "special-purpose", /Unique-Local/],
    ["2001:db8::/32", "special-purpose", /Documentation/],
    ["2002::/16", "special-purpose", /6to4/],
    ["2001::/16", "special-purpose", /it contains 2001::\/23/],
    ["4000::/24", "special-purpose", /outside 2000::\/3/],
  ];
  for (const [prefix, code, message] of REFUSED) {
    test(prefix, () => {
      const refusal = impossibleList(prefixesOf("20.0.0.0/24", prefix));
      assert.equal(refusal?.code, code);
      assert.match(refusal.message, message);
    });
  }

  test("negative control: the widest existing prefixes, and their neighbours", () => {
    const good = [
      "17.0.0.0/8",
      "34.64.0.0/10",
      "2630::/16",
      "240e::/18",
      "9.255.255.255",
      "11.0.0.0/24",
      "172.32.0.0/11",
      "192.31.196.0/24",
      "2001:200::/23",
      "2000::/16",
    ];
    assert.equal(impossibleList(prefixesOf(...good)), undefined);
  });

  test("more in total than any publisher has", () => {
    const eights = (count: number): string[] =>
      Array.from({ length: 256 }, (_, i) => `${i}.0.0.0/8`)
        .filter((prefix) => impossibleList(prefixesOf(prefix)) === undefined)
        .slice(0, count);
    assert.equal(impossibleList(prefixesOf(...eights(32))), undefined);
    assert.deepEqual(impossibleList(prefixesOf(...eights(33))), {
      code: "too-much",
      message: "it contains 13 % of all IPv4 addresses, more than any publisher has; only the publisher can correct it",
    });
    const sixteens = (count: number): string[] =>
      Array.from({ length: count }, (_, i) => `${(0x2400 + i).toString(16)}::/16`);
    assert.equal(impossibleList(prefixesOf(...sixteens(16))), undefined);
    assert.deepEqual(impossibleList(prefixesOf(...sixteens(17))), {
      code: "too-much",
      message:
        "it contains 0.03 % of all IPv6 addresses, more than any publisher has; only the publisher can correct it",
    });
    const [entry] = prefixesOf("20.0.0.0/24").entries;
    assert.equal(impossibleList({ entries: new Array(2_000_000).fill(entry) }), undefined);
    assert.match(
      impossibleList({ entries: new Array(2_000_001).fill(entry) })!.message,
      /^it has 2,000,001 entries, more than any publisher has \(at most 2,000,000\)/,
    );
    const places = (count: number) =>
      Array.from({ length: count }, (_, i) => ({ service: { id: `s${i}`, name: `S${i}` }, region: null }));
    assert.equal(impossibleList({ entries: [{ ...entry!, places: places(100_000) }] }), undefined);
    assert.match(
      impossibleList({ entries: [{ ...entry!, places: places(100_001) }] })!.message,
      /^it has 100,001 services and regions/,
    );
  });
});

describe("how much a list has changed", () => {
  test("is counted by prefixes and by addresses of each family, whichever is larger", () => {
    const share = (before: string[], after: string[]): number => shareOfChange(changeOf(before, after));
    assert.equal(share(["20.0.0.0/24"], ["20.0.0.0/24"]), 0);
    assert.equal(share(["20.0.0.0/24"], ["20.0.1.0/24"]), 1);
    assert.equal(share(["20.0.0.0/24", "20.0.1.0/24"], ["20.0.0.0/24"]), 0.5);
    assert.equal(share(["20.0.0.0/24"], ["20.0.0.0/24", "20.0.1.0/24"]), 0.5);
    assert.equal(share(["20.0.0.0/23", "20.1.0.0/24"], ["20.0.0.0/23", "20.1.0.0/24", "30.0.0.0/16"]), 256 / 259);
    assert.equal(share(["20.0.0.0/24", "2600::/32"], ["20.0.0.0/24", "2601::/32"]), 1);
    // Different prefixes for the same addresses: every prefix has changed, but no address has.
    assert.equal(share(["20.0.0.0/24"], ["20.0.0.0/25", "20.0.0.128/25"]), 1);
    assert.deepEqual(changeOf(["20.0.0.0/24", "20.0.0.0/24"], ["20.0.0.0/25", "20.0.0.128/25"]).families, [
      { family: 4, size: 256, gone: 0, fresh: 0 },
      { family: 6, size: 0, gone: 0, fresh: 0 },
    ]);
    // Adding a first IPv6 prefix does not mean that all of IPv6 has changed.
    assert.equal(
      share(["20.0.0.0/24", "20.0.1.0/24", "20.0.2.0/24"], ["20.0.0.0/24", "20.0.1.0/24", "20.0.2.0/24", "2600::/20"]),
      0.25,
    );
  });

  test("the same prefixes under another name are a change that no guard rejects", () => {
    const placed = (service: string) => plainText({ service: { id: "mail", name: service } })("20.0.0.0/24\n");
    assert.equal(compareLists(placed("Mail"), placed("Mail")).isSame, true);
    const renamed = compareLists(placed("Mail"), placed("E-mail"));
    assert.deepEqual(
      [renamed.isSame, renamed.added, renamed.removed, renamed.moved, unusualChange(renamed, 0.01)],
      [false, 0, 0, 0, undefined],
    );
  });

  test("the same prefixes in other services and regions count as a change", () => {
    const hundred = publicPrefixes(0, 100);
    const placed = (...services: string[]) => ({
      entries: services.flatMap((id) =>
        hundred.map((text) => ({ prefix: parsePrefix(text), places: [{ service: { id, name: id }, region: null }] })),
      ),
    });
    const nowhere = plainText()(hundred.join("\n"));
    for (const [before, after] of [
      [placed("mail"), placed("chat")],
      [placed("mail"), nowhere],
      [nowhere, placed("mail")],
      [placed("mail"), placed("mail", "chat")],
    ] as const) {
      const change = compareLists(before, after);
      assert.deepEqual([change.added, change.removed, change.moved, shareOfChange(change)], [0, 0, 100, 1]);
      assert.deepEqual(unusualChange(change, 0.5), {
        code: "changed",
        message:
          "100 % of it has changed (0 prefixes added, 0 of 100 removed, 100 with another service or region), more than 50 %",
      });
    }
    // The order, and naming one service more than once, make no difference.
    assert.equal(compareLists(placed("mail", "chat"), placed("chat", "mail", "chat")).moved, 0);
    const half = { entries: [...placed("mail").entries.slice(50), ...placed("chat").entries.slice(0, 50)] };
    assert.equal(unusualChange(compareLists(placed("mail"), half), 0.5), undefined);
  });

  test("a publisher's first list of a family is not a large part of the internet", () => {
    const six = Array.from({ length: 7 }, (_, i) => `2600:${i}::/32`);
    const eights = Array.from({ length: 7 }, (_, i) => `${20 + i}.0.0.0/8`);
    assert.equal(rejectionOf(six, [...six, ...eights])!.code, "changed");
    assert.equal(rejectionOf(six, [...six, ...publicPrefixes(0, 7)]), undefined);
    assert.equal(rejectionOf(publicPrefixes(0, 7), [...publicPrefixes(0, 7), "2600::/16"])!.code, "changed");
  });
});

describe("suspicious changes", () => {
  const hundred = publicPrefixes(0, 100);

  test("less than half remains, of the prefixes or of a family's addresses", () => {
    assert.deepEqual(rejectionOf(hundred, hundred.slice(0, 49)), {
      code: "half",
      message: "only 49 of 100 prefixes are left, less than half",
    });
    assert.equal(rejectionOf(hundred, hundred.slice(0, 50)), undefined);
    const withWide = [...hundred, "30.0.0.0/12"];
    assert.deepEqual(rejectionOf(withWide, hundred), {
      code: "half",
      message: "only 2 % of its IPv4 addresses are left, less than half",
    });
    const withIpv6 = [...hundred, "2600::/20", "2600:1000::/20"];
    assert.match(rejectionOf(withIpv6, hundred)!.message, /^only 0 % of its IPv6 addresses/);
    // This also holds for large lists with all changes allowed.
    assert.equal(rejectionOf(hundred, hundred.slice(0, 49), 1)!.code, "half");
  });

  test("more than the configured share differs from before", () => {
    assert.deepEqual(rejectionOf(hundred, publicPrefixes(40, 140)), {
      code: "changed",
      message: "57 % of it has changed (40 prefixes added, 40 of 100 removed), more than 50 %",
    });
    assert.equal(rejectionOf(hundred, publicPrefixes(33, 133)), undefined);
    assert.equal(rejectionOf(hundred, publicPrefixes(40, 140), 0.6), undefined);
    assert.equal(rejectionOf(hundred, publicPrefixes(0, 201))!.code, "changed");
    assert.equal(rejectionOf(hundred, publicPrefixes(0, 200)), undefined);
    assert.equal(rejectionOf(hundred, [...hundred, "30.0.0.0/10"])!.code, "changed");
  });

  test("a few prefixes with few addresses are not suspicious", () => {
    const four = publicPrefixes(0, 4);
    assert.equal(rejectionOf(four, publicPrefixes(10, 14), 0.01), undefined);
    assert.equal(rejectionOf(four, ["20.0.0.0/24"], 0.01), undefined);
    assert.equal(rejectionOf(four, publicPrefixes(0, 12), 0.01), undefined);
    assert.equal(rejectionOf(four, publicPrefixes(0, 13), 0.01)!.code, "changed");
    assert.equal(rejectionOf(four, [...four, "30.0.0.0/15"])!.code, "changed");
    assert.equal(rejectionOf(["30.0.0.0/15", ...four], four)!.code, "half");
    assert.equal(rejectionOf([...four, "2600::/28"], four)!.code, "half");
    assert.equal(rejectionOf([...four, "2600::/36"], four), undefined);
  });
});
