import type { Generated } from "kysely";
import type { LastVersion } from "../decide/_indicators.ts";
import type { DeliveryCause, DeliveryOutcome } from "../records/webhook.ts";
import type { CredentialKind } from "../records/credential.ts";
import type { GuardPolicy } from "../records/guard-policy.ts";
import type { Area, Purpose, Role } from "../state.ts";

// The rows, as both databases return them: times in milliseconds, counts and sequences as numbers.

export interface Tables {
  readonly store: StoreRow;
  readonly organisations: OrganisationRow;
  readonly plans: PlanRow;
  readonly credentials: CredentialRow;
  readonly users: UserRow;
  readonly sessions: SessionRow;
  readonly rulesets: RulesetRow;
  readonly rules: RuleRow;
  readonly changes: ChangeRow;
  readonly kept_rules: KeptRulesRow;
  readonly idempotency: IdempotencyRow;
  readonly key_usage: KeyUsageRow;
  readonly traffic: TrafficRow;
  readonly limit_counts: LimitCountsRow;
  readonly deployments: DeploymentRow;
  readonly published_lists: PublishedListRow;
  readonly pulls: PullRow;
  readonly pull_counts: PullCountRow;
  readonly bouncer_states: BouncerStateRow;
  readonly bouncer_lists: BouncerListRow;
  readonly event_heads: EventHeadRow;
  readonly events: EventRow;
  readonly event_parts: EventPartRow;
  readonly webhooks: WebhookRow;
  readonly webhook_progress: WebhookProgressRow;
  readonly webhook_deliveries: DeliveryRow;
  readonly leases: LeaseRow;
  readonly external_lists: ExternalListRow;
  readonly list_contents: ListContentRow;
  readonly blocked_counts: BlockedCountRow;
  readonly key_file: KeyFileRow;
  readonly url_readers: UrlReaderRow;
  readonly announced_expiries: AnnouncedExpiryRow;
  readonly announcements: AnnouncementRow;
  readonly indicator_collections: IndicatorCollectionRow;
  readonly indicators: IndicatorRow;
}

/** One row. */
export interface StoreRow {
  readonly id: number;
  /** How many migrations have run. */
  readonly schema: number;
  /**
   * The last change. The holder of the lock on this row assigns the next numbers, so numbers are in the order of
   * commits.
   */
  readonly sequence: number;
  /** The identity of these tables in this PostgreSQL database; tables restored from a dump get a different one. */
  readonly identity: Generated<string | null>;
}

export interface OrganisationRow {
  readonly id: string;
  readonly name: string;
  readonly created_at: number;
  /** JSON. */
  readonly guard_classes: string | null;
}

export interface PlanRow {
  readonly organisation_id: string;
  readonly area: Area;
  readonly active: number;
  readonly until: number | null;
  readonly per_minute: number | null;
  readonly per_month: number | null;
}

export interface CredentialRow {
  readonly id: string;
  readonly organisation_id: string;
  readonly kind: CredentialKind;
  readonly label: string;
  readonly digest: string;
  readonly start: string;
  readonly created_at: number;
  readonly expires_at: number | null;
  readonly revoked_at: number | null;
  /** JSON of what the kind opens. */
  readonly scope: string;
}

export interface UserRow {
  readonly id: string;
  readonly organisation_id: string;
  readonly name: string;
  /** The result of `keyOfName`: equal for names that differ only in case. */
  readonly name_key: string;
  readonly role: Role;
  /** The hash, in the form of its checker; null until an invitation has been accepted. */
  readonly password: string | null;
  /** SHA-256 of the open invitation's token in base64url. */
  readonly invitation: string | null;
  readonly invited_until: number | null;
  readonly created_at: number;
  readonly last_sign_in_at: number | null;
  readonly deleted_at: number | null;
}

export interface SessionRow {
  readonly digest: string;
  readonly user_id: string;
  readonly created_at: number;
  readonly expires_at: number;
}

export interface RulesetRow {
  /** Used instead of the id in every rule: 8 bytes instead of 36. */
  readonly number: Generated<number>;
  readonly id: string;
  readonly organisation_id: string;
  readonly name: string;
  readonly purpose: Purpose;
  readonly description: string;
  readonly created_at: number;
  readonly updated_at: number;
  readonly version: number;
  readonly stamp: string;
  readonly rule_count: number;
  /** The feed has exactly the expiries that are not later than this, and those in `announced_expiries`. */
  readonly expired_until: Generated<number>;
  /** No other rule has an expiry between `expired_until` and this; null: there is none after it. */
  readonly next_expiry: Generated<number | null>;
  /** No expiry in `announced_expiries` is later; null: there is none. */
  readonly announced_until: Generated<number | null>;
  readonly guard: GuardPolicy;
  /** JSON. */
  readonly guard_classes: string | null;
  readonly never_block: number;
}

