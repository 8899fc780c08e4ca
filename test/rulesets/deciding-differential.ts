/**
 * The tools that say what a list would do, compared with oracles that look at every address: in a universe of eight
 * IPv4 addresses and eight IPv6 /64s, whose sets are the bits of a number.
 */
import assert from "node:assert/strict";
import type { Address, Prefix } from "../../src/address/address.ts";
import { comparePrefixes, formatPrefix, prefixContains } from "../../src/address/prefix.ts";
import { explainRules } from "../../src/rulesets/explain.ts";
import { replayDifference, replaying, type SeenAddresses } from "../../src/rulesets/replay.ts";
import type { Rule } from "../../src/rulesets/rule.ts";
import type { RuleId } from "../../src/rulesets/rule-id.ts";
import { Ruleset } from "../../src/rulesets/ruleset.ts";
import { AddressSet, type SetOperation } from "../../src/sets/address-set.ts";
import { type Fit, fit, FitError } from "../../src/sets/fit.ts";
import { relating } from "../../src/sets/relate.ts";
import { finished } from "../../src/turns/finished.ts";

const UNITS = 16;
const OF_FAMILY = 8;
const NOW = Date.UTC(2026, 5, 1);
/** Expiries are within this many milliseconds around `NOW`. */
const MOMENTS = 4;

/** What is compared with the oracles; each negative control replaces one member by a wrong one. */
export interface Tools {
  combine(operation: SetOperation, one: AddressSet, other: AddressSet): AddressSet;
  relate(sets: readonly AddressSet[]): ReturnType<typeof relating> extends Generator<undefined, infer R> ? R : never;
  explain(rules: readonly Rule[], now: number): ReturnType<typeof explainRules>;
  fit: typeof fit;
  replay(rules: Ruleset, seen: SeenAddresses, now: number): ReturnType<typeof finishedReplay>;
}

function finishedReplay(...of: Parameters<typeof replaying>) {
  return finished(replaying(...of));
}

const TOOLS: Tools = {
  combine: (operation, one, other) => finished(one.combining(operation, other)),
  relate: (sets) => finished(relating(sets)),
  explain: explainRules,
  fit,
  replay: finishedReplay,
};

/** Named by what is wrong with them. */
export const BROKEN: Readonly<Record<string, Tools>> = {
  "takes a difference the other way round": {
    ...TOOLS,
    combine: (operation, one, other) =>
      operation === "difference" ? TOOLS.combine(operation, other, one) : TOOLS.combine(operation, one, other),
  },
  "counts the shared addresses of the wrong pair": {
    ...TOOLS,
    relate: (sets) => {
      const { pairs, ...rest } = TOOLS.relate(sets);
      return { ...rest, pairs: pairs.map((pair, at) => ({ ...pair, shared: pairs.at(at - 1)!.shared })) };
    },
  },
  "explains by the least specific rule": {
    ...TOOLS,
    explain: (rules, now) => explainRules(rules.toReversed(), now),
  },
  "adds what must never be added": {
    ...TOOLS,
    fit: (set, most, options) => fit(set, most, { ...options, never: AddressSet.EMPTY }),
  },
  "replays rules that have expired": { ...TOOLS, replay: (rules, seen, now) => finishedReplay(rules, seen, now - 9) },
};

/** Cases so far, by tool. */
export type Tally = Record<"algebra" | "relations" | "explanations" | "fits" | "replays", number>;

export function emptyTally(): Tally {
  return { algebra: 0, relations: 0, explanations: 0, fits: 0, replays: 0 };
}

export class DecidingDifferential {
  readonly #tools: Tools;
  readonly #tally: Tally;
  #state: number;

  constructor(seed: number, tally: Tally, tools: Tools = TOOLS) {
    this.#state = seed >>> 0;
    this.#tally = tally;
    this.#tools = tools;
  }

  /** Runs one case of each tool. Throws AssertionError at the first difference. */
  round(): void {
    this.#algebra();
    this.#relations();
    this.#explanation();
    this.#fit();
    this.#replay();
  }

  #algebra(): void {
    const [one, other] = [this.#prefixes(5), this.#prefixes(5)];
    const [a, b] = [maskOf(one), maskOf(other)];
    const expected = { union: a | b, intersection: a & b, difference: a & ~b, symmetricDifference: a ^ b };
    for (const [operation, mask] of Object.entries(expected)) {
      const found = this.#tools.combine(operation as SetOperation, AddressSet.of(one), AddressSet.of(other));
      assertIs(found, mask, `${operation} of ${texts(one)} and ${texts(other)}`);
    }
    this.#tally.algebra++;
  }

