import { layerAges, OLD_DAYS, ageDays } from "../../cbs/catalogue-ages.ts";
import type { Activity } from "../../store/records/activity.ts";
import type { ExternalList } from "../../store/records/external-list.ts";
import type { Webhook, WebhookProgress } from "../../store/records/webhook.ts";
import { hasExpired } from "../access/known-credentials.ts";
import type { ApiKey } from "../../store/records/credential.ts";
import { type Area, AREAS } from "../../store/state.ts";
import { allowanceOf, isActivePlan, PLAN_NAMES } from "../access/plans.ts";
import type { KeyLimits } from "../access/rate-limits.ts";
import type { CatalogueView } from "../datasets/catalogue-view.ts";
import type { FollowedCatalogue } from "../datasets/followed-catalogue.ts";
import type { ServedDataset } from "../datasets/served-dataset.ts";
import type { ThreatView } from "../datasets/threat-view.ts";
import type { Pulls } from "../deployments/pulls.ts";
import type { Settings } from "../settings.ts";
import type { LiveRuleset, ServiceMemory } from "../store/service-memory.ts";
import type { Store } from "../../store/store.ts";
import { doubtfulSources } from "../deployments/doubtful-sources.ts";
import type { BlockedProtected } from "./blocked-protected.ts";
import { deploymentFindings } from "./deployment-findings.ts";
import { counted, grouped } from "../../words/numbers.ts";
import { type Finding, SEVERITIES } from "./finding.ts";

const DAY = 86_400_000;
/** Keys and plans that end within this time are findings, as they are events. */
const SOON = 7 * DAY;
/** The share of a limit from which on it is nearly reached. */
const NEARLY = 0.9;

/** What was looked at, so that "nothing needs attention" says of what. */
export interface LookedAt {
  readonly deployments: number;
  readonly lists: number;
  readonly rulesets: number;
  readonly keys: number;
  readonly webhooks: number;
  readonly datasets: number;
}

export interface Attention {
  /** The worst first. */
  readonly findings: readonly Finding[];
  readonly lookedAt: LookedAt;
}

interface Dependencies {
  readonly memory: ServiceMemory;
  readonly store: Pick<Store, "read">;
  readonly settings: Settings;
  readonly pulls: Pulls;
  readonly catalogue: ServedDataset<CatalogueView>;
  readonly threats: ServedDataset<ThreatView>;
  readonly keyLimits: KeyLimits;
  readonly followedCatalogue: FollowedCatalogue | undefined;
}

/**
 * What needs someone's attention in an organisation: for the dashboard, the command and monitors alike. O(what the
 * organisation has, without rules), besides what `blocked` needs.
 */
export async function findAttention(
  organisationId: string,
  activity: Activity,
  services: Dependencies,
  blocked: BlockedProtected,
  now: number,
): Promise<Attention> {
  const { memory, pulls, store } = services;
  const deployments = memory.deployments(organisationId);
  const lists = memory.externalLists(organisationId);
  const webhooks = memory.webhooks(organisationId);
  const keys = memory
    .credentials("api", organisationId)
    .filter((key) => key.revokedAt === null && !hasExpired(key, now));
  const errors = Map.groupBy(activity.errors, ({ deploymentId }) => deploymentId);
  const progress = new Map(
    (
      await store.read(
        "webhookProgress",
        webhooks.map(({ id }) => id),
      )
    ).map((each) => [each.webhookId, each]),
  );
  const found: Finding[] = [];
  for (const deployment of deployments) {
    const doubts = doubtfulSources(deployment.definition, organisationId, memory);
    const known = { pulls, errors: errors.get(deployment.id) ?? [], blocked: await blocked.by(deployment), doubts };
    found.push(...deploymentFindings(deployment, known, now));
  }
  const datasets = [
    ...catalogueFindings(organisationId, services, now),
    ...threatFindings(organisationId, services, now),
  ];
  found.push(
    ...lists.flatMap(listFindings),
    ...webhooks.flatMap((webhook) => webhookFindings(webhook, progress.get(webhook.id))),
    ...keys.flatMap((key) => keyFindings(key, services, now)),
    ...AREAS.flatMap((area) => planFindings(organisationId, area, services, now)),
    ...limitFindings(organisationId, services),
    ...datasets,
    ...memory.rulesets(organisationId).flatMap((ruleset) => expiryFindings(ruleset, now)),
  );
  return {
    findings: found.toSorted((one, other) => SEVERITIES.indexOf(one.severity) - SEVERITIES.indexOf(other.severity)),
    lookedAt: {
      deployments: deployments.length,
      lists: lists.length,
      rulesets: memory.rulesets(organisationId).length,
      keys: keys.length,
      webhooks: webhooks.length,
      datasets: usedDatasets(organisationId, services, now),
    },
  };
}

