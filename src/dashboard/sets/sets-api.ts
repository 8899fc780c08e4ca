import { post } from "../api.ts";
import type { ComputedSet, DeploymentSource, SetRelations } from "../documents.ts";

export type Operation = "union" | "intersect" | "subtract" | "symmetric" | "atleast";

export function relate(sets: DeploymentSource[], signal: AbortSignal): Promise<SetRelations> {
  return post("/dashboard/api/edl/ip-rulesets:relate", { body: { sets }, signal });
}

/** `least`: of the operation `atleast`. */
export function compute(operation: Operation, sets: DeploymentSource[], least?: number): Promise<ComputedSet> {
  const votes = least !== undefined && { at_least: least };
  return post("/dashboard/api/sets:compute", { body: { operation, sets, ...votes } });
}
