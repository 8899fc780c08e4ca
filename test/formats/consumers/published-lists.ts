/**
 * Random rules, some of them expired, minus random excludes, compiled and written as a deployment does it, and read by
 * the program they are for. For each address, compares the program's answer, the compiled list and a walk over all
 * rules.
 */
import assert from "node:assert/strict";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { addressBits, type Family, type Prefix } from "../../../src/address/address.ts";
import { formatAddress } from "../../../src/address/format-address.ts";
import { parseAddress } from "../../../src/address/parse-address.ts";
import { formatPrefix, prefixContains, prefixOf } from "../../../src/address/prefix.ts";
import { type CompiledList, compileList } from "../../../src/deployments/compile.ts";
import { gatheringRules } from "../../../src/deployments/sources/rules.ts";
import { exportRules, ONE_FAMILY_FORMATS, type RuleExportFormat } from "../../../src/rulesets/export-rules.ts";
import type { Rule } from "../../../src/rulesets/rule.ts";
import { RuleIndex } from "../../../src/rulesets/index/rule-index.ts";
import { finished } from "../../../src/turns/finished.ts";
import type { Random } from "../../../bench/data/random.ts";
import { inTemporaryFolder } from "../../snapshot/harness/sample.ts";
import type { Consumer } from "./consumer.ts";
import { edgesOf } from "./edges.ts";

/** A comment that programs skip. */
const COMMENT = "Blocked hosts - 10.0.0.0 8 reject";
const NOW = Date.UTC(2026, 5, 1);
/** Rules expire within this many milliseconds around NOW. */
const MOMENTS = 3;
const PREFIXES = 60;
const RANDOM_ADDRESSES = 60;

/** What is published. */
export interface Case {
  readonly rules: readonly Rule[];
  readonly excludes: readonly Rule[];
  readonly addresses: readonly string[];
}

/** The part of a case that is in one file. */
interface Published {
  readonly file: string;
  readonly addresses: readonly string[];
}

/** Rules and excludes in a few networks, so that they nest, and the addresses at their edges. */
export function randomCase(random: Random): Case {
  const networks = [4, 4, 6].map((family) => networkOf(random, family as Family));
  const [rules, excludes] = [PREFIXES, PREFIXES / 3].map((count) =>
    onceEach(Array.from({ length: count }, () => ruleWithin(random, pick(random, networks)))),
  ) as [Rule[], Rule[]];
  const edges = edgesOf([...rules, ...excludes].map(({ prefix }) => formatPrefix(prefix)));
  const others = Array.from({ length: RANDOM_ADDRESSES }, () =>
    formatAddress(placedWithin(random, pick(random, networks))),
  );
  return { rules, excludes, addresses: [...new Set([...edges, ...others])] };
}

/** A later rule for a prefix replaces an earlier one. */
function onceEach(rules: readonly Rule[]): Rule[] {
  return [...new Map(rules.map((rule) => [formatPrefix(rule.prefix), rule])).values()];
}

export function compileCase({ rules, excludes }: Case): CompiledList {
  const gathered = (name: string, all: readonly Rule[]) => finished(gatheringRules(name, indexOf(all), NOW));
  return compileList({ include: [gathered("rules", rules)], exclude: [gathered("excludes", excludes)] });
}

/**
 * Returns how many addresses the program was queried about. `written`: another list to give it, for negative controls.
 * @throws AssertionError if the answers disagree
 */
export async function checkPublished(consumer: Consumer, each: Case, written?: CompiledList): Promise<number> {
  const list = compileCase(each);
  let asked = 0;
  for (const { file, addresses } of publishedFiles(consumer.format, written ?? list, each)) {
    const answers = await answersOf(consumer, file, addresses);
    assert.equal(answers.length, addresses.length);
    const found = addresses.flatMap((text, at) => {
      const [expected, listed] = [isBlocked(each, text), list.addresses.has(parseAddress(text))];
      return answers[at] === expected && listed === expected ? [] : [`${text}: ${answers[at]}, ${listed}, ${expected}`];
    });
    assert.deepEqual(found, [], "address: the program's answer, the library's, and that of a walk over all rules");
    asked += addresses.length;
  }
  return asked;
}

function publishedFiles(format: RuleExportFormat, list: CompiledList, { addresses }: Case): Published[] {
  const families: Family[][] = ONE_FAMILY_FORMATS.has(format) ? [[4], [6]] : [[4, 6]];
  return families.map((family) => {
    const prefixes = family.flatMap((each) => [...list.prefixes(each)]);
    const file = [...exportRules(prefixes.map(ruleOf), format, { setName: "list", now: NOW, comment: COMMENT })].join(
      "",
    );
    return { file, addresses: addresses.filter((text) => family.includes(text.includes(":") ? 6 : 4)) };
  });
}

function answersOf(consumer: Consumer, file: string, addresses: readonly string[]): Promise<boolean[]> {
  return inTemporaryFolder((root) => {
    const folder = join(root, "consumer");
    mkdirSync(folder);
    return consumer.listed(file, addresses, folder);
  });
}

/** Found by going through all rules. */
function isBlocked({ rules, excludes }: Case, text: string): boolean {
  const address = parseAddress(text);
  const host: Prefix = { ...address, length: addressBits(address.family) };
  const covers = ({ prefix, expiresAt }: Rule): boolean =>
    (expiresAt === null || NOW < expiresAt) && prefixContains(prefix, host);
  return rules.some(covers) && !excludes.some(covers);
}

function ruleOf(prefix: Prefix): Rule {
  return { prefix, name: null, expiresAt: null, createdAt: NOW, updatedAt: NOW };
}

function indexOf(rules: readonly Rule[]): RuleIndex {
  const index = new RuleIndex();
  for (const rule of rules) index.set(rule);
  return index;
}

/** A network that programs route and look up like any other. */
function networkOf(random: Random, family: Family): Prefix {
  if (family === 4) return prefixOf(address4(((1 + random.below(99)) << 24) + random.below(1 << 24)), 24);
  const { w0, w1 } = { w0: 0x2400_0000 + random.below(1 << 24), w1: random.below(2 ** 32) };
  return prefixOf({ family: 6, w0, w1, w2: random.below(2 ** 32), w3: random.below(2 ** 32) }, 120);
}

function address4(w0: number): Prefix {
  return { family: 4, w0: w0 >>> 0, w1: 0, w2: 0, w3: 0, length: 32 };
}

function placedWithin(random: Random, network: Prefix): Prefix {
  const low = random.below(256);
  return network.family === 4
    ? { ...network, w0: (network.w0 | low) >>> 0, length: 32 }
    : { ...network, w3: (network.w3 | low) >>> 0, length: 128 };
}

/** Most rules are within the last six bits of the network; some are the network itself, or one or two bits wider. */
function ruleWithin(random: Random, network: Prefix): Rule {
  const address = placedWithin(random, network);
  const isWide = random.below(20) === 0;
  const length = network.length + (isWide ? random.below(3) - 2 : 2 + random.below(7));
  const expiresAt = random.below(3) === 0 ? NOW - MOMENTS + random.below(2 * MOMENTS) : null;
  return { ...ruleOf(prefixOf(address, length)), expiresAt };
}

function pick<Item>(random: Random, items: readonly Item[]): Item {
  return items[random.below(items.length)]!;
}
