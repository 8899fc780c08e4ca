import type { Prefix } from "../address/address.ts";
import { comparePrefixes, formatPrefix } from "../address/prefix.ts";
import type { Rule } from "./rule.ts";
import { updateRule } from "./write-rule.ts";

/** A desired rule, without the times that the ruleset keeps. */
export interface DesiredRule {
  readonly prefix: Prefix;
  readonly name: string | null;
  readonly expiresAt: number | null;
}

/** The difference between two lists of rules. All parts are in the order of prefixes. */
export interface ReplacementPlan {
  readonly added: readonly Rule[];
  readonly updated: readonly { readonly before: Rule; readonly after: Rule }[];
  readonly removed: readonly Rule[];
  /** How many rules stay as they are. */
  readonly unchanged: number;
}

/**
 * What has to change so that a ruleset holds exactly the desired rules. A rule that stays keeps its creation time, and its
 * time of update too unless its name or expiry changes. `current` is in the order of prefixes, as `RuleIndex.rules`
 * returns it; `desired` in any order. O(n + m log m). @throws RangeError for a repeated prefix
 */
export function planReplacement(current: Iterable<Rule>, desired: Iterable<DesiredRule>, now: number): ReplacementPlan {
  const plan = {
    added: [] as Rule[],
    updated: [] as { before: Rule; after: Rule }[],
    removed: [] as Rule[],
    unchanged: 0,
  };
  // A merge of two lists in the order of prefixes: each step takes the smaller of the two, or both if they are equal.
  // Invariant: everything before `before` and before `next` is in the plan.
  //     current   a   c   d            desired   b   c   e
  //     plan      removed a, added b, c unchanged or updated, removed d, added e
  const rest = inOrder(desired).values();
  let next = rest.next();
  for (const before of current) {
    while (!next.done && comparePrefixes(next.value.prefix, before.prefix) < 0) {
      plan.added.push(created(next.value, now));
      next = rest.next();
    }
    if (next.done || comparePrefixes(next.value.prefix, before.prefix) > 0) {
      plan.removed.push(before);
      continue;
    }
    const after = updateRule(before, next.value, now);
    if (after === before) plan.unchanged++;
    else plan.updated.push({ before, after });
    next = rest.next();
  }
  for (; !next.done; next = rest.next()) plan.added.push(created(next.value, now));
  return plan;
}

function inOrder(desired: Iterable<DesiredRule>): DesiredRule[] {
  const rules = [...desired].sort((a, b) => comparePrefixes(a.prefix, b.prefix));
  const again = rules.find(({ prefix }, at) => at > 0 && comparePrefixes(rules[at - 1]!.prefix, prefix) === 0);
  if (again === undefined) return rules;
  throw new RangeError(`Duplicate prefix ${formatPrefix(again.prefix)}: a prefix has one rule; remove one of them`);
}

function created({ prefix, name, expiresAt }: DesiredRule, now: number): Rule {
  return { prefix, name, expiresAt, createdAt: now, updatedAt: now };
}
