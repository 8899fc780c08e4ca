import type { Area, Plan } from "../store/state.ts";
import { Problem } from "./problem.ts";

const NAMES: Readonly<Record<Area, string>> = { edl: "EDL Management", cbs: "Common Business Services", cti: "threat-intelligence lookup" };

export function isActivePlan(plan: Plan | undefined, now: number): plan is Plan {
  return plan !== undefined && plan.active && (plan.until === null || now < plan.until);
}

/** What is answered where the organisation has no active plan for the area. */
export function noPlan(area: Area): Problem {
  return new Problem("permission-denied", `the organisation has no active plan for ${NAMES[area]}`);
}