/** A rule whose expiry is in the feed, although it comes after `expired_until` of its ruleset. */
export interface AnnouncedExpiryRow {
  readonly ruleset: number;
  readonly prefix: string;
  readonly expires_at: number;
}

export interface RuleRow {
  readonly ruleset: number;
  /** The result of `keyOfPrefix`, which sorts as prefixes do. */
  readonly prefix: string;
  readonly name: string | null;
  readonly expires_at: number | null;
  readonly created_at: number;
  readonly updated_at: number;
}

export interface ChangeRow {
  readonly sequence: number;
  /**
   * The transaction that wrote it, a random UUID: a writer whose connection broke uses it to find out whether it
   * committed.
   */
  readonly transaction: string;
  readonly at: number;
  readonly actor: string;
  readonly organisation_id: string;
  readonly kind: string;
  /** JSON. */
  readonly body: string;
  /** The kind of the command that made the change; null in changes from before there were users. */
  readonly command: string | null;
  readonly ruleset_id: string | null;
  /** How many rules it touched, for changes of rules. */
  readonly rule_count: number | null;
  /** JSON of the previous state, for changes of anything other than rules; null if there was none. */
  readonly old: string | null;
  /** JSON of `OldRules`; null if there were none or too many, or if they are in `kept_rules`. */
  readonly old_rules: string | null;
  /** The id of the parts in `kept_rules`. */
  readonly kept: string | null;
  /** JSON of `RulesSummary`; null if there are few rules, which need no summary. */
  readonly told: string | null;
}

/** A part of the rules that a large change touched: some thousand. */
export interface KeptRulesRow {
  readonly id: string;
  readonly part: number;
  /** The time of the change; parts are deleted by age. */
  readonly at: number;
  /** JSON of `OldRules`. */
  readonly rules: string;
}

export interface IdempotencyRow {
  readonly organisation_id: string;
  readonly key: string;
  readonly request: string;
  /** JSON of an `Answer`; null only while its transaction runs. */
  readonly answer: string | null;
  readonly created_at: number;
}

export interface KeyUsageRow {
  readonly key_id: string;
  /** "" in rows from before areas were counted separately. */
  readonly area: Area | "";
  readonly month: string;
  readonly requests: number;
  readonly last_used_at: number;
}

export interface TrafficRow {
  /** The length of the step, in milliseconds. */
  readonly step: number;
  readonly at: number;
  readonly requests: number;
  readonly refused: number;
  readonly failed: number;
  readonly lookups: number;
  /** JSON of `Times`. */
  readonly times: string;
}

/** A message of one server to all others. */
export interface LimitCountsRow {
  /** The server's id, a new one at each start. */
  readonly server: string;
  /** The server numbers its messages in order. */
  readonly number: number;
  /** When it was written, by the database's clock. */
  readonly at: number;
  /** How long the server's minute had lasted then, in milliseconds. */
  readonly age: number;
  /** JSON. */
  readonly counts: string;
}

export interface DeploymentRow {
  readonly id: string;
  readonly organisation_id: string;
  readonly name: string;
  /** JSON of `DeploymentDefinition`. */
  readonly definition: string;
  readonly created_at: number;
  readonly updated_at: number;
  readonly deleted_at: number | null;
  readonly rotation: number;
  /** JSON of `PreviousSecret[]`. */
  readonly previous: string;
  /** SHA-256 in base64url. */
  readonly password: string | null;
  /** JSON of `PublishedList`. */
  readonly published: string | null;
  /** JSON of `RefusedList`. */
  readonly refused: string | null;
  readonly released: number | null;
}

export interface PublishedListRow {
  readonly deployment_id: string;
  readonly generation: number;
  readonly content: string;
}

export interface PullRow {
  readonly deployment_id: string;
  readonly at: number;
  /** Distinguishes pulls of the same millisecond; the same when a record is repeated. */
  readonly id: string;
  readonly file: string;
  readonly address: string;
  readonly agent: string;
  readonly status: number;
  readonly bytes: number;
}

export interface PullCountRow {
  readonly deployment_id: string;
  readonly day: number;
  readonly pulls: number;
  readonly bytes: number;
}

export interface BouncerStateRow {
  readonly credential_id: string;
  readonly version: number;
  readonly digest: string;
  readonly issued_at: number;
  readonly pulled_at: number;
  readonly agent: string;
  readonly doubt: string | null;
}

/** A list that at least one bouncer of the deployment has. */
export interface BouncerListRow {
  readonly deployment_id: string;
  readonly digest: string;
  readonly content: string;
}

