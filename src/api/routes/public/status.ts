import type { FastifyContextConfig } from "fastify";
import type { Services } from "../../../service/services.ts";
import type { BlockedProtected } from "../../../service/status/blocked-protected.ts";
import { findAttention } from "../../../service/status/find-attention.ts";
import type { Finding } from "../../../service/status/finding.ts";
import type { Activity } from "../../../store/records/activity.ts";
import { formatTimestamp } from "../../../time/format-timestamp.ts";
import type { App } from "../../app-type.ts";
import { timeOrNull } from "../../schemas/common.ts";
import { Status } from "../../schemas/status.ts";

const HOUR = 3_600_000;
const HOURS = 24;

/** What needs attention, and what happened of late: one answer for the dashboard, the command and monitors. */
export function addStatusRoute(
  app: App,
  services: Services,
  blocked: BlockedProtected,
  config: FastifyContextConfig,
): void {
  const schema = {
    operationId: "getStatus",
    summary: "What needs attention, the worst first, and what happened in the last day",
    description:
      "Refused and unpulled deployments, requests for lists that got errors, blocklists that block what they should not, failing external lists and webhook endpoints, keys and plans that end or are used up, limits that are nearly reached, old data, and rules that expire within a day. `state` is what a monitor needs.",
    tags: ["Status"],
    response: { 200: Status },
  };
  app.get("/status", { config, schema }, async ({ caller: { organisationId }, now }) => {
    const { settings } = services;
    const { keyLimits } = services.access;
    const { sources, pulls } = services.publishing;
    const { followedCatalogue } = services.data;
    const activity = await pulls.activity(organisationId, now);
    const from = { ...sources, settings, pulls, keyLimits, followedCatalogue };
    const { findings, lookedAt } = await findAttention(organisationId, activity, from, blocked, now);
    const [worst] = findings;
    return {
      state: worst === undefined || worst.severity === "notice" ? ("ok" as const) : worst.severity,
      at: formatTimestamp(now),
      findings: findings.map(findingDocument),
      looked_at: lookedAt,
      hours: hoursOf(activity, now),
      days: activity.days.map(({ day, pulls }) => ({ day: formatTimestamp(day), pulls })),
    };
  });
}

function findingDocument({ at, ...finding }: Finding) {
  return { ...finding, at: timeOrNull(at) };
}

function hoursOf({ changes, blocked }: Activity, now: number) {
  const last = now - (now % HOUR);
  return Array.from({ length: HOURS }, (_, index) => {
    const at = last - (HOURS - 1 - index) * HOUR;
    const blockedOf = (unit: string): number =>
      blocked.filter((each) => each.at === at && each.unit === unit).reduce((sum, { amount }) => sum + amount, 0);
    return {
      at: formatTimestamp(at),
      changes: changes.find((each) => each.at === at)?.count ?? 0,
      blocked_requests: blockedOf("request"),
      blocked_packets: blockedOf("packet"),
    };
  });
}
