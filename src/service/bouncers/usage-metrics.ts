import { BLOCKED_UNITS, type BlockedCount, type BlockedUnit } from "../../store/records/blocked.ts";
import type { Deployment, DeploymentDefinition } from "../../store/records/deployment.ts";
import { invalid } from "../service-error.ts";
import { scenarioOf } from "./bouncers.ts";
import { ORIGIN, scenarioOfDeployment } from "./decisions.ts";

/** More than a bouncer can have dropped in a year; a larger number is an error. */
const MAX_AMOUNT = 1e15;
/** The name for sources that the deployment does not have. */
export const OTHER = "other";
/** The name for what a deployment of several sources has blocked: bouncers do not say because of which. */
const ANY = "deployment";

/**
 * What a bouncer reports as dropped since its last report, by source of the deployment. Everything else in the report
 * is ignored. @throws ServiceError "invalid"
 */
export function droppedIn(body: unknown, { id, definition }: Deployment): BlockedCount[] {
  const sources = sourcesOf(id, definition);
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
function sourcesOf(id: string, { include }: DeploymentDefinition): ReadonlyMap<string, string> {
  const names = [...new Set(include.map((source) => scenarioOf(source)))];
  const source = names.length === 1 ? names[0]! : ANY;
  const own = [ORIGIN, `${ORIGIN}:${scenarioOfDeployment(id)}`].map((origin): [string, string] => [origin, source]);
  // As edge components and earlier builds name them.
  return new Map([...names.map((name): [string, string] => [`${ORIGIN}:${name}`, name]), ...own]);
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
