import assert from "node:assert/strict";
import { test } from "node:test";
import { Random } from "../../bench/data/random.ts";
import { parsePrefix } from "../../src/address/prefix.ts";
import { AS_SOURCE, Catalogue, type CatalogueSource } from "../../src/cbs/catalogue.ts";
import { CatalogueBuilder } from "../../src/cbs/catalogue-builder.ts";
import { identifyText } from "../../src/cbs/identify.ts";
import { freeze } from "../../src/table/freeze.ts";
import { CREATED } from "./catalogues.ts";
import { rounds } from "../rounds.ts";
import { brokenIdentifies, compareIdentify, namedPrefixes, NO_COUNTS, oracleOf } from "./identify-differential.ts";

const SEED = 20_261_121;

const SOURCES: readonly CatalogueSource[] = [AS_SOURCE, "listed"].map((id) => ({
  id,
  name: id,
  version: null,
  url: null,
  license: null,
  attribution: null,
  publishedAt: CREATED.toISOString(),
  fetchedAt: null,
  changedAt: null,
}));

/**
 * Both whole address spaces, single addresses, prefixes nested 33 deep, mapped prefixes, one prefix in several nodes,
 * dense groups of neighbours, and every kind of claim that `primary` tells apart.
 */
function generated(random: Random) {
  const builder = new CatalogueBuilder();
  const regions = ["eu-1", "us-1", "GLOBAL"];
  const add = (text: string): void => {
    const prefix = parsePrefix(text, "mask");
    for (let more = 1 + random.below(3); more > 0; more--) {
      const [service, region] = [`s${random.below(6)}`, regions[random.below(3)]!];
      builder.add(
        prefix,
        [
          `/cloud/a/by-service/${service}/${region}`,
          `/cloud/a/by-region/${region}/${service}`,
          `/saas/b/${service}`,
          `/cdn/c${service}`,
          `list ${service}`,
          `/bot/crawler/${service}`,
          "/isp/access",
          "/cloud/a",
          `/cloud/aws/by-service/${["amazon", "ec2", "s3"][random.below(3)]!}/${region}`,
        ][random.below(9) % (5 + random.below(5))]!,
        [null, AS_SOURCE, "listed"][random.below(3)]!,
      );
    }
  };
  for (const text of [
    "0.0.0.0/0",
    "::/0",
    "0.0.0.0",
    "255.255.255.255",
    "::",
    "ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff",
    "::ffff:10.0.0.0/104",
    "::ffff:192.0.2.1",
    "::/96",
    "::fffe:0:0/95",
  ])
    add(text);
  for (let length = 0; length <= 128; length += 4) add(`2001:db8:5555:5555:5555:5555:5555:5555/${length}`);
  for (let length = 0; length <= 32; length++) add(`10.85.85.85/${length}`);
  for (let i = 0; i < 600; i++)
    add(`10.${random.below(4)}.${random.below(8)}.${random.below(256)}/${16 + random.below(17)}`);
  for (let i = 0; i < 400; i++)
    add(`2001:db8:${random.below(4)}:${random.below(8)}::${random.below(256)}/${32 + random.below(97)}`);
  for (let i = 0; i < 100; i++)
    for (const text of [`10.200.${i}.0/24`, `2001:dead:${i}::/48`]) builder.add(parsePrefix(text), "/cdn/neighbours");
  builder.addNode("/cloud/a", "Cloud A");
  const { trie, metadata } = builder.build({ title: "Generated", createdAt: CREATED, sources: SOURCES });
  return { trie, catalogue: new Catalogue(metadata, freeze(trie)) };
}

test("identify equals the linear oracle, and near misses are detected", (context) => {
  const random = new Random(SEED);
  const counts = { ...NO_COUNTS };
  const sets = rounds({ short: 1, long: 2 });
  for (let set = 0; set < sets; set++) {
    const { trie, catalogue } = generated(random);
    const named = namedPrefixes(trie, catalogue);
    const identify = (text: string) => identifyText(catalogue, text);
    compareIdentify(identify, named, oracleOf(named, catalogue), random, 8000, counts);
    for (const [what, broken] of Object.entries(brokenIdentifies(catalogue, identify))) {
      assert.throws(
        () => compareIdentify(broken, named, oracleOf(named, catalogue), random, 1500, { ...NO_COUNTS }),
        /expected/,
        what,
      );
    }
  }
  context.diagnostic(`seed ${SEED}, ${JSON.stringify(counts)}`);
  assert.ok(counts.inside + counts.edges + counts.outside > 7500 * sets);
  assert.ok(counts.ipv4 > 2500 * sets && counts.found > 6000 * sets);
});
