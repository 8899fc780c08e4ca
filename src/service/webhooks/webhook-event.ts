import { formatPrefix } from "../../address/prefix.ts";
import type { AuditEntry, ChangedRules } from "../../store/audit.ts";
import type { Deployment } from "../../store/deployment.ts";
import type { ApiKey, DatasetFacts, Ruleset } from "../../store/state.ts";
import type { EventKind, Webhook } from "../../store/webhook.ts";
import { ruleDocument } from "../../formats/rule-document.ts";
import type { Rule } from "../../rulesets/rule.ts";

/** Rules that an event lists; of more, it has only the numbers. */
const MAX_LISTED = 20;
/** Standard Webhooks asks for less than 20 kB. */
const MAX_BYTES = 19_000;

/** What has happened, as endpoints are told. */
export interface WebhookEvent {
  /** Of the change. */
  readonly sequence: number;
  /** An endpoint that wants one of these gets it. */
  readonly kinds: readonly EventKind[];
  /** The only one of the kinds, or `rule.changed` for a change that did several of them to rules. */
  readonly type: EventKind | "rule.changed";
  readonly at: number;
  readonly data: object;
}

/** What the text of a message is made with. */
interface About {
  /** For their names; undefined if they have been deleted since. */
  readonly ruleset: (id: string) => Pick<Ruleset, "name"> | undefined;
  readonly deployment: (id: string) => Pick<Deployment, "name"> | undefined;
  /** The URL that paths are below; "" if the server does not know it. */
  readonly baseUrl: string;
}

/** The event of a change; undefined if endpoints are not told about such changes. */
export function eventOf(entry: AuditEntry, about: About): WebhookEvent | undefined {
  const found = detailsOf(entry, about);
  if (found === undefined) return undefined;
  const { kinds, data } = found;
  const end = entry.actor.indexOf(":");
  const actor = { kind: entry.actor.slice(0, end), id: entry.actor.slice(end + 1) };
  return {
    sequence: entry.sequence,
    kinds,
    type: kinds.length === 1 ? kinds[0]! : "rule.changed",
    at: entry.at,
    data: { sequence: entry.sequence, actor, ...data },
  };
}

/** The text of a message: what is signed. */
export function messageOf(type: string, at: number, data: object): string {
  return JSON.stringify({ type, timestamp: new Date(at).toISOString(), data });
}

interface Details {
  readonly kinds: readonly EventKind[];
  readonly data: object;
}

function detailsOf(entry: AuditEntry, about: About): Details | undefined {
  switch (entry.kind) {
    case "rules":
    case "rules-replaced":
      return rulesDetails(entry, about);
    case "ruleset":
      return rulesetDetails(entry, entry.old === null ? "ruleset.created" : "ruleset.updated", about);
    case "ruleset-deleted":
      return rulesetDetails(entry, "ruleset.deleted", about);
    case "key":
      return keyDetails(entry);
    case "deployment-list":
      return listDetails(entry, about);
    case "dataset":
      return datasetDetails(entry);
    case "webhook":
      return webhookDetails(entry);
    default:
      return undefined;
  }
}

const RULE_KINDS = { added: "rule.created", changed: "rule.updated", deleted: "rule.deleted" } as const;

/** A large change is one event with numbers. If they are not known, it is told to whom wants any of the kinds. */
function rulesDetails({ rulesetId, rules, ruleCount }: AuditEntry, { ruleset, baseUrl }: About): Details | undefined {
  const verbs = (["added", "changed", "deleted"] as const).filter((verb) => rules === null || rules[verb].count > 0);
  if (verbs.length === 0) return undefined;
  const url = `${baseUrl}/v1/edl/ip-rulesets/${rulesetId}/rules`;
  const counts =
    rules === null
      ? { created: null, updated: null, deleted: null }
      : { created: rules.added.count, updated: rules.changed.count, deleted: rules.deleted.count };
  const listed = rules === null ? null : listedRules(rules);
  return {
    kinds: verbs.map((verb) => RULE_KINDS[verb]),
    data: {
      ruleset: { id: rulesetId, name: ruleset(rulesetId!)?.name ?? null },
      counts: { ...counts, total: ruleCount },
      rules: listed,
      url,
    },
  };
}

