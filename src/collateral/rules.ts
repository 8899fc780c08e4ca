import { addressBits, type Prefix } from "../address/address.ts";
import { prefixContains } from "../address/prefix.ts";
import type { RuleIndex } from "../rulesets/index/rule-index.ts";
import { isActive } from "../rulesets/rule.ts";
import { AddressSet } from "../sets/address-set.ts";
import { activeAddresses, knownAddresses } from "./active-addresses.ts";
import type { PrefixList } from "./protected.ts";

/** Looking up a prefix among rules takes as long as reading this many of them in order. */
const LOOKUP_COST = 16;

/** Prefixes, and what is known about them. */
export interface CheckedPrefixes {
  readonly prefixes: PrefixList;
  /** Their addresses. */
  readonly set: AddressSet;
  /** Whether one of them takes a large part of the address space, and so may have most of the rules inside it. */
  readonly isWide: boolean;
}

/**
 * The addresses of prefixes that active rules cover. O(prefixes + rules inside them), and never more than O(rules), so
 * one new rule costs microseconds however many rules there are. If one is wide, or they are many, the addresses of all
 * active rules are kept until the next write or expiry: then one prefix is O(log rules).
 */
export function* coveredByRules(
  checked: CheckedPrefixes,
  rules: RuleIndex,
  now: number,
): Generator<undefined, AddressSet, undefined> {
  if (rules.count === 0) return AddressSet.EMPTY;
  const { prefixes, set, isWide } = checked;
  const isFew = prefixes.length * LOOKUP_COST < rules.count && !isWide;
  const [only] = prefixes.length === 1 ? prefixes : [];
  if (only !== undefined) {
    const all = isFew ? knownAddresses(rules, now) : yield* activeAddresses(rules, now);
    if (all !== undefined) return all.within(only);
  }
  if (isFew) return yield* AddressSet.collecting(rulesOnPrefixes(prefixes, rules, now));
  return yield* set.combining("intersection", yield* activeAddresses(rules, now));
}

/** Each prefix if a rule covers it, else the rules inside it; undefined where there is none, so that pauses count it. */
function* rulesOnPrefixes(prefixes: PrefixList, rules: RuleIndex, now: number): Generator<Prefix | undefined> {
  for (const prefix of prefixes) {
    const isCovered = rules.decide(prefix, now) !== 0;
    yield isCovered ? prefix : undefined;
    if (!isCovered && prefix.length < addressBits(prefix.family)) yield* rulesInside(prefix, rules, now);
  }
}

function* rulesInside(prefix: Prefix, rules: RuleIndex, now: number): Generator<Prefix | undefined> {
  for (const rule of rules.rules(prefix)) {
    if (!prefixContains(prefix, rule.prefix)) return;
    yield isActive(rule, now) ? rule.prefix : undefined;
  }
}