/** The number of an organisation's last event. */
export interface EventHeadRow {
  readonly organisation_id: string;
  /**
   * A random id. A database that is restored from a backup gets another one: its next events get numbers that other
   * events had.
   */
  readonly feed: string;
  readonly sequence: number;
}

/** Events of an organisation with consecutive numbers: some of the rules of one ruleset, or one of another type. */
export interface EventRow {
  readonly organisation_id: string;
  readonly first: number;
  readonly last: number;
  readonly at: number;
  /** "rules" for events of rules, which each have their own type. */
  readonly type: string;
  readonly ruleset_id: string | null;
  /** JSON of packed rule events, or of the event's data; null if it is in `event_parts`. */
  readonly body: string | null;
  /** The id and number of the row of `event_parts`. */
  readonly parts: string | null;
  readonly part: number | null;
}

/** Events of a list that were written before their numbers were known. */
export interface EventPartRow {
  readonly id: string;
  readonly part: number;
  readonly body: string;
}

export interface ExternalListRow {
  readonly id: string;
  readonly organisation_id: string;
  readonly name: string;
  /** JSON of `ExternalListDefinition`. */
  readonly definition: string;
  readonly created_at: number;
  readonly updated_at: number;
  /** JSON of `ListCredentials`. */
  readonly credentials: string | null;
  /** JSON of `FetchedContent`. */
  readonly content: string | null;
  /** JSON of `FetchProblem`. */
  readonly problem: string | null;
  readonly checked_at: number | null;
  readonly due_at: number;
  readonly claimed_until: number;
  /** JSON of `FetchValidators`. */
  readonly validators: string | null;
  /** Encrypted. */
  readonly secret: string | null;
}

export interface ListContentRow {
  readonly list_id: string;
  readonly number: number;
  /** In the same form as the lists of deployments. */
  readonly content: string;
}

export interface BlockedCountRow {
  readonly deployment_id: string;
  /** The beginning of the hour. */
  readonly hour: number;
  readonly source: string;
  readonly prefix: string;
  readonly unit: string;
  readonly amount: number;
}

export interface WebhookRow {
  readonly id: string;
  readonly organisation_id: string;
  /** JSON of `WebhookDefinition`. */
  readonly definition: string;
  /** JSON. */
  readonly stopped: string | null;
  readonly rotation: number;
  /** Sealed with the key file of the servers, as are the previous secrets. */
  readonly secret: string;
  /** JSON of `SealedPrevious[]`. */
  readonly previous: string;
  readonly created_at: number;
  readonly updated_at: number;
}

export interface WebhookProgressRow {
  readonly webhook_id: string;
  /** The cursor: the last event that needs no further attempt. */
  readonly sequence: number;
  readonly attempts: number;
  readonly next_at: number | null;
  readonly failing_since: number | null;
  readonly last_attempt_at: number | null;
  readonly last_success_at: number | null;
  readonly given_up: number;
}

export interface DeliveryRow {
  readonly webhook_id: string;
  readonly at: number;
  readonly id: string;
  readonly message_id: string;
  readonly type: string;
  readonly cause: DeliveryCause;
  readonly attempt: number;
  readonly outcome: DeliveryOutcome;
  readonly status: number | null;
  readonly error: string;
  readonly milliseconds: number;
  readonly body: string;
}

/** A task that one server does for all. */
export interface LeaseRow {
  readonly name: string;
  readonly holder: string;
  /** By the database's clock. */
  readonly until: number;
}

/** The table has at most one row. */
export interface KeyFileRow {
  readonly id: number;
  readonly fingerprint: string;
}

/** When a key or a deployment had an event of the feed that comes only once. */
export interface AnnouncementRow {
  /** The id of the key or the deployment. */
  readonly about: string;
  readonly at: number;
}

/**
 * How far the indicators of a collection have followed their source. Holding this row's lock numbers them in the order
 * of commits.
 */
export interface IndicatorCollectionRow {
  readonly id: string;
  readonly number: number;
  readonly organisation_id: string;
  /** When its last indicator was added, in microseconds. */
  readonly head: number;
  /** The state of its source that it has completely; -1: none yet; -2: none, and its indicators have been deleted. */
  readonly mark: number;
  /** The id of the feed whose events `mark` counts. */
  readonly feed: string;
  /** For a comparison in progress: the state of the source, and the key of the last prefix compared. */
  readonly scan_mark: number | null;
  readonly scan_after: string | null;
}

export interface IndicatorRow extends LastVersion {
  readonly collection: number;
  /** The microsecond at which a later version was added. */
  readonly superseded: number | null;
}

export interface UrlReaderRow {
  readonly key_id: string;
  readonly deployment_id: string;
  readonly rotation: number;
  readonly at: number;
}
