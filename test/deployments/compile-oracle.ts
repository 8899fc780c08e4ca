import type { Family, Prefix } from "../../src/address/address.ts";
import { prefixOf } from "../../src/address/prefix.ts";
import { Catalogue } from "../../src/cbs/catalogue.ts";
import { CatalogueBuilder } from "../../src/cbs/catalogue-builder.ts";
import { CatalogueTree } from "../../src/cbs/catalogue-tree.ts";
import { CtiBuilder } from "../../src/cti/dataset-builder.ts";
import { CtiDataset } from "../../src/cti/dataset.ts";
import { recordOf } from "../../src/cti/fields.ts";
import { type Gathered, gatheringPrefixes } from "../../src/deployments/gathered.ts";
import { gatheringNode } from "../../src/deployments/sources/node.ts";
import { gatheringRules } from "../../src/deployments/sources/rules.ts";
import { gatheringThreats } from "../../src/deployments/sources/threats.ts";
import type { Rule } from "../../src/rulesets/rule.ts";
import { RuleIndex } from "../../src/rulesets/index/rule-index.ts";
import { freeze } from "../../src/table/freeze.ts";
import { finished } from "../../src/turns/finished.ts";

// Lists in a universe of 256 addresses, as sets of numbers: shares no code with what makes the prefixes.

export const BITS = 8;
export const DAY = 86_400_000;

export interface Block {
  /** The first number, and the exponent of the size. */
  readonly first: number;
  readonly exponent: number;
  /** The day when a rule or a catalogue prefix expires, or a threat was last seen; null for none. */
  readonly day: number | null;
  readonly isMalicious: boolean;
}

export type Source =
  | { readonly kind: "rules"; readonly blocks: readonly Block[] }
  | { readonly kind: "node"; readonly blocks: readonly Block[] }
  | { readonly kind: "prefixes"; readonly blocks: readonly Block[] }
  | { readonly kind: "threats"; readonly blocks: readonly Block[]; readonly days: number | null };

export interface Case {
  readonly include: readonly Source[];
  readonly exclude: readonly Source[];
  readonly shortest: number;
}

/** Where the universe is: its first address, aligned to its size. */
export const UNIVERSES: Readonly<Record<Family, Prefix>> = {
  4: { family: 4, w0: 0x0a000000, w1: 0, w2: 0, w3: 0, length: 32 - BITS },
  6: { family: 6, w0: 0x20010db8, w1: 0, w2: 0xffffffff, w3: 0xffffff00, length: 128 - BITS },
};

function placed(family: Family, { first, exponent }: Block): Prefix {
  const base = UNIVERSES[family];
  const address = family === 4 ? { ...base, w0: base.w0 + first } : { ...base, w3: base.w3 + first };
  return prefixOf(address, base.length + BITS - exponent);
}

/** What the source contributes, from real rules, a real catalogue and real threat intelligence. */
export function gathered(family: Family, source: Source, now: number, isTimed = false): Gathered {
  const { blocks } = source;
  const prefixes = blocks.map((block) => placed(family, block));
  if (source.kind === "prefixes") return finished(gatheringPrefixes("prefixes", prefixes));
  if (source.kind === "rules") return finished(gatheringRules("rules", rulesOf(blocks, prefixes), now, isTimed));
  if (source.kind === "node")
    return finished(gatheringNode("node", treeOf(blocks, prefixes, now), "/cloud/one", isTimed));
  const selection = { classification: "malicious", seenWithinDays: source.days ?? undefined } as const;
  return finished(gatheringThreats("threats", datasetOf(blocks, prefixes), selection, now, isTimed));
}

export function ruleOf(family: Family, block: Block): Pick<Rule, "prefix" | "expiresAt"> {
  return { prefix: placed(family, block), expiresAt: endOf(block) };
}

function rulesOf(blocks: readonly Block[], prefixes: readonly Prefix[]): RuleIndex {
  const rules = new RuleIndex();
  for (const [at, prefix] of prefixes.entries()) {
    const expiresAt = endOf(blocks[at]!);
    rules.set({ prefix, name: null, expiresAt, createdAt: 0, updatedAt: 0 });
  }
  return rules;
}

