import type { Family } from "../address/address.ts";
import { bestIndexes } from "../sets/best-indexes.ts";
import { isActive, type Rule } from "./rule.ts";
import type { RuleId } from "./rule-id.ts";
import type { RuleIndex } from "./index/rule-index.ts";
import type { Ruleset } from "./ruleset.ts";

/** Addresses of a log and how many lines each has: IPv4 addresses of one word, IPv6 addresses of four, each once. */
export interface SeenAddresses {
  readonly words4: Uint32Array;
  readonly counts4: Float64Array;
  readonly words6: Uint32Array;
  readonly counts6: Float64Array;
}

/** The lines and addresses that a rule, or a list, would have hit. */
export interface Hits {
  readonly lines: number;
  readonly addresses: number;
}

/** The decisions of the rules of a list about the addresses of a log. */
export interface Replay extends Hits {
  readonly byRule: RuleHits;
  /** The deciding rule of each address, in the order of `SeenAddresses`; 0 for none. */
  readonly decisions: Readonly<Record<Family, Uint32Array>>;
}

/** Addresses that are decided at a time: a millisecond or two. */
const STEP = 4096;

/**
 * The hits of each rule that was hit: the IPv4 rules in the order of ids, then the IPv6 rules. An id is an index into
 * arrays, because a map of half a million rules takes a second to fill and sort. Ids of one family are even, of the
 * other odd, so that lines and addresses stand side by side, in one line of the cache:
 *
 *     even ids    lines of 2   addresses of 2   lines of 4   addresses of 4 ...
 *     odd ids     lines of 3   addresses of 3   lines of 5   addresses of 5 ...
 */
export class RuleHits implements Iterable<[RuleId, Hits]> {
  /** How many rules were hit. */
  size = 0;
  readonly #hits: [even: Float64Array, odd: Float64Array];
  /** For even and odd ids, the end of the ids that were hit. */
  readonly #ends: [even: number, odd: number] = [0, 0];

  /** With room for ids below this; larger ones make it grow. */
  constructor(end = STEP) {
    this.#hits = [new Float64Array(end + (end & 1)), new Float64Array(end + (end & 1))];
  }

