import type { Prefix } from "../../address/address.ts";
import type { Rule } from "../../rulesets/rule.ts";
import { type Gathered, gathering } from "../gathered.ts";

/**
 * The rules that are active at `now`. O(rules), in steps of some milliseconds, between which they must not change.
 */
export function* gatheringRules(
  name: string,
  rules: Iterable<Rule>,
  now: number,
): Generator<undefined, Gathered, undefined> {
  const next = { expiry: Number.POSITIVE_INFINITY };
  const gathered = yield* gathering(name, activePrefixes(rules, now, next), Number.POSITIVE_INFINITY);
  return { ...gathered, until: next.expiry };
}

function* activePrefixes(rules: Iterable<Rule>, now: number, next: { expiry: number }): Generator<Prefix | undefined> {
  for (const { prefix, expiresAt } of rules) {
    const isActive = expiresAt === null || now < expiresAt;
    if (isActive && expiresAt !== null) next.expiry = Math.min(next.expiry, expiresAt);
    yield isActive ? prefix : undefined;
  }
}
