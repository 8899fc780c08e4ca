import type { Logger } from "pino";
import type { LoadedMemory } from "../store/loading-store.ts";
import type { Metrics } from "../usage/metrics.ts";
import { counted } from "../../words/numbers.ts";

/** Reports in the log and the metrics where the server read its rules from, and why snapshots could not be used. */
export function reportStart(
  { memory, fromSnapshots, rejected }: LoadedMemory,
  { log, metrics }: { readonly log: Pick<Logger, "info" | "warn">; readonly metrics: Pick<Metrics, "startRules"> },
): void {
  for (const { rulesetId, reason } of rejected)
    log.warn({ ruleset: rulesetId, reason }, "a snapshot of a ruleset is not used");
  const sum = (numbers: readonly number[]): number => numbers.reduce((total, number) => total + number, 0);
  const all = sum([...memory.everyRuleset()].map(({ rules }) => rules.count));
  const restored = sum(fromSnapshots.map(({ rulesetId }) => memory.rulesetById(rulesetId)!.rules.count));
  const changes = sum(fromSnapshots.map((each) => each.changes));
  metrics.startRules.set({ source: "snapshots" }, restored);
  metrics.startRules.set({ source: "database" }, all - restored);
  const counts = { snapshots: fromSnapshots.length, rules: restored, changes, rules_read: all - restored };
  log.info(
    counts,
    fromSnapshots.length === 0
      ? `read all rules from the database${rejected.length === 0 ? "" : `: ${rejected[0]!.reason}`}`
      : `started from ${counted(fromSnapshots.length, "snapshot")} with ${counted(restored, "rule")} and ${counted(changes, "change")} since; ${counted(all - restored, "rule")} read from the database`,
  );
}