  /** Counts an address with its lines as a hit of the rule. */
  add(id: RuleId, lines: number): void {
    const parity = (id & 1) as 0 | 1;
    if (id >= this.#ends[parity]) this.#reach(id, parity);
    const hits = this.#hits[parity];
    if (hits[id | 1] === 0) this.size++;
    hits[id & ~1]! += lines;
    hits[id | 1]!++;
  }

  /** Undefined for a rule that was not hit. */
  get(id: RuleId): Hits | undefined {
    const hits = this.#hits[id & 1]!;
    const addresses = hits[id | 1] ?? 0;
    return addresses === 0 ? undefined : { lines: hits[id & ~1]!, addresses };
  }

  /** The rules that decided about any address, with their hits. */
  *[Symbol.iterator](): Generator<[RuleId, Hits]> {
    for (const parity of [0, 1] as const)
      for (let id = parity as RuleId; id < this.#ends[parity]; id = (id + 2) as RuleId) {
        const hits = this.get(id);
        if (hits !== undefined) yield [id, hits];
      }
  }

  /** The ids of the rules with the most lines, then the most addresses. O(ids) */
  most(most: number): RuleId[] {
    const best = ([0, 1] as const).flatMap((parity) => this.#mostOf(parity, most));
    const hits = new Map(best.map((id) => [id, this.get(id)!]));
    const order = (a: RuleId, b: RuleId): number => {
      const [one, other] = [hits.get(a)!, hits.get(b)!];
      return other.lines - one.lines || other.addresses - one.addresses || a - b;
    };
    return best.sort(order).slice(0, most);
  }

  #mostOf(parity: 0 | 1, most: number): RuleId[] {
    const hits = this.#hits[parity];
    const best = bestIndexes(
      (this.#ends[parity] + 1) >> 1,
      most,
      (pair) => hits[2 * pair + 1]! > 0,
      (a, b) => hits[2 * b]! - hits[2 * a]! || hits[2 * b + 1]! - hits[2 * a + 1]! || a - b,
    );
    return best.map((pair) => (2 * pair + parity) as RuleId);
  }

  #reach(id: number, parity: 0 | 1): void {
    this.#ends[parity] = id + 1;
    const hits = this.#hits[parity];
    if ((id | 1) < hits.length) return;
    this.#hits[parity] = new Float64Array(Math.max(2 * hits.length, (id | 1) + 1));
    this.#hits[parity].set(hits);
  }
}

/** Which rule would have decided about each address of a log at `now`. O(addresses). Can be interrupted. */
export function* replaying(
  ruleset: Pick<Ruleset, "decideWordsInto" | "count">,
  seen: SeenAddresses,
  now: number,
): Generator<undefined, Replay, undefined> {
  const byRule = new RuleHits(2 * (ruleset.count + 1)); // ids are twice what the slots are
  const decisions = { 4: new Uint32Array(seen.counts4.length), 6: new Uint32Array(seen.counts6.length) };
  const total = { lines: 0, addresses: 0 };
  for (const family of [4, 6] as const) {
    const [words, counts] = family === 4 ? [seen.words4, seen.counts4] : [seen.words6, seen.counts6];
    const width = family === 4 ? 1 : 4;
    for (let from = 0; from < counts.length; from += STEP) {
      const count = Math.min(STEP, counts.length - from);
      const decided = decisions[family].subarray(from, from + count);
      ruleset.decideWordsInto(family, words.subarray(from * width), decided, now, count);
      for (let at = 0; at < count; at++) {
        if (decided[at] === 0) continue;
        const lines = counts[from + at]!;
        add(total, lines);
        byRule.add(decided[at] as RuleId, lines);
      }
      yield;
    }
  }
  return { ...total, byRule, decisions };
}

function add(hits: { lines: number; addresses: number }, lines: number): void {
  hits.lines += lines;
  hits.addresses++;
}

/** Rules examined between two interruptions. */
const EXAMINED_AT_ONCE = 256;

/** The first active rules that hit nothing, in order. O(rules that hit something + most). Can be interrupted. */
export function* unusedRules(
  rules: Pick<RuleIndex, "rules" | "decide" | "activeCount">,
  { byRule }: Pick<Replay, "byRule">,
  now: number,
  most: number,
): Generator<undefined, Rule[], undefined> {
  const end = Math.min(most, rules.activeCount(now) - byRule.size);
  const unused: Rule[] = [];
  let count = 0;
  for (const rule of rules.rules()) {
    if (unused.length === end) break;
    // An active rule decides about its own prefix as a whole: none that covers all of it is more specific.
    if (isActive(rule, now) && byRule.get(rules.decide(rule.prefix, now)) === undefined) unused.push(rule);
    if (++count % EXAMINED_AT_ONCE === 0) yield;
  }
  return unused;
}

/** An address of a log, by its family and its index in `SeenAddresses`. */
export interface SeenAt {
  readonly family: Family;
  readonly at: number;
}

/**
 * The addresses with the most lines, of those that a rule decides about; equal ones in the order of addresses.
 * O(addresses)
 */
export function topHits({ decisions }: Replay, seen: SeenAddresses, most: number): SeenAt[] {
  const { length } = seen.counts4;
  const linesOf = (index: number): number => (index < length ? seen.counts4[index]! : seen.counts6[index - length]!);
  const isHit = (index: number): boolean => (index < length ? decisions[4][index] : decisions[6][index - length]) !== 0;
  const order = (a: number, b: number): number => linesOf(b) - linesOf(a) || compareSeen(seen, a, b);
  return bestIndexes(length + seen.counts6.length, most, isHit, order).map((index) =>
    index < length ? { family: 4, at: index } : { family: 6, at: index - length },
  );
}

/** The order of two addresses: IPv4 first. */
function compareSeen({ words4, counts4, words6 }: SeenAddresses, a: number, b: number): number {
  const { length } = counts4;
  if (a < length || b < length) return a < length && b < length ? words4[a]! - words4[b]! : a - b;
  for (let word = 0; word < 4; word++) {
    const difference = words6[4 * (a - length) + word]! - words6[4 * (b - length) + word]!;
    if (difference !== 0) return difference;
  }
  return 0;
}

/** The hits that only one of two lists would have had. */
export interface ReplayDifference {
  readonly onlyFirst: Hits;
  readonly onlySecond: Hits;
}

/** How two replays of the same addresses differ. O(addresses) */
export function replayDifference(first: Replay, second: Replay, seen: SeenAddresses): ReplayDifference {
  const [onlyFirst, onlySecond] = [
    { lines: 0, addresses: 0 },
    { lines: 0, addresses: 0 },
  ];
  for (const family of [4, 6] as const) {
    const counts = family === 4 ? seen.counts4 : seen.counts6;
    const [ones, others] = [first.decisions[family], second.decisions[family]];
    for (let at = 0; at < counts.length; at++)
      if ((ones[at] === 0) !== (others[at] === 0)) add(ones[at] === 0 ? onlySecond : onlyFirst, counts[at]!);
  }
  return { onlyFirst, onlySecond };
}