/** All of them, each with what was done to it; null if there are too many. */
function listedRules({ before, after, beforeCount, afterCount }: ChangedRules): object[] | null {
  const isWhole = before.length === beforeCount && after.length === afterCount;
  const old = new Set(before.map(({ prefix }) => formatPrefix(prefix)));
  const now = new Set(after.map(({ prefix }) => formatPrefix(prefix)));
  const entry = (action: string) => (rule: Rule) => ({ action, ...ruleDocument(rule) });
  const isIn = (prefixes: ReadonlySet<string>) => (rule: Rule) => prefixes.has(formatPrefix(rule.prefix));
  const listed = [
    ...after.map((rule) => entry(isIn(old)(rule) ? "updated" : "created")(rule)),
    ...before.filter((rule) => !isIn(now)(rule)).map(entry("deleted")),
  ];
  const isShort =
    isWhole && listed.length <= MAX_LISTED && Buffer.byteLength(JSON.stringify(listed)) < MAX_BYTES - 3000;
  return isShort ? listed : null;
}

function rulesetDetails(entry: AuditEntry, kind: EventKind, { baseUrl }: About): Details {
  const { id, name, purpose, description } = (entry.new ?? entry.old) as Ruleset;
  return {
    kinds: [kind],
    data: {
      ruleset: { id, name, purpose, description },
      ...(kind === "ruleset.deleted" ? { counts: { deleted: entry.ruleCount } } : {}),
      url: `${baseUrl}/v1/edl/ip-rulesets/${kind === "ruleset.deleted" ? "" : id}`,
    },
  };
}

function keyDetails(entry: AuditEntry): Details {
  const { id, label, start, access, expiresAt, revokedAt } = entry.new as ApiKey;
  const expires_at = expiresAt === null ? null : new Date(expiresAt).toISOString();
  return {
    kinds: [revokedAt === null ? "key.created" : "key.revoked"],
    data: { key: { id, label, start, access, expires_at } },
  };
}

/** Servers also write down that a list is still the same. */
function listDetails(entry: AuditEntry, { deployment: find, baseUrl }: About): Details | undefined {
  const { deploymentId, published, refused } = entry.new as { deploymentId: string } & Pick<
    Deployment,
    "published" | "refused"
  >;
  const url = `${baseUrl}/v1/edl/deployments/${deploymentId}`;
  const deployment = { id: deploymentId, name: find(deploymentId)?.name ?? null };
  if (refused?.at === entry.at)
    return {
      kinds: ["deployment.refused"],
      data: { deployment, reasons: refused.reasons.slice(0, MAX_LISTED), url },
    };
  if (refused !== null || published?.at !== entry.at) return undefined;
  const { generation, entries } = published;
  return {
    kinds: ["deployment.generated"],
    data: { deployment, generation, ipv4_entries_count: entries[4], ipv6_entries_count: entries[6], url },
  };
}

function datasetDetails(entry: AuditEntry): Details | undefined {
  const { dataset, source, prefixes, added, removed } = entry.new as DatasetFacts;
  return dataset === "catalogue"
    ? { kinds: ["catalogue.updated"], data: { source, prefixes, added, removed } }
    : undefined;
}

function webhookDetails(entry: AuditEntry): Details | undefined {
  const { id, url, stopped } = entry.new as Webhook;
  if (entry.command !== "stop-webhook" || stopped === null) return undefined;
  return {
    kinds: ["webhook.disabled"],
    data: { webhook: { id, host: new URL(url).host }, reason: stopped.reason },
  };
}
