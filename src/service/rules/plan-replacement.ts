import { comparePrefixes } from "../../address/prefix.ts";
import type { DesiredRule } from "../../rulesets/plan-replacement.ts";
import type { Rule } from "../../rulesets/rule.ts";
import { type RuleColumns, desiredIn } from "../../rulesets/rule-columns.ts";
import { updateRule } from "../../rulesets/write-rule.ts";
import { keptLength, MAX_KEPT } from "../../store/kept-length.ts";
import type { LiveRuleset } from "../store/service-memory.ts";
import { atOneVersion } from "./at-one-version.ts";

/** Maximum rules listed of each kind; the counts include all. */
export const MAX_LISTED = 1000;

/** What a replacement would do. */
export interface CountedPlan {
  readonly counts: {
    readonly added: number;
    readonly updated: number;
    readonly removed: number;
    readonly unchanged: number;
  };
  /** The first of each kind, in the order of prefixes. */
  readonly added: readonly Rule[];
  readonly updated: readonly { readonly before: Rule; readonly after: Rule }[];
  readonly removed: readonly Rule[];
  /** Whether there are more than are listed. */
  readonly truncated: boolean;
  /** Whether the rules that it touches are kept, so that it can be undone. */
  readonly canUndo: boolean;
}

/**
 * What has to change so that the ruleset holds exactly the desired rules, as `planReplacement` computes it, in slices.
 * Undefined if the ruleset is gone.
 */
export function planCounted(
  current: () => LiveRuleset | undefined,
  desired: readonly RuleColumns[],
  now: number,
): Promise<{ readonly ruleset: LiveRuleset; readonly result: CountedPlan } | undefined> {
  return atOneVersion(current, ({ rules }) => planning(rules.rules(), desired, now));
}

/** The same, for rules in the order of prefixes; in interruptible steps. */
export function* planning(
  current: Iterable<Rule>,
  desired: readonly RuleColumns[],
  now: number,
): Generator<undefined, CountedPlan, undefined> {
  const plan = new GrowingPlan(now);
  const rest = eachOf(desired);
  let next = rest.next();
  for (const before of current) {
    while (!next.done && comparePrefixes(next.value.prefix, before.prefix) < 0) {
      if (plan.add(next.value)) yield;
      next = rest.next();
    }
    if (next.done || comparePrefixes(next.value.prefix, before.prefix) > 0) {
      if (plan.remove(before)) yield;
      continue;
    }
    if (plan.keep(before, next.value)) yield;
    next = rest.next();
  }
  for (; !next.done; next = rest.next()) if (plan.add(next.value)) yield;
  return plan.done();
}

function* eachOf(parts: readonly RuleColumns[]): Generator<DesiredRule, undefined> {
  for (const part of parts) yield* desiredIn(part);
}

/** Rules processed before the clock is checked again. */
const STEP = 512;

/** Each method returns whether it is time to let others run. */
class GrowingPlan {
  readonly #now: number;
  readonly #counts = { added: 0, updated: 0, removed: 0, unchanged: 0 };
  readonly #listed = { added: [] as Rule[], updated: [] as { before: Rule; after: Rule }[], removed: [] as Rule[] };
  #steps = 0;
  #kept = 0;

  constructor(now: number) {
    this.#now = now;
  }

  add({ prefix, name, expiresAt }: DesiredRule): boolean {
    this.#kept += keptLength({ prefix, name, expiresAt });
    if (this.#counts.added++ < MAX_LISTED)
      this.#listed.added.push({ prefix, name, expiresAt, createdAt: this.#now, updatedAt: this.#now });
    return this.#step();
  }

  remove(rule: Rule): boolean {
    this.#kept += keptLength(rule);
    if (this.#counts.removed++ < MAX_LISTED) this.#listed.removed.push(rule);
    return this.#step();
  }

  keep(before: Rule, { name, expiresAt }: DesiredRule): boolean {
    const after = updateRule(before, { name, expiresAt }, this.#now);
    if (after !== before) this.#kept += keptLength(before) + keptLength(after);
    if (after === before) this.#counts.unchanged++;
    else if (this.#counts.updated++ < MAX_LISTED) this.#listed.updated.push({ before, after });
    return this.#step();
  }

  done(): CountedPlan {
    const { added, updated, removed } = this.#counts;
    return {
      counts: this.#counts,
      ...this.#listed,
      truncated: Math.max(added, updated, removed) > MAX_LISTED,
      canUndo: this.#kept <= MAX_KEPT,
    };
  }

  #step(): boolean {
    return ++this.#steps % STEP === 0;
  }
}
