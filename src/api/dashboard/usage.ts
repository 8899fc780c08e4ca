import { formatTimestamp } from "../../rulesets/timestamp.ts";
import { AREAS } from "../../store/state.ts";
import type { App } from "../app-type.ts";
import type { MinuteOfUse } from "../minute-ring.ts";
import { BY_USERS } from "../operation.ts";
import { isActivePlan } from "../plans.ts";
import { Usage } from "../schemas/usage.ts";
import type { Services } from "../services.ts";
import type { SnapshotHolder } from "../snapshot-holder.ts";

/** How much is asked, and how fast it is answered. */
export function addUsageRoutes(app: App, services: Services): void {
  const { metrics, catalogue, threats } = services;
  const schema = { operationId: "getUsage", summary: "The use of the organisation's keys, and the last hour of the server", tags: ["Usage"], response: { 200: Usage } };
  app.get("/usage", { config: BY_USERS, schema }, ({ caller: { organisationId }, now }) => ({
    keys: keyUses(services, organisationId, now),
    minutes: metrics.minutes.read(now).map(minuteDocument),
    snapshots: [snapshotDocument("catalogue", catalogue), snapshotDocument("threats", threats)],
    rules: rulesOf(services, organisationId, now),
  }));
}

function keyUses({ memory, keyLimits, settings }: Services, organisationId: string, now: number): object[] {
  const plans = AREAS.map((area) => memory.plan(organisationId, area)).filter((plan) => isActivePlan(plan, now));
  const perMinute = Math.min(...limitsOf(plans.map((plan) => plan.perMinute), settings.perMinute));
  const perMonth = Math.min(...limitsOf(plans.map((plan) => plan.perMonth), settings.perMonth));
  const keys = memory.keys(organisationId).filter(({ revokedAt }) => revokedAt === null).reverse();
  return keys.map(({ id, label, start, expiresAt }) => {
    const { inMonth, minute, month } = keyLimits.peek(id, now, perMinute, perMonth);
    return { id, label, start, state: expiresAt !== null && now >= expiresAt ? "expired" : "active", requests_this_month: inMonth, minute, month };
  });
}

/** The limits of plans; the server's where a plan names none, or there is no plan. */
function limitsOf(limits: readonly (number | null)[], initial: number): number[] {
  return limits.length === 0 ? [initial] : limits.map((limit) => limit ?? initial);
}

function minuteDocument({ at, requests, errors, lookups, p50, p99 }: MinuteOfUse): object {
  const rounded = (milliseconds: number | null): number | null => (milliseconds === null ? null : Math.round(milliseconds * 1000) / 1000);
  return { at: formatTimestamp(at), requests, errors, lookups, p50_ms: rounded(p50), p99_ms: rounded(p99) };
}

function snapshotDocument(name: string, { generation, times: { createdAt, loadedAt } }: SnapshotHolder<unknown>): object {
  const time = (at: number | null): string | null => (at === null ? null : formatTimestamp(at));
  return { name, generation, created_at: time(createdAt), loaded_at: time(loadedAt) };
}

function rulesOf({ memory }: Services, organisationId: string, now: number): { active: number; expired: number } {
  const all = memory.rulesets(organisationId).map(({ rules }) => rules);
  return { active: all.reduce((sum, rules) => sum + rules.activeCount(now), 0), expired: all.reduce((sum, rules) => sum + rules.expiredCount(now), 0) };
}
