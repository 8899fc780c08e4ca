import { addressBits, type Family, type Prefix } from "../address/address.ts";
import { prefixContains } from "../address/prefix.ts";
import type { RuleIndex } from "../rulesets/rule-index.ts";
import { isActive } from "../rulesets/rule.ts";
import { AddressSet, AddressSetBuilder } from "../sets/address-set.ts";
import type { PrefixList } from "./protected.ts";

/** Looking up a prefix among rules takes as long as reading this many of them in order. */
const LOOKUP_COST = 16;
const RULES_AT_ONCE = 256;
/** Shorter prefixes than these take a large part of the address space. */
const WIDE: Readonly<Record<Family, number>> = { 4: 8, 6: 19 };

/**
 * The addresses of prefixes that active rules cover. O(prefixes + rules inside them), and never more than O(rules), so
 * one new rule costs microseconds however many rules there are.
 */
export function* coveredByRules(
  prefixes: PrefixList,
  set: AddressSet,
  rules: RuleIndex,
  now: number,
): Generator<undefined, AddressSet, undefined> {
  if (rules.count === 0) return AddressSet.EMPTY;
  if (prefixes.length * LOOKUP_COST < rules.count && !isOneWide(prefixes))
    return yield* AddressSet.collecting(rulesOnPrefixes(prefixes, rules, now));
  return yield* set.combining("intersection", yield* activeAddresses(rules, now));
}

/** Whether it is one prefix with so many rules inside that reading the columns of all takes less time. */
function isOneWide(prefixes: PrefixList): boolean {
  const [only] = prefixes.length === 1 ? prefixes : [];
  return only !== undefined && only.length < WIDE[only.family];
}

function* activeAddresses(rules: RuleIndex, now: number): Generator<undefined, AddressSet, undefined> {
  const builder = new AddressSetBuilder();
  yield* rules.visitingActive(now, {
    4: (length, first) => builder.addIpv4(first, length),
    6: (length, w0, w1, w2, w3) => builder.add({ family: 6, w0, w1, w2, w3, length }),
  });
  return yield* builder.finishing();
}

/** Each prefix if a rule covers it, else the rules inside it. */
function* rulesOnPrefixes(prefixes: PrefixList, rules: RuleIndex, now: number): Generator<Prefix | undefined> {
  let count = 0;
  for (const prefix of prefixes) {
    if (++count % RULES_AT_ONCE === 0) yield undefined;
    if (rules.decide(prefix, now) !== 0) yield prefix;
    else if (prefix.length < addressBits(prefix.family)) yield* rulesInside(prefix, rules, now);
  }
}

function* rulesInside(prefix: Prefix, rules: RuleIndex, now: number): Generator<Prefix | undefined> {
  for (const rule of rules.rules(prefix)) {
    if (!prefixContains(prefix, rule.prefix)) return;
    yield isActive(rule, now) ? rule.prefix : undefined;
  }
}
