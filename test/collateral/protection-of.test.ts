import assert from "node:assert/strict";
import { test } from "node:test";
import { formatPrefix, parsePrefix } from "../../src/address/prefix.ts";
import { CatalogueTree } from "../../src/cbs/catalogue-tree.ts";
import { activeAddresses, knownAddresses } from "../../src/collateral/active-addresses.ts";
import { makingCarver } from "../../src/collateral/carve-rules.ts";
import { findCollateral, hasCollateral, type Hit, namedPrefixes } from "../../src/collateral/find-collateral.ts";
import { type ProtectedThings, protectionOf } from "../../src/collateral/protection-of.ts";
import { RuleIndex } from "../../src/rulesets/index/rule-index.ts";
import { Ruleset } from "../../src/rulesets/ruleset.ts";
import { AddressSet } from "../../src/sets/address-set.ts";
import { finished } from "../../src/turns/finished.ts";
import { catalogueOf } from "../cbs/catalogues.ts";

const NOW = Date.UTC(2026, 10, 27);
const prefixes = (texts: readonly string[]) => texts.map((text) => parsePrefix(text));

/** What a list of these would block: kind, id, name and the prefixes of each hit. */
function told(things: ProtectedThings, ...texts: string[]): unknown[] {
  const { hits } = findCollateral(prefixes(texts), protectionOf(things), NOW);
  return hits.map((hit) => [hit.kind, hit.id, hit.name, namedPrefixes(hit).map(formatPrefix).join(" ")]);
}

test("special-purpose addresses are protected by name, those that no network uses are not", () => {
  const named: readonly (readonly [name: string, ...texts: string[]])[] = [
    ["Private-Use", "10.255.255.255", "172.31.0.0", "192.168.7.0/24"],
    ["Shared Address Space", "100.64.0.1"],
    ["Loopback", "127.0.0.1"],
    ["Link Local", "169.254.1.0/24"],
    ["Multicast", "239.255.255.255", "ff02::1"],
    ["Limited Broadcast", "255.255.255.255"],
    ["Loopback Address", "::1"],
    ["IPv4-IPv6 Translation", "64:ff9b::/97", "64:ff9b:1:ffff::"],
    ["Unique-Local", "fdff::1"],
    ["Link-Local Unicast", "febf::1"],
  ];
  for (const [name, ...texts] of named)
    for (const text of texts) assert.deepEqual(told({}, text), [["special-purpose", null, name, text]]);
  const unused = ["0.0.0.1", "192.0.2.1", "198.18.0.1", "240.0.0.1", "2001:db8::1", "2002::1", "100::1", "8.8.8.8"];
  assert.deepEqual(told({}, ...unused), []);
});

const CATALOGUE = catalogueOf([
  ["20.1.0.0/16", "/cdn/one"],
  ["20.2.0.0/16", "/cloud/two"],
  ["20.3.0.0/16", "/isp/three"],
  ["20.4.0.0/16", "scanners"],
  ["2a00:1::/32", "/cloud/two"],
]);

test("services, allowlists and own networks are protected under their names, with the kind of each", () => {
  const allowed = new Ruleset({ name: "partners", purpose: "allowlist" });
  allowed.add("20.9.0.1");
  const things: ProtectedThings = {
    services: new CatalogueTree(CATALOGUE),
    allowlists: [allowed],
    ownNetworks: { office: AddressSet.of(prefixes(["20.8.0.0/24"])) },
  };
  assert.deepEqual(told(things, "20.1.2.3"), [["service", "/cdn/one", "one", "20.1.2.3"]]);
  assert.deepEqual(told(things, "20.4.2.3"), [["service", "scanners", "scanners", "20.4.2.3"]]);
  assert.deepEqual(told(things, "20.2.3.0/24"), [["service", "/cloud/two", "two", "20.2.3.0/24"]]);
  assert.deepEqual(told(things, "2a00:1::/48"), [["service", "/cloud/two", "two", "2a00:1::/48"]]);
  assert.deepEqual(told(things, "20.2.3.0/25", "2a00:1::/49", "20.3.0.0/16"), []);
  assert.deepEqual(told(things, "20.8.0.0/16"), [["own-network", null, "office", "20.8.0.0/24"]]);
  assert.deepEqual(told(things, "20.9.0.0/24"), [["allowed", null, "partners", "20.9.0.1"]]);
  allowed.add("20.9.0.7");
  assert.equal(told(things, "20.9.0.7").length, 1, "rules that are written later");
  assert.deepEqual(told({}, "20.1.2.3", "20.8.0.1", "20.9.0.1"), [], "only what is given");
});