/** Those that are loaded and that its plans are for: others are nobody's concern here. */
function usedDatasets(organisationId: string, { memory, catalogue, threats }: Dependencies, now: number): number {
  const used = [
    [catalogue, "cbs"],
    [threats, "cti"],
  ] as const;
  return used.filter(([{ generation }, area]) => generation > 0 && isActivePlan(memory.plan(organisationId, area), now))
    .length;
}

function listFindings({ id, name, problem, content }: ExternalList): Finding[] {
  if (problem === null) return [];
  const isRefused = problem.kind === "refused";
  return [
    {
      severity: isRefused ? "critical" : "warning",
      code: isRefused ? "list-refused" : "list-failed",
      about: { type: "list", id, name },
      message: `${isRefused ? "was refused" : "could not be fetched"}: ${problem.message}; ${content === null ? "it has no content yet" : "the last good content is in use"}`,
      at: problem.since,
      cure:
        problem.digest === null
          ? "See the error, and correct its URL or its format"
          : "See what changed, and accept it",
      command: `ipsieve list show ${id}`,
    },
  ];
}

/** Named by its host: the rest of a URL is often a secret. */
function webhookFindings({ id, url, active, stopped }: Webhook, progress: WebhookProgress | undefined): Finding[] {
  const about = { type: "webhook", id, name: new URL(url).host } as const;
  const rest = { about, cure: "See its deliveries", command: `ipsieve webhook deliveries ${id}` };
  if (stopped !== null)
    return [
      {
        ...rest,
        severity: "critical",
        code: "webhook-disabled",
        message:
          stopped.reason === "gone"
            ? "gets no events any more: it answered 410 (gone)"
            : "gets no events any more: it failed for three days",
        at: stopped.at,
      },
    ];
  const since = progress?.failingSince ?? null;
  if (!active || since === null) return [];
  return [{ ...rest, severity: "warning", code: "webhook-failing", message: "does not accept events", at: since }];
}

function keyFindings({ id, organisationId, label, expiresAt }: ApiKey, services: Dependencies, now: number): Finding[] {
  const about = { type: "key", id, name: label } as const;
  const found: Finding[] = [];
  if (expiresAt !== null && expiresAt - now <= SOON)
    found.push({
      severity: "warning",
      code: "key-expires",
      about,
      message: "expires soon; programs that use it then get 401",
      at: expiresAt,
      cure: "Create another key, and give it to its programs",
      command: "ipsieve admin key create",
    });
  const { memory, keyLimits, settings } = services;
  for (const area of AREAS) {
    const plan = memory.plan(organisationId, area);
    if (!isActivePlan(plan, now)) continue;
    const { limit, remaining, reset } = keyLimits.peek(id, area, now, allowanceOf(plan, settings)).month;
    if (limit - remaining < NEARLY * limit) continue;
    found.push({
      severity: remaining === 0 ? "critical" : "warning",
      code: "plan-full",
      about,
      message: `has ${counted(remaining, "request")} left of ${grouped(limit)} this month under ${PLAN_NAMES[area]}${remaining === 0 ? "; it gets 429 until the month ends" : ""}`,
      at: now + reset * 1000,
      cure: "Allow more requests, or ask for less",
      command: `ipsieve admin plan set ${area} --per-month`,
    });
  }
  return found;
}

function planFindings(organisationId: string, area: Area, { memory }: Dependencies, now: number): Finding[] {
  const plan = memory.plan(organisationId, area);
  if (plan === undefined || plan.until === null || !plan.active || plan.until - now > SOON) return [];
  const isOver = plan.until <= now;
  return [
    {
      severity: isOver ? "critical" : "warning",
      code: isOver ? "plan-ended" : "plan-ends",
      about: { type: "plan", id: null, name: PLAN_NAMES[area] },
      message: isOver ? "has ended; its operations are refused" : "ends soon",
      at: plan.until,
      cure: "Ask the operator to extend it",
      command: `ipsieve admin plan set ${area}`,
    },
  ];
}

