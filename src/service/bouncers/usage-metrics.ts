import { BLOCKED_UNITS, type BlockedCount, type BlockedUnit } from "../../store/records/blocked.ts";
import type { DeploymentDefinition } from "../../store/records/deployment.ts";
import { invalid } from "../service-error.ts";
import { scenarioOf } from "./bouncers.ts";
import { ORIGIN } from "./decisions.ts";

/** More than a bouncer can have dropped in a year; a larger number is an error. */
const MAX_AMOUNT = 1e15;
/** The name for sources that the deployment does not have. */
export const OTHER = "other";

/**
 * What a bouncer reports as dropped since its last report, by source of the deployment. Everything else in the report
 * is ignored. @throws ServiceError "invalid"
 */
export function droppedIn(body: unknown, definition: DeploymentDefinition): BlockedCount[] {
  const sources = sourcesOf(definition);
  const counts: BlockedCount[] = [];
  for (const component of listIn(body, "remediation_components"))
    for (const metrics of listIn(component, "metrics"))
      for (const item of listIn(metrics, "items")) {
        const { name, value, unit, labels } = item as Readonly<Record<string, unknown>>;
        if (name !== "dropped" || !isUnit(unit)) continue;
        if (typeof value !== "number" || !(value >= 0 && value <= MAX_AMOUNT))
          throw invalid({ value: ["a number of dropped packets, bytes or requests must be 0 or more"] });
        const { origin } = (labels ?? {}) as Readonly<Record<string, unknown>>;
        const source = (typeof origin === "string" ? sources.get(origin) : undefined) ?? OTHER;
        if (value >= 1) counts.push({ source, prefix: "", unit, amount: Math.floor(value) });
      }
  return counts;
}

/** By the origin under which bouncers count what they drop: newer ones append the scenario. */
function sourcesOf({ include }: DeploymentDefinition): ReadonlyMap<string, string> {
  const names = [...new Set(include.map((source) => scenarioOf(source)))];
  const [only] = names;
  const plain: [string, string][] = names.length === 1 ? [[ORIGIN, only!]] : [];
  return new Map([...names.map((name): [string, string] => [`${ORIGIN}:${name}`, name]), ...plain]);
}

function isUnit(unit: unknown): unit is BlockedUnit {
  return BLOCKED_UNITS.some((each) => each === unit);
}

/** @throws ServiceError "invalid" */
function listIn(value: unknown, member: string): unknown[] {
  const list = typeof value === "object" && value !== null ? (value as Record<string, unknown>)[member] : undefined;
  if (list === undefined || list === null) {
    if (typeof value === "object" && value !== null) return [];
  } else if (Array.isArray(list) && list.every((each) => typeof each === "object" && each !== null)) return list;
  throw invalid({ [member]: ["must be a list of objects"] });
}
