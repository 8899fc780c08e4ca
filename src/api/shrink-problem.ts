import type { ShrinkRejection } from "../rulesets/shrink-guard.ts";
import { Problem } from "./problem.ts";

/** The problem of a replacement that would remove too many rules, with its numbers. */
export function shrinkProblem({ message, totalRules, removedPercent, maxShrink, ...counts }: ShrinkRejection): Problem {
  return new Problem("shrinks-too-much", `${message}; nothing was written`, {
    extensions: { total_rules: totalRules, ...counts, removed_percent: removedPercent, max_shrink: maxShrink },
  });
}
