import assert from "node:assert/strict";
import { test } from "node:test";
import type { Prefix } from "../../src/address/address.ts";
import { formatPrefix, parsePrefix, prefixOf } from "../../src/address/prefix.ts";
import { CatalogueTree } from "../../src/cbs/catalogue-tree.ts";
import { type Collateral, findingCollateral, namedPrefixes } from "../../src/collateral/find-collateral.ts";
import { ANY_LENGTH, makingGroup, type Protected, type ProtectedGroup } from "../../src/collateral/protected.ts";
import { protectingServices } from "../../src/collateral/services.ts";
import { specialPurposeGroup } from "../../src/collateral/special-purpose.ts";
import { openCatalogue } from "../../src/datasets/open-catalogue.ts";
import type { Rule } from "../../src/rulesets/rule.ts";
import { RuleIndex } from "../../src/rulesets/index/rule-index.ts";
import { AddressSet } from "../../src/sets/address-set.ts";
import { finished } from "../../src/turns/finished.ts";
import { rounds } from "../rounds.ts";

const NOW = Date.UTC(2026, 10, 23);

interface Listed {
  readonly prefix: Prefix;
  readonly expiresAt: number | null;
}

/** A world of 256 addresses: a list, the prefixes of services, and the rules that allow. */
interface World {
  readonly list: readonly Prefix[];
  readonly services: readonly (readonly Prefix[])[];
  /** Only prefixes of up to 28 bits hit these. */
  readonly clouds: readonly (readonly Prefix[])[];
  readonly rulesets: readonly (readonly Listed[])[];
}

function generator(seed: number): (below: number) => number {
  let state = seed;
  return (below) => (state = (state * 48_271) % 2_147_483_647) % below;
}

function worldOf(seed: number): World {
  const random = generator(seed);
  const prefix = (): Prefix => {
    const address = { ...parsePrefix("20.0.0.0"), w0: 0x14000000 + random(256) };
    return prefixOf(address, [24, 26, 28, 29, 30, 31, 32, 32, 32][random(9)]!);
  };
  const some = (most: number): Prefix[] => Array.from({ length: random(most + 1) }, prefix);
  const expiries = [null, NOW - 1, NOW, NOW + 1];
  return {
    list: some(seed % 2 === 0 ? 1 : 6),
    services: [some(5), some(3)],
    clouds: [some(4)],
    rulesets: [some(3), some(60)].map((rules) =>
      rules.map((each) => ({ prefix: each, expiresAt: expiries[random(4)]! })),
    ),
  };
}

/** Found by looking at each address: how many addresses the list shares with each protected thing. */
function expected({ list, services, clouds, rulesets }: World, now = NOW): Record<string, number> {
  const active = rulesets.map((rules) => latest(rules).filter(({ expiresAt }) => (expiresAt ?? Infinity) > now));
  const things: readonly (readonly [string, readonly Prefix[], readonly Prefix[]])[] = [
    ...services.map((each, index) => [`service ${index}`, each, list] as const),
    ...clouds.map((each, index) => [`cloud ${index}`, each, list.filter(({ length }) => length <= 28)] as const),
    ...active.map((each, index) => [`ruleset ${index}`, each.map(({ prefix }) => prefix), list] as const),
  ];
  const covers = (prefixes: readonly Prefix[], address: number): boolean =>
    prefixes.some(({ w0, length }) => length === 0 || w0 >>> (32 - length) === address >>> (32 - length));
  const addresses = Array.from({ length: 256 }, (_, index) => 0x14000000 + index);
  const counts = things.map(([name, own, listed]) => {
    return [name, addresses.filter((address) => covers(own, address) && covers(listed, address)).length] as const;
  });
  return Object.fromEntries(counts.filter(([, count]) => count > 0));
}

/** A ruleset has one rule per prefix: the last one that was set. */
function latest(rules: readonly Listed[]): Listed[] {
  return [...new Map(rules.map((rule) => [formatPrefix(rule.prefix), rule])).values()];
}

function found(world: World, change: (rules: RuleIndex) => RuleIndex = (rules) => rules): Record<string, number> {
  return foundIn(
    world,
    indexesOf(world).map((rules) => change(rules)),
  );
}

function foundIn(world: World, indexes: readonly RuleIndex[], now = NOW): Record<string, number> {
  const services = groupOf("service", world.services, ANY_LENGTH);
  const clouds = groupOf("cloud", world.clouds, { 4: 28, 6: 48 });
  const rulesets = indexes.map((rules, index) => {
    return { kind: "allowed" as const, id: null, name: `ruleset ${index}`, rules };
  });
  const { hits } = finished(findingCollateral(world.list, { groups: [services, clouds], rulesets }, now));
  return Object.fromEntries(hits.map(({ name, addresses }) => [name, Number(addresses.size(4))]));
}

