import type { OldRules } from "../_rule-values.ts";
import type { ChangeBody } from "../change.ts";
import type { Outcome } from "../command.ts";
import type { EventBody } from "../event.ts";
import type { Deployment } from "../records/deployment.ts";
import type { Credential } from "../records/credential.ts";
import type { ExternalList, FetchState } from "../records/external-list.ts";
import type { Organisation, Plan, Ruleset, Session, User } from "../state.ts";
import type { RuleEvent } from "../packed-events.ts";
import type { Webhook, WebhookProgress, WebhookSecrets } from "../records/webhook.ts";
import type { RulesSummary } from "./_rules-summary.ts";

/** The effect of a command: its outcome, its change, and what has to be written besides rules. */
export interface Decision {
  readonly outcome: Outcome;
  /** What the audit log calls the command, if not by its kind. */
  readonly command?: string;
  readonly changes: readonly Recorded[];
  /** The part of the feed that has been written already, before what `changes` add to it. */
  readonly eventParts?: readonly EventPart[];
  /** Events that it adds to the feed besides those that follow from `changes`. */
  readonly events?: readonly EventBody[];
  /** Added to the feed of each of these organisations, which may be all. */
  readonly eventsOfAll?: { readonly organisationIds: readonly string[]; readonly body: EventBody };
  readonly writes?: readonly Write[];
  /** The organisation and the author of the change, if the command does not have them. */
  readonly organisationId?: string;
  readonly actor?: string;
}

/** Events of rules that were written before their numbers were known. */
export interface EventPart {
  readonly id: string;
  readonly part: number;
  readonly count: number;
}

/** What a command changed, and the previous state. */
export interface Recorded {
  readonly change: ChangeBody;
  /** The previous state of anything other than rules. */
  readonly old?: object | undefined;
  /** undefined if there are too many to keep. As JSON if there are many. */
  readonly oldRules?: OldRules | string | undefined;
  /** How many rules it touched, if the change itself does not have the number. */
  readonly ruleCount?: number;
  /** The id of parts in `kept_rules`. */
  readonly kept?: string | null;
  readonly summary?: RulesSummary | undefined;
  /** What happened to its rules, for the feed; without those that have been written in parts. */
  readonly ruleEvents?: readonly RuleEvent[];
}

/** A user with the properties that no reader may see. */
export interface Account extends User {
  /** The password's hash; null until an invitation has been accepted. */
  readonly password: string | null;
  /** The digest of the open invitation's token. */
  readonly invitation: string | null;
}

/** A write to one table. Executed in the given order. */
export type Write =
  | { readonly insert: "organisation"; readonly organisation: Organisation }
  | { readonly save: "organisation"; readonly organisation: Organisation }
  | { readonly save: "plan"; readonly plan: Plan }
  | { readonly insert: "ruleset"; readonly ruleset: Ruleset }
  | { readonly save: "ruleset"; readonly ruleset: Ruleset }
  | { readonly insert: "credential"; readonly credential: Credential }
  /** As revoked: nothing else of it changes. */
  | { readonly save: "credential"; readonly credential: Credential }
  | { readonly insert: "user"; readonly account: Account }
  | { readonly save: "user"; readonly account: Account }
  | { readonly insert: "deployment"; readonly deployment: Deployment }
  | { readonly save: "deployment"; readonly deployment: Deployment }
  | {
      readonly save: "published-list";
      readonly deploymentId: string;
      readonly generation: number;
      readonly content: string;
    }
  | { readonly delete: "published-list"; readonly deploymentId: string }
  | { readonly delete: "bouncer-state"; readonly credentialId: string }
  | { readonly insert: "external-list"; readonly list: ExternalList; readonly state: FetchState }
  | { readonly save: "external-list"; readonly list: ExternalList; readonly state: FetchState }
  | { readonly save: "list-content"; readonly listId: string; readonly number: number; readonly content: string }
  /** With its content. */
  | { readonly delete: "external-list"; readonly listId: string }
  | { readonly insert: "webhook"; readonly webhook: Webhook; readonly secrets: WebhookSecrets }
  /** With its secrets only if they change. */
  | { readonly save: "webhook"; readonly webhook: Webhook; readonly secrets?: WebhookSecrets }
  | { readonly save: "webhook-progress"; readonly progress: WebhookProgress }
  | { readonly delete: "webhook"; readonly webhookId: string }
  | { readonly save: "announcement"; readonly about: string; readonly at: number }
  | { readonly insert: "session"; readonly session: Session }
  | { readonly delete: "sessions"; readonly digests: readonly string[] }
  /** Sessions of all users that have expired by then. */
  | { readonly delete: "expired-sessions"; readonly at: number };

/** Makes the id of something new. It is passed to deciders, so that they are deterministic. */
export type NewId = () => string;
