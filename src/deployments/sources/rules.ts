import type { RuleIndex } from "../../rulesets/index/rule-index.ts";
import { AddressSetBuilder } from "../../sets/address-set.ts";
import { AddressTimes, type EndingPrefix } from "../../sets/address-times.ts";
import type { Capability } from "../../sets/capability.ts";
import { type Gathered, PrefixTally, endSecondOf } from "../gathered.ts";

/**
 * The rules that are active at `now`; with times, an address ends with the last rule that covers it. O(rules), in steps
 * of a millisecond or so, between which they must not change.
 */
export function* gatheringRules(
  name: string,
  rules: RuleIndex,
  now: number,
  isTimed = false,
  expresses?: Capability,
): Generator<undefined, Gathered, undefined> {
  const builder = new AddressSetBuilder();
  const prefixes = new PrefixTally(expresses);
  const until = yield* rules.visitingActive(now, {
    4: (length, first) => {
      builder.addIpv4(first, length);
      prefixes.addIpv4(first, length);
    },
    6: (length, w0, w1, w2, w3) => {
      const prefix = { family: 6, w0, w1, w2, w3, length } as const;
      builder.add(prefix);
      prefixes.add(prefix);
    },
  });
  const gathered = { name, addresses: yield* builder.finishing(), prefixes, until, ...(yield* prefixes.finishing()) };
  if (!isTimed || until === Infinity) return gathered;
  return { ...gathered, times: yield* AddressTimes.collecting(endsOf(rules, now), "latest") };
}

function* endsOf(rules: RuleIndex, now: number): Generator<EndingPrefix | undefined> {
  for (const { prefix, expiresAt } of rules.rules()) {
    if (expiresAt === null) yield { prefix, end: Infinity };
    else yield now < expiresAt ? { prefix, end: endSecondOf(expiresAt) } : undefined;
  }
}
