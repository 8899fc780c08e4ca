import type { Prefix } from "../address/address.ts";
import { type CarvedColumns, desiredIn, type RuleColumns } from "../rulesets/rule-columns.ts";
import { type ListedColumns, RuleList } from "../rulesets/rule-list.ts";
import { AddressSet } from "../sets/address-set.ts";
import type { Hit } from "./find-collateral.ts";
import { isFor, NETWORKS } from "./protected.ts";

const RULES_AT_ONCE = 256;

/** Says what is left of a prefix, as the fewest prefixes; undefined if it hits nothing. */
export type Carve = (prefix: Prefix) => Iterable<Prefix> | undefined;

/** Makes what carves prefixes with these hits. O(ranges of the hits); each carve, O(ranges in its prefix). */
export function* makingCarver(hits: readonly Hit[]): Generator<undefined, Carve, undefined> {
  const addressesOf = (some: readonly Hit[]): AddressSet[] => some.map(({ addresses }) => addresses);
  const everywhere = yield* AddressSet.uniting(addressesOf(hits));
  const always = yield* AddressSet.uniting(addressesOf(hits.filter(({ longest }) => longest !== NETWORKS)));
  return (prefix) => {
    const hit = (isFor({ longest: NETWORKS }, prefix) ? everywhere : always).within(prefix);
    return hit.isEmpty ? undefined : AddressSet.of([prefix]).difference(hit).prefixes();
  };
}

/**
 * Rules without the addresses that they hit. A rule that is cut keeps its name and expiry in each of its parts; of a part
 * and a rule with the same prefix, the one that expires later stays, so that each address that is left is covered for as
 * long as it was. The result says which rules are such parts, for an import into rules that exist.
 */
export function* carvingRules(
  rules: readonly RuleColumns[],
  hits: readonly Hit[],
): Generator<undefined, readonly (ListedColumns & CarvedColumns)[], undefined> {
  const carve = yield* makingCarver(hits);
  const list = new RuleList();
  const cut: (readonly [parts: Iterable<Prefix>, name: string | null, expiresAt: number | null])[] = [];
  const times = new ExpiryTimes();
  let seen = 0;
  for (const part of rules)
    for (const rule of desiredIn(part)) {
      const rest = carve(rule.prefix);
      if (rest === undefined) list.add(rule, times.add(rule.expiresAt));
      else cut.push([rest, rule.name, rule.expiresAt]);
      if (++seen % RULES_AT_ONCE === 0) yield;
    }
  times.namedEnd = list.count;
  for (const [parts, name, expiresAt] of cut) {
    for (const prefix of parts) {
      list.add({ prefix, name, expiresAt }, times.add(expiresAt));
      if (list.count % RULES_AT_ONCE === 0) yield;
    }
    yield;
  }
  const columns = yield* list.inOrder((_, line, earlier) => times.unite(line, earlier), "longest");
  return columns.map((part) => ({ ...part, carved: times.of(part.lines) }));
}

/** Until when rules that a list names, and parts of those that were cut, cover a prefix: `NaN` where there is none. */
type Times = readonly [named: number, part: number];

/** When the rules of a list expire, by line: first those that it names, then the parts of others. */
class ExpiryTimes {
  readonly #times: number[] = [];
  /** Of lines whose prefix is repeated. */
  readonly #united = new Map<number, Times>();
  namedEnd = 0;

  /** The line of the added rule. */
  add(expiresAt: number | null): number {
    return this.#times.push(expiresAt ?? Number.POSITIVE_INFINITY) - 1;
  }

  /** The two lines have the same prefix, and either may stay. */
  unite(line: number, other: number): void {
    const [a, b] = [this.#timesOf(line), this.#timesOf(other)];
    const later: Times = [laterOf(a[0], b[0]), laterOf(a[1], b[1])];
    this.#united.set(line, later).set(other, later);
  }

  of(lines: Uint32Array): NonNullable<CarvedColumns["carved"]> {
    const [named, part] = [new Float64Array(lines.length), new Float64Array(lines.length)];
    for (const [at, line] of lines.entries()) [named[at], part[at]] = this.#timesOf(line);
    return { named, part };
  }

  #timesOf(line: number): Times {
    const united = this.#united.get(line);
    if (united !== undefined) return united;
    const time = this.#times[line]!;
    return line < this.namedEnd ? [time, Number.NaN] : [Number.NaN, time];
  }
}

function laterOf(a: number, b: number): number {
  if (Number.isNaN(a)) return b;
  return Number.isNaN(b) ? a : Math.max(a, b);
}
