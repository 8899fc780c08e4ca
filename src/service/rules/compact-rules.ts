import { type Compaction, compacting, type CompactOptions } from "../../rulesets/compact.ts";
import { atOneVersion } from "./at-one-version.ts";
import { withoutLines } from "./desired-rules.ts";
import { type CountedPlan, MAX_LISTED, planning } from "./plan-replacement.ts";
import type { RuleColumns } from "../../rulesets/rule-columns.ts";
import { stateOf } from "../../store/state.ts";
import type { LiveRuleset } from "../store/service-memory.ts";

/** A compact list for one state of a ruleset, and the changes that lead to it. */
export interface PlannedCompaction {
  /** `stateOf` the ruleset. */
  readonly state: string;
  readonly compaction: Omit<Compaction, "rules">;
  readonly rules: readonly RuleColumns[];
  readonly plan: CountedPlan;
}

/** Undefined if the ruleset is gone. O(rules), in slices. */
export async function planCompaction(
  current: () => LiveRuleset | undefined,
  now: number,
  options: Pick<CompactOptions, "ignoreNames">,
): Promise<PlannedCompaction | undefined> {
  const found = await atOneVersion(current, ({ rules }) => planningCompaction(rules.rules.bind(rules), now, options));
  return found && { state: stateOf(found.ruleset.about), ...found.result };
}

function* planningCompaction(
  rulesNow: () => ReturnType<LiveRuleset["rules"]["rules"]>,
  now: number,
  options: CompactOptions,
): Generator<undefined, Omit<PlannedCompaction, "state">, undefined> {
  const { rules: parts, ...compaction } = yield* compacting(rulesNow(), now, { ...options, maxListed: MAX_LISTED });
  const rules = parts.map(withoutLines);
  return { compaction, rules, plan: yield* planning(rulesNow(), rules, now) };
}
