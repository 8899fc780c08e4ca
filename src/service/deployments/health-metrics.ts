import { statusOf } from "../../store/records/deployment.ts";
import type { ServiceMemory } from "../store/service-memory.ts";
import type { Metrics } from "../usage/metrics.ts";
import type { Pulls } from "./pulls.ts";

/** What a server shows of rules, and of lists that are not as they should be. Read when the page is requested. */
export function addHealthMetrics({ metrics, memory, pulls, now }: Dependencies): void {
  metrics.addStates("ipsieve_rules", "Rules by state", () => ({ ...memory.countRules(now()) }));
  metrics.addStates(
    "ipsieve_deployments",
    "Deployments by state: ok, stale (nothing is published yet), refused (devices have an earlier list) or inactive",
    () =>
      countBy(["ok", "stale", "refused", "inactive"], memory.everyDeployment(), (deployment) =>
        deployment.definition.active ? statusOf(deployment) : "inactive",
      ),
  );
  metrics.addGauge(
    "ipsieve_deployments_not_pulled",
    "Active deployments whose list no device has fetched for three intervals",
    () => {
      const at = now();
      const active = memory.everyDeployment().filter(({ definition }) => definition.active);
      return active.filter((deployment) => pulls.isNotPulled(deployment, at)).length;
    },
  );
  metrics.addStates(
    "ipsieve_external_lists",
    "External lists by state: ok, failed (the last fetch), refused (what was fetched) or inactive",
    () =>
      countBy(["ok", "failed", "refused", "inactive"], memory.everyExternalList(), ({ definition, problem }) =>
        definition.active ? (problem?.kind ?? "ok") : "inactive",
      ),
  );
}

interface Dependencies {
  readonly metrics: Metrics;
  readonly memory: ServiceMemory;
  readonly pulls: Pulls;
  readonly now: () => number;
}

function countBy<Item, State extends string>(
  states: readonly State[],
  items: Iterable<Item>,
  stateOf: (item: Item) => State,
): Record<State, number> {
  const counts = Object.fromEntries(states.map((state) => [state, 0])) as Record<State, number>;
  for (const item of items) counts[stateOf(item)]++;
  return counts;
}