function indexesOf({ rulesets }: World): RuleIndex[] {
  return rulesets.map((rules) => {
    const index = new RuleIndex();
    for (const rule of rules) index.set(ruleOf(rule));
    return index;
  });
}

const ruleOf = ({ prefix, expiresAt }: Listed): Rule => ({ prefix, name: null, expiresAt, createdAt: 0, updatedAt: 0 });

function groupOf(name: string, sets: World["services"], longest: ProtectedGroup["longest"]): ProtectedGroup {
  const members = sets.map((prefixes, index): Protected => {
    return { kind: "service", id: null, name: `${name} ${index}`, addresses: AddressSet.of(prefixes) };
  });
  return finished(makingGroup(members, longest));
}

test("the hits of a list equal an exhaustive check; single prefixes and long lists, few rules and many", (c) => {
  const seen = { hits: 0, none: 0 };
  const count = rounds({ short: 700, long: 60_000 });
  for (let seed = 1; seed <= count; seed++) {
    const world = worldOf(seed);
    const wanted = expected(world);
    assert.deepEqual(found(world), wanted, `seed ${seed}`);
    seen[Object.keys(wanted).length > 0 ? "hits" : "none"]++;
  }
  c.diagnostic(JSON.stringify(seen));
  assert.ok(Math.min(...Object.values(seen)) > count / 10);
});

/**
 * Repeats the query as rules are set and deleted and time moves forward and back; half of the lists have a prefix that
 * covers everything. Returns how many answers were wrong, and how many had hits.
 */
function askAgain(
  seed: number,
  change: (rules: RuleIndex) => RuleIndex = (rules) => rules,
): [wrong: number, hit: number] {
  const random = generator(seed + 1_000_000);
  const first = worldOf(seed);
  const indexes = indexesOf(first).map((rules) => change(rules));
  const rulesets = first.rulesets.map((rules) => latest(rules));
  const lists = Array.from({ length: 4 }, (_, index) => worldOf(seed + index).list);
  let now = NOW;
  let [wrong, hit] = [0, 0];
  for (let step = 0; step < 12; step++) {
    const at = random(rulesets.length);
    const spare = worldOf(seed + step).rulesets.flat();
    const [rule] = spare.slice(random(Math.max(1, spare.length)));
    const kind = random(4);
    if (kind === 0 && rule !== undefined) {
      indexes[at]!.set(ruleOf(rule));
      rulesets[at] = latest([...rulesets[at]!, rule]);
    } else if (kind === 1 && rulesets[at]!.length > 0) {
      const [gone] = rulesets[at]!.splice(random(rulesets[at]!.length), 1);
      indexes[at]!.delete(gone!.prefix);
    } else if (kind === 2) now = NOW - 2 + random(5);
    const wide = random(2) === 0 ? [prefixOf(parsePrefix("20.0.0.0"), random(8))] : [];
    const list = random(3) === 0 ? wide : [...wide, ...lists[step % 4]!];
    const world = { ...first, list, rulesets };
    const wanted = expected(world, now);
    if (JSON.stringify(sortedByName(foundIn(world, indexes, now))) !== JSON.stringify(sortedByName(wanted))) wrong++;
    if (Object.keys(wanted).some((name) => name.startsWith("ruleset"))) hit++;
  }
  return [wrong, hit];
}

const sortedByName = (counts: Record<string, number>): [string, number][] => Object.entries(counts).sort();

test("the same as rules are written and expire, of prefixes as wide as the address space, too", (c) => {
  const count = rounds({ short: 150, long: 20_000 });
  let hits = 0;
  for (let seed = 1; seed <= count; seed++) {
    const [wrong, hit] = askAgain(seed);
    assert.equal(wrong, 0, `seed ${seed}`);
    hits += hit;
  }
  c.diagnostic(`${hits} of ${12 * count} answers with rules that are hit`);
  assert.ok(hits > 4 * count);
});

test("the negative controls: what is kept over a write, an expiry or a clock that goes back is noticed", () => {
  const overWrites = (rules: RuleIndex): RuleIndex => Object.defineProperty(rules, "writes", { value: 0 });
  const overExpiries = (rules: RuleIndex): RuleIndex => {
    const visiting = rules.visitingActive.bind(rules);
    return Object.assign(rules, {
      *visitingActive(...asked: Parameters<typeof visiting>) {
        yield* visiting(...asked);
        return Infinity;
      },
    });
  };
  for (const change of [overWrites, overExpiries]) {
    const noticed = Array.from({ length: 100 }, (_, seed) => askAgain(seed + 1, change)).filter(([wrong]) => wrong > 0);
    assert.ok(noticed.length > 10, `${noticed.length} of 100`);
  }
});

