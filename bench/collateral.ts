/**
 * The guard of writes: one rule, and 100,000, against the bundled catalogue and 100 rulesets of 1,000 rules. Milliseconds
 * of processor time: median and (minimum).
 */
import type { Prefix } from "../src/address/address.ts";
import { prefixOf } from "../src/address/prefix.ts";
import { CatalogueTree } from "../src/cbs/catalogue-tree.ts";
import { findingCollateral, type Protection } from "../src/collateral/find-collateral.ts";
import { protectingServices } from "../src/collateral/services.ts";
import { specialPurposeGroup } from "../src/collateral/special-purpose.ts";
import { openCatalogue } from "../src/datasets/open-catalogue.ts";
import { RuleIndex } from "../src/rulesets/index/rule-index.ts";
import { finished } from "../src/turns/finished.ts";

const NOW = Date.UTC(2026, 10, 23);
const ROUNDS = 15;

let state = 20_261_123;
const random = (): number => (state = (state * 48_271) % 2_147_483_647) / 2_147_483_647;
const prefixes = (count: number, length: number): Prefix[] =>
  Array.from({ length: count }, () =>
    prefixOf({ family: 4, w0: (0x01000000 + random() * 0xde000000) >>> 0, w1: 0, w2: 0, w3: 0 }, length),
  );

function measure(name: string, times: number, work: () => unknown): void {
  const all: number[] = [];
  let result: unknown;
  for (let round = 0; round < ROUNDS; round++) {
    const start = process.cpuUsage();
    for (let each = 0; each < times; each++) result = work();
    const { user, system } = process.cpuUsage(start);
    all.push((user + system) / 1000 / times);
  }
  all.sort((one, other) => one - other);
  console.log(`${name}: ${all[ROUNDS >> 1]!.toFixed(3)} (${all[0]!.toFixed(3)}) ms, ${result as number} hits`);
}

const tree = new CatalogueTree(await openCatalogue());
finished(tree.prepare());
measure("the services of the catalogue", 1, () => finished(protectingServices(tree)).length);
const rulesets = Array.from({ length: 100 }, (_, index) => {
  const rules = new RuleIndex();
  for (const prefix of prefixes(1000, 32))
    rules.set({ prefix, name: null, expiresAt: null, createdAt: 0, updatedAt: 0 });
  return { kind: "allowed" as const, id: String(index), name: String(index), rules };
});
const protection: Protection = { groups: [...finished(protectingServices(tree)), specialPurposeGroup()], rulesets };
const hits = (list: readonly Prefix[]): number => finished(findingCollateral(list, protection, NOW)).hits.length;
const [addresses, networks, wide] = [prefixes(200, 32), prefixes(200, 24), prefixes(200, 8)];
let turn = 0;
measure("an address", 100, () => hits([addresses[turn++ % 200]!]));
measure("a /24", 100, () => hits([networks[turn++ % 200]!]));
measure("a /8", 20, () => hits([wide[turn++ % 200]!]));
measure("a /8 after a wider one", 20, () => {
  if (turn++ % 20 === 0) hits(prefixes(1, 0));
  return hits([wide[turn % 200]!]);
});
measure("a /4", 20, () => hits(prefixes(1, 4)));
measure("a /1", 20, () => hits(prefixes(1, 1)));
measure("0.0.0.0/0", 20, () => hits(prefixes(1, 0)));
measure("0.0.0.0/0 after a write to one allowlist", 20, () => {
  writeTo(rulesets[turn++ % 100]!.rules);
  return hits(prefixes(1, 0));
});
measure("0.0.0.0/0 after a write to every allowlist", 1, () => {
  for (const { rules } of rulesets) writeTo(rules);
  return hits(prefixes(1, 0));
});
function writeTo(rules: RuleIndex): void {
  const [prefix] = prefixes(1, 32);
  rules.set({ prefix: prefix!, name: null, expiresAt: null, createdAt: 0, updatedAt: 0 });
  rules.delete(prefix!);
}
const [many, manyNetworks] = [prefixes(100_000, 32), prefixes(100_000, 24)];
measure("100,000 addresses", 1, () => hits(many));
measure("100,000 /24", 1, () => hits(manyNetworks));
