import type { Area, Plan } from "../../store/state.ts";
import { ServiceError } from "../service-error.ts";
import type { Allowance } from "./rate-limits.ts";
import type { Settings } from "../settings.ts";

export const PLAN_NAMES: Readonly<Record<Area, string>> = {
  edl: "EDL Management",
  cbs: "Common Business Services",
  cti: "threat-intelligence lookup",
};

export function isActivePlan(plan: Plan | undefined, now: number): plan is Plan {
  return plan !== undefined && plan.active && (plan.until === null || now < plan.until);
}

/**
 * Whether guards protect the services of the catalogue under this plan. They do so even after the plan has ended:
 * otherwise lists would suddenly block what was protected until then.
 */
export function protectsServices(plan: Plan | undefined): boolean {
  return plan !== undefined;
}

/** How many requests of a key a plan allows; the server's own limit if the plan sets none. */
export function allowanceOf(plan: Plan | undefined, { perMinute, perMonth }: Settings): Allowance {
  return { perMinute: plan?.perMinute ?? perMinute, perMonth: plan?.perMonth ?? perMonth };
}

/** The error of an organisation without an active plan for the area; it names the command for the operator. */
export function noPlan(area: Area): ServiceError {
  return new ServiceError(
    "no-plan",
    `the organisation has no active plan for ${PLAN_NAMES[area]} (${area}); the operator can activate it with: ipsieve admin plan set ${area}`,
  );
}
