import type { Prefix } from "../address/address.ts";

/** One rule of a ruleset, identified by its prefix. Times are integers: milliseconds since 1970 UTC. */
export interface Rule {
  readonly prefix: Prefix;
  readonly name: string | null;
  /**
   * The first millisecond at which the rule is no longer active; null: it is permanent, which is the longest expiry.
   */
  readonly expiresAt: number | null;
  readonly createdAt: number;
  readonly updatedAt: number;
}

/** Whether the rule counts at `now`. An expired rule still exists. */
export function isActive(rule: Rule, now: number): boolean {
  return rule.expiresAt === null || now < rule.expiresAt;
}

/** The later of two expiries; permanent is later than any time. */
export function longerExpiry(a: number | null, b: number | null): number | null {
  return a === null || b === null ? null : Math.max(a, b);
}

/** The rules that are active at `now`. */
export function* activeRules(rules: Iterable<Rule>, now: number): Generator<Rule> {
  for (const rule of rules) if (isActive(rule, now)) yield rule;
}
