import type { Address, Prefix } from "../address/address.ts";
import { isActive, type Rule } from "./rule.ts";
import type { Purpose, Ruleset } from "./ruleset.ts";

/** Why a rule that covers an address does or does not decide about it. */
export type RuleRole = "decides" | "less-specific" | "expired";

/** A rule that covers an address, with its part in the decision. */
export interface ExplainedRule extends Rule {
  readonly role: RuleRole;
}

/** The decision of a ruleset about an address, and how long it holds. Times are milliseconds since 1970. */
export interface Explanation {
  /** The rule that decides; null if no active rule covers the address. */
  readonly deciding: Rule | null;
  /** Every rule that covers it, the most specific first. */
  readonly covering: readonly ExplainedRule[];
  /** The earliest moment at which another rule decides, or none, if nothing is written until then; null: never. */
  readonly nextChangeAt: number | null;
  /**
   * The moment from which none of the current rules covers it; null if none covers it now, or one covers it
   * permanently.
   */
  readonly coveredUntil: number | null;
}

/**
 * Every rule of a ruleset that covers an address or all of a prefix, and the role of each in the decision at `now`.
 * O(rules that cover it). @throws AddressError for malformed text
 */
export function explain(
  ruleset: Pick<Ruleset, "covering">,
  where: string | Address | Prefix,
  now: number,
): Explanation {
  return explainRules(ruleset.covering(where), now);
}

/**
 * The earliest moment at which another rule decides about an address, or none, of several rulesets together; null:
 * never. While an allowlist decides, it changes nothing when rules of blocklists expire.
 */
export function nextChangeOf(
  all: readonly (Pick<Explanation, "nextChangeAt"> & { readonly purpose: Purpose; readonly decides: boolean })[],
): number | null {
  const deciding = all.filter(({ decides }) => decides);
  const allowing = deciding.filter(({ purpose }) => purpose === "allowlist");
  const ends = (allowing.length > 0 ? allowing : deciding).map(({ nextChangeAt }) => nextChangeAt ?? Infinity);
  const next = Math.min(Infinity, ...ends);
  return next === Infinity ? null : next;
}

/** As `explain`, of the rules of one ruleset that cover an address, the most specific first. */
export function explainRules(rules: readonly Rule[], now: number): Explanation {
  const active = rules.filter((rule) => isActive(rule, now));
  const deciding = active[0] ?? null;
  const role = (rule: Rule): RuleRole =>
    !isActive(rule, now) ? "expired" : rule === deciding ? "decides" : "less-specific";
  const ends = active.map(({ expiresAt }) => expiresAt ?? Infinity);
  const last = Math.max(...ends);
  return {
    deciding,
    covering: rules.map((rule) => ({ ...rule, role: role(rule) })),
    // No less specific rule decides before this one has expired, whatever happens to them.
    nextChangeAt: deciding?.expiresAt ?? null,
    coveredUntil: active.length > 0 && last < Infinity ? last : null,
  };
}
