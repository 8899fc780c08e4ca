import type { RuleIndex } from "../../rulesets/rule-index.ts";
import { AddressSetBuilder } from "../../sets/address-set.ts";
import { type Gathered, PrefixTally } from "../gathered.ts";

/**
 * The rules that are active at `now`. O(rules), in steps of a millisecond or so, between which they must not change.
 */
export function* gatheringRules(
  name: string,
  rules: RuleIndex,
  now: number,
): Generator<undefined, Gathered, undefined> {
  const builder = new AddressSetBuilder();
  const prefixes = new PrefixTally();
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
  return { name, addresses: yield* builder.finishing(), prefixes, until };
}
