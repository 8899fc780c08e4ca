import type { Prefix } from "../address/address.ts";
import { desiredIn, type RuleColumns } from "../rulesets/rule-columns.ts";
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
 * long as it was.
 */
export function* carvingRules(
  rules: readonly RuleColumns[],
  hits: readonly Hit[],
): Generator<undefined, readonly ListedColumns[], undefined> {
  const carve = yield* makingCarver(hits);
  const list = new RuleList();
  const cut: (readonly [parts: Iterable<Prefix>, name: string | null, expiresAt: number | null])[] = [];
  let line = 0;
  let seen = 0;
  for (const part of rules)
    for (const rule of desiredIn(part)) {
      const rest = carve(rule.prefix);
      if (rest === undefined) list.add(rule, line++);
      else cut.push([rest, rule.name, rule.expiresAt]);
      if (++seen % RULES_AT_ONCE === 0) yield;
    }
  for (const [parts, name, expiresAt] of cut) {
    for (const prefix of parts) {
      list.add({ prefix, name, expiresAt }, line++);
      if (line % RULES_AT_ONCE === 0) yield;
    }
    yield;
  }
  return yield* list.inOrder(() => {}, "longest");
}