test("there is collateral if there are hits, or a prefix is too wide", () => {
  const of = (...texts: string[]) => findCollateral(prefixes(texts), protectionOf({}), NOW);
  assert.equal(hasCollateral(of("8.8.8.8")), false);
  assert.equal(hasCollateral(of("10.0.0.1")), true);
  assert.equal(hasCollateral({ hits: [], tooWide: prefixes(["12.0.0.0/7"]) }), true);
  const wide = of("12.0.0.0/8", "2a00::/19", "32.0.0.0/7", "64.0.0.0/6", "68.0.0.0/6", "2c00::/18").tooWide;
  assert.deepEqual(wide.map(formatPrefix), ["64.0.0.0/6", "2c00::/18"], "the first of the widest of each family");
  assert.deepEqual(of("12.0.0.0/8", "2a00::/19").tooWide, []);
  assert.deepEqual(of("12.0.0.0/7", "2a00::/18").tooWide.map(formatPrefix), ["12.0.0.0/7", "2a00::/18"]);
});

test("at most five prefixes of a hit are named", () => {
  const texts = Array.from({ length: 7 }, (_, at) => `10.0.0.${2 * at}`);
  const [hit] = findCollateral(prefixes(texts), protectionOf({}), NOW).hits;
  assert.deepEqual(namedPrefixes(hit!).map(formatPrefix), texts.slice(0, 5));
});

const RULE = { name: null, createdAt: 0, updatedAt: 0 };

test("rules of both families protect, in single prefixes, many and wide ones", () => {
  const allowed = new Ruleset({ name: "allowed", purpose: "allowlist" });
  for (let at = 0; at < 100; at++) allowed.add(`2a00:2:${(2 * at).toString(16)}::/48`);
  allowed.add("2a00:2:1::1");
  allowed.add("20.0.0.0/30");
  allowed.add("20.0.0.9", { expiresAt: Date.UTC(2020, 0, 1) });
  const count = (...texts: string[]): string[] => {
    const { hits } = findCollateral(prefixes(texts), protectionOf({ allowlists: [allowed] }), NOW);
    return hits.map(({ addresses }) => `${addresses.size(4)} ${addresses.size(6)}`);
  };
  const network = 2n ** 80n;
  for (const others of [[], ["20.0.0.8/30"]]) {
    assert.deepEqual(count("2a00:2::/50", ...others), [`0 ${2n ** 78n}`]);
    assert.deepEqual(count("2a00:2:1::/48", ...others), ["0 1"]);
    assert.deepEqual(count("2a00:2:3::/48", ...others), []);
    assert.deepEqual(count("2a00:2::/32", ...others), [`0 ${100n * network + 1n}`]);
    assert.deepEqual(count("2a00::/12", ...others), [`0 ${100n * network + 1n}`]);
    assert.deepEqual(count("20.0.0.0/24", ...others), ["4 0"]);
  }
});

test("what active rules cover is kept until a write, unless one was made while it was found", () => {
  const rules = RuleIndex.from([]);
  for (let at = 0; at < 5000; at++)
    rules.set({ ...RULE, prefix: { ...parsePrefix("20.0.0.0"), w0: 0x14000000 + 2 * at }, expiresAt: null });
  assert.equal(knownAddresses(rules, NOW), undefined);
  const found = finished(activeAddresses(rules, NOW));
  assert.equal(knownAddresses(rules, NOW), found);
  assert.equal(finished(activeAddresses(rules, NOW + 1)), found);
  assert.equal(knownAddresses(rules, NOW - 1), undefined, "a clock that was set back");
  rules.set({ ...RULE, prefix: parsePrefix("20.0.0.1"), expiresAt: NOW + 10 });
  assert.equal(knownAddresses(rules, NOW), undefined);
  const finding = activeAddresses(rules, NOW);
  assert.equal(finding.next().done, false);
  rules.set({ ...RULE, prefix: parsePrefix("20.0.0.3"), expiresAt: null });
  finished(finding);
  assert.equal(knownAddresses(rules, NOW), undefined, "it may lack the rule");
  const current = finished(activeAddresses(rules, NOW));
  assert.equal(current.size(4), 5002n);
  assert.equal(knownAddresses(rules, NOW + 9), current);
  assert.equal(knownAddresses(rules, NOW + 10), undefined, "a rule has expired");
  assert.equal(finished(activeAddresses(rules, NOW + 10)).size(4), 5001n);
});

test("a prefix is carved by hits of its length only: clouds count for networks", () => {
  const { hits } = findCollateral(
    prefixes(["20.1.0.0/24", "20.2.0.0/24"]),
    protectionOf({ services: new CatalogueTree(CATALOGUE) }),
    NOW,
  );
  const narrowed = hits.map((hit): Hit => ({ ...hit, addresses: AddressSet.of(hit.addresses.prefixes()) }));
  const carve = finished(makingCarver(narrowed));
  const rest = (text: string): string[] | undefined => {
    const parts = carve(parsePrefix(text));
    return parts && [...parts].map(formatPrefix);
  };
  assert.deepEqual(rest("20.1.0.0/23"), ["20.1.1.0/24"]);
  assert.deepEqual(rest("20.1.0.7"), []);
  assert.deepEqual(rest("20.2.0.0/23"), ["20.2.1.0/24"]);
  assert.deepEqual(rest("20.2.0.0/24"), []);
  assert.equal(rest("20.2.0.0/25"), undefined);
  assert.equal(rest("20.7.0.0/24"), undefined);
});
