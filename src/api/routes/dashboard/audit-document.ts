import { formatPrefix } from "../../../address/prefix.ts";
import { formatTimestamp } from "../../../time/format-timestamp.ts";
import type { AuditEntry, ChangedRules } from "../../../store/records/audit.ts";
import { type AuditedCredential, CREDENTIALS, type CredentialKind } from "../../../store/records/credential.ts";
import { actorDocument } from "../../../service/rules/actor-document.ts";
import { actionOf } from "../../../service/changes/audit-actions.ts";
import type { Area, DatasetFacts } from "../../../store/state.ts";
import type { ServiceMemory } from "../../../service/store/service-memory.ts";
import { ruleDocument } from "../../../formats/rule-document.ts";
import type { AuditEntrySchema } from "../../schemas/audit.ts";
import type { DocumentOf } from "../../schemas/common.ts";
import { grouped } from "../../../words/numbers.ts";

type State = Readonly<Record<string, string | number | boolean | null | readonly string[]>>;

/** An entry as the pages show it. */
export function auditDocument(
  entry: AuditEntry,
  organisationId: string,
  memory: ServiceMemory,
): DocumentOf<typeof AuditEntrySchema> {
  const { sequence, at, command: kind, rulesetId } = entry;
  return {
    sequence,
    at: formatTimestamp(at),
    actor: actorDocument(entry.actor, organisationId, memory),
    kind,
    action: actionOf(kind),
    ruleset_id: rulesetId,
    summary: summaryOf(entry),
    counts: countsOf(entry),
    sha256: entry.list?.digest ?? digestOf(entry.new),
    old: stateDocument(entry.old, "before", entry),
    new: stateDocument(entry.new, "after", entry),
  };
}

/** The summary of a dataset's change. */
function digestOf(state: object | null): string | null {
  return (state as DatasetFacts | null)?.dataset === undefined ? null : ((state as DatasetFacts).digest ?? null);
}

function countsOf({ rules, list }: AuditEntry) {
  return rules === null
    ? null
    : {
        created: rules.added.count,
        updated: rules.changed.count,
        deleted: rules.deleted.count,
        skipped: list?.skipped ?? null,
      };
}

/** The properties that are shown, by their names in the store; digests are not. */
const TEXTS: Readonly<Record<string, string>> = {
  id: "id",
  name: "name",
  label: "label",
  purpose: "purpose",
  description: "description",
  guard: "guard",
  guardClasses: "guard_classes",
  neverBlock: "never_block",
  role: "role",
  access: "access",
  start: "start",
  area: "area",
  active: "active",
  dataset: "dataset",
  source: "source",
  prefixes: "prefixes",
  added: "added",
  removed: "removed",
  skipped: "skipped",
};
const TIMES: Readonly<Record<string, string>> = {
  until: "until",
  expiresAt: "expires_at",
  revokedAt: "revoked_at",
  deletedAt: "deleted_at",
  invitedUntil: "invited_until",
};
/** Other things have their creation time from the change that created them. */
const CREATED = { member: "createdAt", name: "created_at" };

function stateDocument(
  state: object | null,
  when: "before" | "after",
  { kind, ruleCount, rules }: AuditEntry,
): object | null {
  const shown: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(state ?? {})) {
    if (Object.hasOwn(TEXTS, name)) shown[TEXTS[name]!] = value;
    else if (Object.hasOwn(TIMES, name)) shown[TIMES[name]!] = value === null ? null : formatTimestamp(value);
    else if (kind === "dataset" && name === CREATED.member) shown[CREATED.name] = formatTimestamp(value);
  }
  // For changes that are too long to show, it is the number of affected rules, which says nothing about before or
  // after.
  if (kind === "ruleset-deleted" && state !== null && rules === null) shown["rule_count"] = ruleCount;
  const count = rules?.[`${when}Count`] ?? 0;
  if (count > 0) Object.assign(shown, { rules: rules![when].map(ruleDocument), rule_count: count });
  return Object.keys(shown).length === 0 ? null : shown;
}

/** What was done, in a few words. */
export function summaryOf(entry: AuditEntry): string {
  const { kind, command } = entry;
  if (kind === "rules" || kind === "rules-replaced")
    return `${command.startsWith("restore-") ? "undid: " : ""}${ruleSummary(entry)}`;
  const [before, after] = [(entry.old ?? {}) as State, (entry.new ?? {}) as State];
  const name = JSON.stringify(after["name"] ?? after["label"] ?? before["name"] ?? "");
  const summary = Object.hasOwn(SUMMARIES, command) ? SUMMARIES[command]!(name, before, after) : undefined;
  if (kind === "ruleset-deleted") return `${summary} with ${counted(entry.ruleCount)}`;
  return kind === "user" && command === "set-up"
    ? `created the first user ${name}`
    : (summary ?? `${actionOf(command).toLowerCase()} ${name}`);
}

type Summary = (name: string, before: State, after: State) => string;

/** `kind`: of changes of earlier releases that do not have it. The `start` of a signed token is the type of its holder. */
function ofCredentials(auditedAs: AuditedCredential, kind: CredentialKind): Readonly<Record<string, Summary>> {
  const credential = (name: string, { kind: own = kind, start }: State): string => {
    const { called, prefix } = CREDENTIALS[own as CredentialKind];
    return `the ${called} ${name} (${String(start)}${prefix === null ? "" : "..."})`;
  };
  return {
    [`create-${auditedAs}`]: (name, _before, after) => `created ${credential(name, after)}`,
    [`revoke-${auditedAs}`]: (name, _before, after) => `revoked ${credential(name, after)}`,
  };
}

