import { formatTimestamp } from "../../../time/format-timestamp.ts";
import { AREAS } from "../../../store/state.ts";
import type { Traffic } from "../../../store/records/traffic.ts";
import type { App } from "../../app-type.ts";
import { BY_USERS } from "../../operation.ts";
import { allowanceOf, isActivePlan } from "../../../service/access/plans.ts";
import type { WindowState } from "../../../service/access/rate-limits.ts";
import { Usage, UsageQuery } from "../../schemas/usage.ts";
import type { Services } from "../../../service/services.ts";
import type { ServedDataset } from "../../../service/datasets/served-dataset.ts";
import { quantileOf } from "../../../service/usage/time-classes.ts";
import { trafficHistory, WINDOWS } from "../../../service/usage/traffic-history.ts";

/** How much the service is used, and how fast it responds. */
export function addUsageRoutes(app: App, services: Services): void {
  const { catalogue, threats } = services.data;
  const schema = {
    operationId: "getUsage",
    summary:
      "The usage of the organisation's keys, and the requests to the service in the last hour, day, week or month",
    tags: ["Usage"],
    problems: [400],
    querystring: UsageQuery,
    response: { 200: Usage },
  };
  app.get(
    "/usage",
    { config: BY_USERS, schema },
    async ({ caller: { organisationId }, now, query: { window = "hour" } }) => ({
      keys: keyUses(services, organisationId, now),
      window,
      step_seconds: WINDOWS[window].step / 1000,
      steps: (await trafficHistory(services, window, now)).map(stepDocument),
      snapshots: [snapshotDocument("catalogue", catalogue), snapshotDocument("threats", threats)],
      rules: rulesOf(services, organisationId, now),
    }),
  );
}

function keyUses({ memory, access: { keyLimits }, settings }: Services, organisationId: string, now: number): object[] {
  const active = AREAS.filter((area) => isActivePlan(memory.plan(organisationId, area), now));
  const allowances = (active.length === 0 ? AREAS : active).map((area) => ({
    area,
    allowance: allowanceOf(memory.plan(organisationId, area), settings),
  }));
  const keys = memory
    .credentials("api", organisationId)
    .filter(({ revokedAt }) => revokedAt === null)
    .reverse();
  return keys.map(({ id, label, start, expiresAt }) => {
    const windows = allowances.map(({ area, allowance }) => ({ area, ...keyLimits.peek(id, area, now, allowance) }));
    const minute = leastLeft(windows.map(({ area, minute }) => ({ area, ...minute })));
    const month = leastLeft(windows.map(({ area, month }) => ({ area, ...month })));
    const requests = AREAS.reduce((sum, area) => sum + keyLimits.peek(id, area, now, settings).inMonth, 0);
    return {
      id,
      label,
      start,
      state: expiresAt !== null && now >= expiresAt ? "expired" : "active",
      requests_this_month: requests,
      minute,
      month,
    };
  });
}

/** The window that rejects first; of several, the one with the least left. */
function leastLeft<Window extends WindowState>(windows: readonly Window[]): Window {
  return windows.toSorted((a, b) => a.remaining - b.remaining || a.limit - b.limit)[0]!;
}

function stepDocument({ at, requests, refused, failed, lookups, times }: Traffic): object {
  const quantile = (share: number): number | null => {
    const milliseconds = quantileOf(times, share);
    return milliseconds === null ? null : Math.round(milliseconds * 1000) / 1000;
  };
  return { at: formatTimestamp(at), requests, refused, failed, lookups, p50_ms: quantile(0.5), p99_ms: quantile(0.99) };
}

function snapshotDocument(
  name: string,
  { generation, times: { createdAt, loadedAt } }: ServedDataset<unknown>,
): object {
  const time = (at: number | null): string | null => (at === null ? null : formatTimestamp(at));
  return { name, generation, created_at: time(createdAt), loaded_at: time(loadedAt) };
}

function rulesOf({ memory }: Services, organisationId: string, now: number): { active: number; expired: number } {
  const all = memory.rulesets(organisationId).map(({ rules }) => rules);
  return {
    active: all.reduce((sum, rules) => sum + rules.activeCount(now), 0),
    expired: all.reduce((sum, rules) => sum + rules.expiredCount(now), 0),
  };
}
