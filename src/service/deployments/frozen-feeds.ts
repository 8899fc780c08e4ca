import type { Deployment } from "../../store/records/deployment.ts";
import type { ServiceMemory } from "../store/service-memory.ts";

const DAY = 86_400_000;
/** Days for which feeds are served as they were after the plan of the organisation has ended. */
export const FROZEN_DAYS = 30;

/** Whether the plan ended so long ago that feeds are not served any more. */
export function isLongWithoutPlan({ organisationId }: Deployment, memory: ServiceMemory, now: number): boolean {
  const until = memory.plan(organisationId, "edl")?.until ?? null;
  return until !== null && now >= until + FROZEN_DAYS * DAY;
}