/** Limits of the server of which the organisation has used most. */
function limitFindings(organisationId: string, { memory, settings }: Dependencies): Finding[] {
  const rulesets = memory.rulesets(organisationId);
  const used: readonly (readonly [name: string, count: number, limit: number, setting: string, ruleset?: string])[] = [
    ...rulesets.map(
      ({ about: { id, name }, rules }) =>
        [name, rules.count, settings.rulesPerRuleset, "rules-per-ruleset", id] as const,
    ),
    ["Rulesets", rulesets.length, settings.rulesetsPerOrganisation, "rulesets-per-organisation"],
    [
      "Deployments",
      memory.deployments(organisationId).length,
      settings.deploymentsPerOrganisation,
      "deployments-per-organisation",
    ],
    [
      "External lists",
      memory.externalLists(organisationId).length,
      settings.listsPerOrganisation,
      "lists-per-organisation",
    ],
  ];
  return used
    .filter(([, count, limit]) => count >= NEARLY * limit)
    .map(([name, count, limit, setting, id]) => ({
      severity: count >= limit ? "critical" : "warning",
      code: "limit-reached",
      about: id === undefined ? { type: "limit", id: null, name } : { type: "ruleset", id, name },
      message: `${count >= limit ? "is full" : "is nearly full"}: ${grouped(count)} of ${grouped(limit)} (--${setting})`,
      at: null,
      cure: id === undefined ? "Delete what is not needed" : "Delete expired rules, or compact it",
      command: id === undefined ? null : `ipsieve ruleset compact ${id}`,
    }));
}

function catalogueFindings(
  organisationId: string,
  { memory, catalogue, followedCatalogue }: Dependencies,
  now: number,
): Finding[] {
  if (catalogue.generation === 0 || !isActivePlan(memory.plan(organisationId, "cbs"), now)) return [];
  const about = { type: "catalogue", id: null, name: "Catalogue" } as const;
  const rest = { about, cure: "Update the catalogue", command: "ipsieve cbs update" };
  const failing = followedCatalogue?.failingSince ?? null;
  const pull: Finding[] =
    failing === null
      ? []
      : [
          {
            ...rest,
            severity: "warning",
            code: "catalogue-not-pulled",
            message: "cannot be pulled; the last good one is in use",
            at: failing,
          },
        ];
  const old = layerAges(catalogue.view().catalogue.metadata, now)
    .filter(({ is_old: isOld }) => isOld)
    .map(({ layer, age_days: days, newest_at: at, advice }): Finding => {
      // Only a release of the package has newer AS numbers, so that nobody is called for them.
      const isOfRelease = layer === "as-numbers";
      const what = { official: "its official lists", "as-numbers": "its AS numbers", own: "its own lists" }[layer];
      return {
        ...rest,
        severity: isOfRelease ? "notice" : "warning",
        code: "data-old",
        message: `is old: ${what} are ${counted(days!, "day")} old; ${advice}`,
        at: Date.parse(at!),
      };
    });
  return [...pull, ...old];
}

function threatFindings(organisationId: string, { memory, threats }: Dependencies, now: number): Finding[] {
  const { createdAt } = threats.times;
  if (createdAt === null || !isActivePlan(memory.plan(organisationId, "cti"), now)) return [];
  const days = ageDays(createdAt, now);
  if (days <= OLD_DAYS) return [];
  return [
    {
      severity: "warning",
      code: "data-old",
      about: { type: "threats", id: null, name: "Threat intelligence" },
      message: `is old: it was made ${counted(days, "day")} ago`,
      at: createdAt,
      cure: "Import newer feeds",
      command: "ipsieve cti import",
    },
  ];
}

function expiryFindings({ about: { id, name, purpose }, rules }: LiveRuleset, now: number): Finding[] {
  const count = rules.expiredCount(now + DAY) - rules.expiredCount(now);
  if (count === 0) return [];
  return [
    {
      severity: "notice",
      code: "rules-expire",
      about: { type: "ruleset", id, name },
      message: `has ${counted(count, "rule")} that ${count === 1 ? "expires" : "expire"} within a day; ${purpose === "allowlist" ? `what ${count === 1 ? "it allows" : "they allow"} may then be blocked` : `what ${count === 1 ? "it blocks" : "they block"} is then free`}`,
      at: rules.nextExpiry(now),
      cure: "See the rules, and extend those that are needed",
      command: null,
    },
  ];
}
