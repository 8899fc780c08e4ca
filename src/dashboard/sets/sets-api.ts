import { post } from "../api.ts";
import type { ComputedSet, DeploymentSource, SetRelations } from "../documents.ts";

export type Operation = "union" | "intersect" | "subtract" | "symmetric";

export function relate(sets: DeploymentSource[], signal: AbortSignal): Promise<SetRelations> {
  return post("/dashboard/api/edl/ip-rulesets:relate", { body: { sets }, signal });
}

export function compute(operation: Operation, sets: DeploymentSource[]): Promise<ComputedSet> {
  return post("/dashboard/api/sets:compute", { body: { operation, sets } });
}
