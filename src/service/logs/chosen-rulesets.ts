import type { Ruleset } from "../../store/state.ts";
import { isActivePlan, noPlan } from "../access/plans.ts";
import type { LiveRuleset, ServiceMemory } from "../store/service-memory.ts";
import { invalid } from "../service-error.ts";

/** Maximum rulesets that a log is compared with: each of them looks up every address. */
export const MAX_COMPARED = 100;

/** The rulesets that a log is compared with once it has been read. */
export interface ChosenRulesets {
  /** As they were when they were chosen. */
  readonly rulesets: readonly Ruleset[];
  /** How many more rulesets there are than the limit allows. */
  readonly leftOut: number;
  /** The ruleset as it is now; undefined once it is deleted. */
  readonly current: (id: string) => LiveRuleset | undefined;
}

/**
 * The rulesets that a log is compared with, by a text: `all`, `none`, or ids separated by commas. Null for none;
 * without an active plan, `all` is none. @throws ServiceError (invalid, no-plan)
 */
export function chooseRulesets(
  text: string,
  organisationId: string,
  memory: ServiceMemory,
  now: number,
): ChosenRulesets | null {
  if (text === "none") return null;
  const isAllowed = isActivePlan(memory.plan(organisationId, "edl"), now);
  if (text !== "all" && !isAllowed) throw noPlan("edl");
  const all = isAllowed ? memory.rulesets(organisationId) : [];
  const chosen = text === "all" ? all : namedRulesets(text, organisationId, memory);
  if (chosen.length === 0) return null;
  return {
    rulesets: chosen.slice(0, MAX_COMPARED).map(({ about }) => about),
    leftOut: Math.max(0, chosen.length - MAX_COMPARED),
    current: (id) => memory.ruleset(organisationId, id),
  };
}

/** The organisation's rulesets with these ids, each once. @throws ServiceError (invalid) */
function namedRulesets(text: string, organisationId: string, memory: ServiceMemory): LiveRuleset[] {
  const ids = new Set(text.toLowerCase().split(","));
  return [...ids].map((id) => {
    const found = memory.ruleset(organisationId, id);
    if (found !== undefined) return found;
    throw invalid({
      rulesets: [`unknown ruleset ${JSON.stringify(id)}; give ruleset ids separated by commas, all, or none`],
    });
  });
}