const SUMMARIES: Readonly<Record<string, Summary>> = {
  "create-ruleset": (name) => `created the ruleset ${name}`,
  "update-ruleset": (name, before, after) =>
    before["name"] !== after["name"]
      ? `renamed the ruleset ${JSON.stringify(before["name"])} to ${name}`
      : before["description"] !== after["description"]
        ? `changed the description of the ruleset ${name}`
        : `changed the guard of the ruleset ${name}`,
  "delete-ruleset": (name) => `deleted the ruleset ${name}`,
  "restore-ruleset": (name) => `undid the deletion of the ruleset ${name}`,
  "create-organisation": (name, _before, { purpose }) =>
    purpose === undefined ? `created the organisation ${name}` : `created the ruleset ${name}`,
  "set-up": (name, _before, { area, purpose }) =>
    area !== undefined
      ? `gave the organisation the plan for ${planName(area)}`
      : purpose === undefined
        ? `created the organisation ${name}`
        : `created the ruleset ${name}`,
  "set-guard-classes": () => "changed what the guards of the organisation protect",
  "set-plan": (_name, _before, { area, active }) =>
    `${active === true ? "activated" : "deactivated"} the plan for ${planName(area)}`,
  ...ofCredentials("key", "api"),
  ...ofCredentials("credential", "bouncer"),
  ...ofCredentials("taxii-credential", "taxii"),
  "create-user": (name, _before, { role }) => `invited the user ${name} as ${role}`,
  "set-role": (name, before, { role }) => `changed the role of ${name} from ${before["role"]} to ${role}`,
  "delete-user": (name) => `removed the user ${name}`,
  "invite-user": (name) => `invited the user ${name} again`,
  join: (name) => `${name} accepted the invitation`,
  "set-password": (name) => `${name} changed the password`,
  "start-session": (name) => `${name} signed in`,
  "end-session": () => "signed out",
  "create-deployment": (name) => `created the deployment ${name}`,
  "update-deployment": (name) => `changed the deployment ${name}`,
  "delete-deployment": (name) => `deleted the deployment ${name}`,
  "rotate-deployment": (name) => `replaced the credentials of the deployment ${name}`,
  "release-list": (name) => `released a refused list of the deployment ${name}`,
  "create-list": (name) => `created the external list ${name}`,
  "update-list": (name) => `changed the external list ${name}`,
  "delete-list": (name) => `deleted the external list ${name}`,
  "set-list-credentials": (name) => `changed the credentials of the external list ${name}`,
  "create-webhook": (_name, _before, { url }) => `created the webhook endpoint ${hostOf(url)}`,
  "update-webhook": (_name, _before, { url }) => `changed the webhook endpoint ${hostOf(url)}`,
  "delete-webhook": (_name, { url }) => `deleted the webhook endpoint ${hostOf(url)}`,
  "rotate-webhook": (_name, _before, { url }) => `replaced the secret of the webhook endpoint ${hostOf(url)}`,
  "stop-webhook": (_name, _before, { url }) => `stopped delivering to the webhook endpoint ${hostOf(url)}`,
  "update-catalogue": (_name, _before, { prefixes, source }) =>
    `updated the catalogue from ${source}: ${countedPrefixes(prefixes)}`,
  "import-feed": (_name, _before, { prefixes, source, skipped }) =>
    `imported the threat feed ${JSON.stringify(source)}: ${countedPrefixes(prefixes)}${skipped === 0 ? "" : `, ${skipped === 1 ? "1 line" : `${skipped} lines`} skipped`}`,
};

/** Paths and parameters may be secrets of the receiver. */
function hostOf(url: State[string] | undefined): string {
  return URL.parse(String(url))?.host ?? "";
}

function countedPrefixes(count: State[string] | undefined): string {
  return count === 1 ? "1 prefix" : `${grouped(Number(count))} prefixes`;
}

const PLAN_NAMES: Readonly<Record<Area, string>> = {
  edl: "rulesets",
  cbs: "business services",
  cti: "threat intelligence",
};

function planName(area: State[string] | undefined): string {
  return PLAN_NAMES[area as Area];
}

const VERBS = ["added", "changed", "deleted"] as const satisfies readonly (keyof ChangedRules)[];

function ruleSummary({ rules, ruleCount, list, command }: AuditEntry): string {
  // Without the rules, it is not known which of the three each was.
  if (rules === null) return `added, changed or deleted ${counted(ruleCount)}`;
  const verbs = VERBS.flatMap((verb) => {
    const { count, only } = rules[verb];
    return count === 0 ? [] : [`${verb} ${only === null ? `${grouped(count)} rules` : formatPrefix(only)}`];
  });
  if (verbs.length === 0) return "added a rule and deleted it again";
  const skipped =
    list === null || list.skipped === 0 || command.startsWith("restore-")
      ? []
      : [`left ${counted(list.skipped)} as ${list.skipped === 1 ? "it was" : "they were"}`];
  return [...verbs, ...skipped].join(", ");
}

/** Without a count, just "rules". */
function counted(rules: number | null): string {
  return rules === null ? "rules" : `${grouped(rules)} ${rules === 1 ? "rule" : "rules"}`;
}