  #relations(): void {
    const lists = [this.#prefixes(4), this.#prefixes(4), this.#prefixes(4)];
    const masks = lists.map(maskOf);
    const { sets, pairs } = this.#tools.relate(lists.map((list) => AddressSet.of(list)));
    const about = lists.map(texts).join(" | ");
    for (const [at, mask] of masks.entries()) {
      const others = masks.reduce((all, each, other) => (other === at ? all : all | each), 0);
      assert.deepEqual(sets[at], { size: sizes(mask), only: sizes(mask & ~others) }, about);
    }
    const expected = [
      [0, 1],
      [0, 2],
      [1, 2],
    ].map(([first, second]) => {
      const [a, b] = [masks[first!]!, masks[second!]!];
      return { first, second, relation: relationOf(a, b), shared: sizes(a & b) };
    });
    assert.deepEqual(pairs, expected, about);
    this.#tally.relations++;
  }

  #explanation(): void {
    const ruleset = this.#ruleset();
    const where = this.#prefix();
    const rules = [...ruleset].filter(({ prefix }) => prefixContains(prefix, where));
    const found = this.#tools.explain(ruleset.covering(where), NOW);
    const about = `${formatPrefix(where)} in ${rulesText([...ruleset])}`;
    assert.equal(found.deciding && formatPrefix(found.deciding.prefix), decidingAt(rules, NOW), about);
    const roles = found.covering.map(({ prefix, role }) => `${formatPrefix(prefix)} ${role}`);
    assert.deepEqual(roles, expectedRoles(rules), about);
    const later = Array.from({ length: 2 * MOMENTS }, (_, at) => NOW + at + 1);
    const change = later.find((moment) => decidingAt(rules, moment) !== decidingAt(rules, NOW));
    assert.equal(found.nextChangeAt, change ?? null, about);
    const end =
      decidingAt(rules, NOW) === null ? undefined : later.find((moment) => decidingAt(rules, moment) === null);
    assert.equal(found.coveredUntil, end ?? null, about);
    this.#tally.explanations++;
  }

  #fit(): void {
    const listed = maskOf(this.#prefixes(7));
    const never = maskOf(this.#prefixes(2)) & ~listed;
    const lines = this.#below(2) === 0 ? undefined : units().map(() => this.#below(4));
    const [most, loss] = [1 + this.#below(5), (["none", "add", "remove"] as const)[this.#below(3)]!];
    const expected = { none: exactOnly, add: bestCover, remove: bestRest }[loss](listed, most, { never, lines });
    const about = `${listed.toString(2)} without ${never.toString(2)} to ${most}, ${loss}, ${lines?.join()}`;
    const options = {
      loss,
      never: setOf(never),
      ...(lines && { seen: lines.map((count, at) => [unit(at), count] as const) }),
    };
    const found = attempt(() => this.#tools.fit(setOf(listed), most, options));
    if (found instanceof FitError || expected.cost === undefined) {
      assert.deepEqual(found instanceof FitError && found.fewest, expected.fewest, about);
    } else {
      const [added, removed] = [maskOf([...found.added.prefixes()]), maskOf([...found.removed.prefixes()])];
      assert.ok(found.prefixes.length <= most && (added & (listed | never)) === 0 && (removed & ~listed) === 0, about);
      assertIs(AddressSet.of(found.prefixes), (listed | added) & ~removed, about);
      assert.ok(Math.abs(found.cost - expected.cost) < 1e-6, `${found.cost} instead of ${expected.cost}: ${about}`);
    }
    this.#tally.fits++;
  }

  #replay(): void {
    const [ruleset, other] = [this.#ruleset(), this.#ruleset()];
    const seen = units().flatMap((at) => (this.#below(3) === 0 ? [] : [{ at, lines: 1 + this.#below(9) }]));
    const log = columnsOf(seen);
    const [replay, replayOfOther] = [this.#tools.replay(ruleset, log, NOW), this.#tools.replay(other, log, NOW)];
    const about = `${rulesText([...ruleset])} | ${rulesText([...other])} | ${JSON.stringify(seen)}`;
    const byRule = Object.fromEntries(
      [...replay.byRule].map(([id, hits]) => [formatPrefix(ruleset.prefixAt(id as RuleId)), hits]),
    );
    const [rules, others] = [[...ruleset], [...other]];
    const expected: Record<string, { lines: number; addresses: number }> = {};
    const difference = { onlyFirst: { lines: 0, addresses: 0 }, onlySecond: { lines: 0, addresses: 0 } };
    for (const { at, lines } of seen) {
      const [rule, ofOther] = [decidingRule(rules, unit(at), NOW), decidingRule(others, unit(at), NOW)];
      const hits = rule === null ? undefined : (expected[rule] ??= { lines: 0, addresses: 0 });
      const only = (rule === null) === (ofOther === null) ? undefined : difference[rule ? "onlyFirst" : "onlySecond"];
      for (const sum of [hits, only]) {
        if (sum === undefined) continue;
        sum.lines += lines;
        sum.addresses++;
      }
    }
    assert.deepEqual(byRule, expected, about);
    assert.deepEqual(replayDifference(replay, replayOfOther, log), difference, about);
    this.#tally.replays++;
  }

  #ruleset(): Ruleset {
    const ruleset = new Ruleset({ allowSpecialPurpose: true });
    for (const prefix of this.#prefixes(6)) {
      const expiresAt = NOW - MOMENTS + this.#below(2 * MOMENTS);
      ruleset.add(prefix, this.#below(3) === 0 ? {} : { expiresAt }, NOW - 1000);
    }
    return ruleset;
  }

  #prefixes(most: number): Prefix[] {
    return Array.from({ length: this.#below(most + 1) }, () => this.#prefix());
  }

  #prefix(): Prefix {
    const width = this.#below(4);
    return block((this.#below(UNITS) >> width) << width, width);
  }

  /** A random integer from 0 to count - 1. */
  #below(count: number): number {
    this.#state = (Math.imul(this.#state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((this.#state / 2 ** 32) * count);
  }
}

function units(): number[] {
  return [...Array(UNITS).keys()];
}

/** An IPv4 address or a /64. */
function unit(at: number): Prefix {
  return block(at, 0);
}

/** 2^width units, starting at a multiple of that size. */
function block(from: number, width: number): Prefix {
  if (from < OF_FAMILY) return { family: 4, w0: 0x0a000000 + from, w1: 0, w2: 0, w3: 0, length: 32 - width };
  return { family: 6, w0: 0x20010db8, w1: from - OF_FAMILY, w2: 0, w3: 0, length: 64 - width };
}

function maskOf(prefixes: readonly Prefix[]): number {
  let mask = 0;
  for (const at of units()) if (prefixes.some((prefix) => prefixContains(prefix, unit(at)))) mask |= 1 << at;
  return mask;
}

function setOf(mask: number): AddressSet {
  return AddressSet.of(exactPrefixes(mask));
}

/** The fewest prefixes of a set: the block if it is full, otherwise those of its halves. */
function exactPrefixes(mask: number): Prefix[] {
  const below = (from: number, width: number): Prefix[] => {
    const all = ((1 << (1 << width)) - 1) << from;
    if ((mask & all) === 0) return [];
    if ((mask & all) === all) return [block(from, width)];
    return [...below(from, width - 1), ...below(from + (1 << (width - 1)), width - 1)];
  };
  return [...below(0, 3), ...below(OF_FAMILY, 3)];
}

/** Asserts that a set has these addresses and no others, as the fewest prefixes. */
function assertIs(set: AddressSet, mask: number, about: string): void {
  assert.equal(texts([...set.prefixes()]), texts(exactPrefixes(mask)), about);
  assert.deepEqual({ 4: set.size(4), 6: set.size(6) }, sizes(mask), about);
  for (const at of units()) assert.equal(set.has(unit(at)), ((mask >> at) & 1) === 1, about);
}

function count(mask: number): number {
  return units().filter((at) => ((mask >> at) & 1) === 1).length;
}

function sizes(mask: number): { 4: bigint; 6: bigint } {
  return { 4: BigInt(count(mask & 0xff)), 6: BigInt(count(mask & 0xff00)) << 64n };
}

function relationOf(a: number, b: number): string {
  if (a === b) return "equal";
  if ((a & b) === 0) return "disjoint";
  if ((a & b) === b) return "covers";
  return (a & b) === a ? "within" : "overlaps";
}

function isActiveAt({ expiresAt }: Rule, moment: number): boolean {
  return expiresAt === null || moment < expiresAt;
}

function decidingRule(rules: readonly Rule[], where: Prefix, moment: number): string | null {
  return decidingAt(
    rules.filter(({ prefix }) => prefixContains(prefix, where)),
    moment,
  );
}

/** The longest prefix of the rules that are active. */
function decidingAt(rules: readonly Rule[], moment: number): string | null {
  const active = rules.filter((rule) => isActiveAt(rule, moment)).toSorted((a, b) => b.prefix.length - a.prefix.length);
  return active.length === 0 ? null : formatPrefix(active[0]!.prefix);
}

function expectedRoles(rules: readonly Rule[]): string[] {
  const deciding = decidingAt(rules, NOW);
  return rules
    .toSorted((a, b) => b.prefix.length - a.prefix.length)
    .map((rule) => {
      const text = formatPrefix(rule.prefix);
      return `${text} ${isActiveAt(rule, NOW) ? (text === deciding ? "decides" : "less-specific") : "expired"}`;
    });
}

interface Asked {
  readonly never: number;
  /** For each unit, if costs are counted in lines. */
  readonly lines: readonly number[] | undefined;
}

/** The lowest cost, or undefined if no list is short enough; and the length of the shortest list. */
interface Expected {
  readonly cost?: number;
  readonly fewest: number;
}

function costOf(mask: number, lines: Asked["lines"]): number {
  return units().reduce(
    (sum, at) => sum + (((mask >> at) & 1) === 0 ? 0 : lines === undefined ? 1 : lines[at]! + 2 ** -33),
    0,
  );
}

function exactOnly(listed: number, most: number): Expected {
  const fewest = exactPrefixes(listed).length;
  return fewest <= most ? { cost: 0, fewest } : { fewest };
}

/** Tries every way to cover the addresses. */
function bestCover(listed: number, most: number, { never, lines }: Asked): Expected {
  const covers = (from: number, width: number): { mask: number; count: number }[] => {
    const all = ((1 << (1 << width)) - 1) << from;
    if ((listed & all) === 0) return [{ mask: 0, count: 0 }];
    const whole = (never & all) === 0 ? [{ mask: all, count: 1 }] : [];
    if (width === 0) return whole;
    const half = 1 << (width - 1);
    return [...whole, ...paired(covers(from, width - 1), covers(from + half, width - 1))];
  };
  const possible = paired(covers(0, 3), covers(OF_FAMILY, 3));
  const fewest = Math.min(...possible.map((cover) => cover.count));
  const costs = possible.filter((cover) => cover.count <= most).map(({ mask }) => costOf(mask & ~listed, lines));
  return costs.length === 0 ? { fewest } : { cost: Math.min(...costs), fewest };
}

function paired(ones: { mask: number; count: number }[], others: { mask: number; count: number }[]) {
  return ones.flatMap((a) => others.map((b) => ({ mask: a.mask | b.mask, count: a.count + b.count })));
}

/** Tries every selection of the prefixes. */
function bestRest(listed: number, most: number, { lines }: Asked): Expected {
  const exact = exactPrefixes(listed);
  const choices = [...Array(1 << exact.length).keys()].map((bits) => exact.filter((_, at) => (bits >> at) & 1));
  const costs = choices.filter((kept) => kept.length <= most).map((kept) => costOf(listed & ~maskOf(kept), lines));
  return { cost: Math.min(...costs), fewest: 0 };
}

function attempt(work: () => Fit): Fit | FitError {
  try {
    return work();
  } catch (error) {
    if (error instanceof FitError) return error;
    throw error;
  }
}

function columnsOf(seen: readonly { at: number; lines: number }[]): SeenAddresses {
  const [four, six] = [seen.filter(({ at }) => at < OF_FAMILY), seen.filter(({ at }) => at >= OF_FAMILY)];
  const words = ({ w0, w1, w2, w3 }: Address): number[] => [w0, w1, w2, w3];
  return {
    words4: new Uint32Array(four.map(({ at }) => unit(at).w0)),
    counts4: new Float64Array(four.map(({ lines }) => lines)),
    words6: new Uint32Array(six.flatMap(({ at }) => words(unit(at)))),
    counts6: new Float64Array(six.map(({ lines }) => lines)),
  };
}

function texts(prefixes: readonly Prefix[]): string {
  return prefixes.toSorted(comparePrefixes).map(formatPrefix).join(" ");
}

function rulesText(rules: readonly Rule[]): string {
  return rules.map(({ prefix, expiresAt }) => `${formatPrefix(prefix)}@${expiresAt ?? ""}`).join(" ");
}