function treeOf(blocks: readonly Block[], prefixes: readonly Prefix[], now: number): CatalogueTree {
  const builder = new CatalogueBuilder();
  builder.addNode("/cloud/one", "One");
  // Prefixes of another node are not listed.
  for (const [at, prefix] of prefixes.entries())
    builder.add(prefix, blocks[at]!.isMalicious ? "/cloud/one/below" : "/cloud/other", null, endOf(blocks[at]!));
  const about = { title: "Test", createdAt: new Date(0), sources: [] };
  const { trie, metadata, ...options } = builder.build(about);
  return new CatalogueTree(new Catalogue(metadata, freeze(trie, options), now));
}

function datasetOf(blocks: readonly Block[], prefixes: readonly Prefix[]): CtiDataset {
  const builder = new CtiBuilder();
  for (const [at, prefix] of prefixes.entries())
    builder.add(
      prefix,
      recordOf({ classification: blocks[at]!.isMalicious ? "malicious" : "benign", lastSeen: blocks[at]!.day }),
    );
  const { trie, metadata } = builder.build({ title: "Test", createdAt: new Date(0), sources: [] });
  return new CtiDataset(metadata, freeze(trie));
}

function endOf({ day }: Block): number | null {
  return day === null ? null : day * DAY;
}

/** The numbers that the source lists at a moment. */
function numbersOf(source: Source, now: number): Set<number> {
  const numbers = new Set<number>();
  for (let number = 0; number < 2 ** BITS; number++) {
    const covering = source.blocks.filter(({ first, exponent }) => number >= first && number < first + 2 ** exponent);
    if (lists(source, covering, now)) numbers.add(number);
  }
  return numbers;
}

function lists(source: Source, covering: readonly Block[], now: number): boolean {
  const isActive = (block: Block): boolean => block.day === null || now < block.day * DAY;
  if (source.kind === "prefixes") return covering.length > 0;
  if (source.kind === "rules") return covering.some(isActive);
  if (source.kind === "node") return covering.some((block) => block.isMalicious && isActive(block));
  const [closest] = covering.toSorted((a, b) => a.exponent - b.exponent);
  if (closest === undefined || !closest.isMalicious) return false;
  const { days } = source;
  return days === null || (closest.day !== null && Math.floor(now / DAY) - closest.day <= days);
}

export function expectedOf({ include, exclude }: Case, now: number): Set<number> {
  const all = new Set(include.flatMap((source) => [...numbersOf(source, now)]));
  for (const source of exclude) for (const number of numbersOf(source, now)) all.delete(number);
  return all;
}

/** The fewest blocks, none wider than the exponent, each as `FIRST EXPONENT`: found from the top down. */
export function fewest(numbers: ReadonlySet<number>, widest: number, first = 0, exponent = BITS): string[] {
  let held = 0;
  for (let each = first; each < first + 2 ** exponent; each++) if (numbers.has(each)) held++;
  if (held === 0) return [];
  if (held === 2 ** exponent && exponent <= widest) return [`${first} ${exponent}`];
  const half = 2 ** (exponent - 1);
  return [...fewest(numbers, widest, first, exponent - 1), ...fewest(numbers, widest, first + half, exponent - 1)];
}

/** Prefixes of the universe, in the form that `fewest` returns. */
export function numbered(family: Family, prefixes: Iterable<Prefix>): string[] {
  const base = UNIVERSES[family];
  return [...prefixes].map((prefix) => {
    const first = family === 4 ? prefix.w0 - base.w0 : prefix.w3 - base.w3;
    return `${first} ${base.length + BITS - prefix.length}`;
  });
}

const HALF_DAYS = 24;

/**
 * When a number that is listed at `now` stops being listed, in seconds: found by checking every half day; Infinity:
 * never.
 */
export function endsOf(each: Case, now: number): Map<number, number> {
  const ends = new Map([...expectedOf(each, now)].map((number): [number, number] => [number, Infinity]));
  for (let at = HALF_DAYS; at > 0; at--) {
    const time = (at * DAY) / 2;
    if (time <= now) break;
    const later = expectedOf(each, time);
    for (const number of ends.keys()) if (!later.has(number)) ends.set(number, time / 1000);
  }
  return ends;
}
