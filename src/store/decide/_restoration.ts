import type { RuleColumns } from "../../rulesets/rule-columns.ts";
import type { Rule } from "../../rulesets/rule.ts";
import { prefixOfKey } from "../_prefix-key.ts";
import { type KeptRows, ruleOfValues, type RuleValues } from "../_rule-values.ts";
import type { ChangedRules } from "../records/audit.ts";
import { StoreError } from "../store-error.ts";
import type { Recorded } from "./_decision.ts";
import { tooManyRules } from "./_rule-limits.ts";
import { inverseOf, type RulesSummary } from "./_rules-summary.ts";

/** The effect of undoing a change: how many rules it touches, and by how many the ruleset grows. */
export interface Restoration {
  readonly touched: number;
  readonly more: number;
}

/**
 * Undoes what change number `sequence` did to a ruleset that has `count` of at most `max` rules. Throws StoreError
 * (`rules-changed`, `too-many-rules`).
 */
export function decideRestoration(
  { added, changed, deleted }: Pick<ChangedRules, "added" | "changed" | "deleted">,
  ruleset: { readonly isAsLeft: boolean; readonly count: number; readonly max: number; readonly sequence: number },
): Restoration {
  const { isAsLeft, count, max, sequence } = ruleset;
  if (!isAsLeft) throw new StoreError("rules-changed", `rules of change ${sequence} have been changed again since`);
  const more = deleted.count - added.count;
  if (deleted.count > 0 && count + more > max) throw tooManyRules(max);
  return { touched: added.count + changed.count + deleted.count, more };
}

/** The change that undoes one of many rules. `rules`: the whole ruleset afterwards. */
export function restoredWhole(
  rulesetId: string,
  rules: readonly RuleColumns[],
  ruleCount: number,
  summary: RulesSummary | undefined,
  at: number,
): Recorded {
  return {
    change: { kind: "rules-replaced", rulesetId, rules },
    ruleCount,
    summary: summary && inverseOf(summary, at),
  };
}

/** The change that undoes one of few rules. The state before it is kept only to be shown: an undo cannot be undone. */
export function restoredFew(rulesetId: string, { before, after }: KeptRows, at: number): Recorded {
  const remaining = new Set(before.map(([key]) => key));
  const left = new Map(after.map((row) => [row[0], row]));
  const removed = after.filter(([key]) => !remaining.has(key));
  const updated = before.map(([key]) => left.get(key)).filter((row) => row !== undefined);
  const deletes = removed.map(([key]) => prefixOfKey(key));
  return {
    change: { kind: "rules", rulesetId, upserts: asRestored(before, at), deletes },
    oldRules: { rules: [...removed, ...updated] },
  };
}

/** The rules of a deleted ruleset that is restored. */
export function restoredRules(rulesetId: string, rows: readonly RuleValues[], at: number): Recorded {
  return { change: { kind: "rules", rulesetId, upserts: asRestored(rows, at), deletes: [] } };
}

function asRestored(rows: readonly RuleValues[], updatedAt: number): Rule[] {
  return rows.map((row) => ({ ...ruleOfValues(row), updatedAt }));
}