test("the negative controls: counting expired rules, and ignoring rules inside a prefix, are detected", () => {
  const neverExpiring = (rules: RuleIndex): RuleIndex => {
    for (const rule of rules.rules()) rules.set({ ...rule, expiresAt: null });
    return rules;
  };
  const onlyCovering = (rules: RuleIndex): RuleIndex => {
    Object.assign(rules, { rules: () => [].values(), visitingActive: () => [].values() });
    return rules;
  };
  for (const change of [neverExpiring, onlyCovering]) {
    const noticed = Array.from({ length: 200 }, (_, seed) => worldOf(seed + 1)).filter((world) => {
      return JSON.stringify(found(world, change)) !== JSON.stringify(found(world));
    });
    assert.ok(noticed.length > 10, `${noticed.length} of 200`);
  }
});

test("the hits with most addresses come first: by IPv4, then by IPv6, otherwise as they were given", () => {
  const sets = [
    ["20.0.0.1"],
    ["2001:db8::/64"],
    ["20.0.0.0/30", "2001:db8::/128"],
    ["2001:db8::/127"],
    ["20.0.0.4/30", "2001:db8::/127"],
    ["2001:db8::/66"],
    ["20.0.0.1"],
  ];
  const group = groupOf(
    "service",
    sets.map((each) => each.map((text) => parsePrefix(text))),
    ANY_LENGTH,
  );
  const order = (...texts: string[]): string[] => {
    const prefixes = texts.map((text) => parsePrefix(text));
    const { hits } = finished(findingCollateral(prefixes, { groups: [group], rulesets: [] }, NOW));
    return hits.map(({ name }) => name.replace("service ", ""));
  };
  assert.deepEqual(order("20.0.0.0/24", "2001:db8::/32"), ["4", "2", "0", "6", "1", "5", "3"]);
  assert.deepEqual(order("2001:db8::/32"), ["1", "5", "3", "4", "2"]);
});

test("services of the bundled catalogue: crawlers, CDNs and applications always, clouds as networks, no subscribers", async () => {
  const tree = new CatalogueTree(await openCatalogue());
  const groups = [...finished(protectingServices(tree)), specialPurposeGroup()];
  const hitsOf = (...texts: string[]): Collateral => {
    const prefixes = texts.map((text) => parsePrefix(text));
    return finished(findingCollateral(prefixes, { groups, rulesets: [] }, NOW));
  };
  const told = (...texts: string[]): unknown[] =>
    hitsOf(...texts).hits.map((hit) => [
      hit.id ?? hit.name,
      String(hit.addresses.size(parsePrefix(texts[0]!).family)),
      formatPrefix(namedPrefixes(hit)[0]!),
    ]);
  assert.deepEqual(told("1.1.1.1"), [["/cdn/cloudflare", "1", "1.1.1.1"]]);
  assert.deepEqual(told("1.1.1.0/24", "1.1.1.1"), [["/cdn/cloudflare", "256", "1.1.1.0/24"]]);
  // A cloud address, the network around it, and one of an access provider.
  assert.deepEqual(told("3.8.1.1"), []);
  assert.deepEqual(told("3.8.1.0/24"), [["/cloud/aws", "256", "3.8.1.0/24"]]);
  assert.deepEqual(told("3.8.1.0/25"), []);
  assert.deepEqual(told("2600:1f18::/48"), [["/cloud/aws", String(2n ** 80n), "2600:1f18::/48"]]);
  assert.deepEqual(told("2600:1f18::/49"), []);
  assert.deepEqual(told("73.0.0.0/16"), []);
  assert.deepEqual(told("10.0.0.0/30"), [["Private-Use", "4", "10.0.0.0/30"]]);
  assert.deepEqual(told("192.0.2.0/24", "198.51.100.7", "203.0.113.0/24"), []);
  assert.deepEqual(told("fe80::1"), [["Link-Local Unicast", "1", "fe80::1"]]);
  const half = hitsOf("0.0.0.0/1", "8000::/2");
  assert.deepEqual([half.share, half.tooWide.map(formatPrefix)], [{ 4: 0.5, 6: 0.25 }, ["0.0.0.0/1", "8000::/2"]]);
  assert.ok(half.hits.length > 100);
  assert.deepEqual(hitsOf(), { hits: [], tooWide: [], share: { 4: 0, 6: 0 } });
});
