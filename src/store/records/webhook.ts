import type { PreviousSecret } from "./previous-secret.ts";

/** What endpoints can subscribe to. `rule.changed` is one change that created, updated or deleted several rules. */
export const EVENT_KINDS = [
  "rule.created",
  "rule.updated",
  "rule.deleted",
  "rule.expired",
  "ruleset.created",
  "ruleset.updated",
  "ruleset.deleted",
  "deployment.generated",
  "deployment.refused",
  "deployment.not_pulled",
  "list.refreshed",
  "list.refused",
  "catalogue.updated",
  "key.created",
  "key.revoked",
  "key.expiring",
  "webhook.disabled",
] as const;
export type EventKind = (typeof EVENT_KINDS)[number];

/**
 * Why a server has stopped delivering to an endpoint: the endpoint answered 410 (gone), or no delivery has succeeded
 * for three days.
 */
export type StopReason = "gone" | "failing";

/** What users decide about an endpoint. */
export interface WebhookDefinition {
  /** Of https; of http only for addresses that the operator allows. */
  readonly url: string;
  readonly description: string;
  /** At least one; other events are not delivered. */
  readonly kinds: readonly EventKind[];
  readonly active: boolean;
}

/** An endpoint that receives events of its organisation, one after the other. Its secrets are not part of it. */
export interface Webhook extends WebhookDefinition {
  readonly id: string;
  readonly organisationId: string;
  /** Set by a server that has stopped delivering; null again when a user activates it. */
  readonly stopped: { readonly at: number; readonly reason: StopReason } | null;
  /** The number of the secret, from 1, and the secrets before it, which may still sign. */
  readonly rotation: number;
  readonly previous: readonly PreviousSecret[];
  readonly createdAt: number;
  readonly updatedAt: number;
}

/** The secrets of an endpoint, sealed with the key file of the servers. */
export interface WebhookSecrets {
  readonly current: string;
  readonly previous: readonly SealedPrevious[];
}

export interface SealedPrevious extends PreviousSecret {
  readonly secret: string;
}

/** How far the delivery to an endpoint has come. */
export interface WebhookProgress {
  readonly webhookId: string;
  /**
   * Everything up to this event of the feed has been delivered, given up, or of a kind that the endpoint does not
   * subscribe to.
   */
  readonly cursor: number;
  /** Failed attempts to deliver the event after it, and when the next one is due. */
  readonly attempts: number;
  readonly nextAt: number | null;
  /** The first failure since the last success; null: the last attempt succeeded, or there was none. */
  readonly failingSince: number | null;
  readonly lastAttemptAt: number | null;
  readonly lastSuccessAt: number | null;
  /** Events that were given up, in all. */
  readonly givenUp: number;
}

/** `delivered`: the response was 2xx; `failed`: it will be retried; `given-up`: it will not. */
export type DeliveryOutcome = "delivered" | "failed" | "given-up";
/** Why a message was sent: an event happened, or a user requested a test message or a repetition. */
export type DeliveryCause = "event" | "test" | "resend";

/** One attempt to deliver a message. */
export interface Delivery {
  readonly id: string;
  readonly webhookId: string;
  readonly at: number;
  /** The same over all attempts and repetitions. */
  readonly messageId: string;
  readonly type: string;
  readonly cause: DeliveryCause;
  /** 1 for the first. */
  readonly attempt: number;
  readonly outcome: DeliveryOutcome;
  /** Of the response; null: there was none. */
  readonly status: number | null;
  /** Why it failed; "" if it did not. */
  readonly error: string;
  readonly milliseconds: number;
}

/** A delivery with what was sent. */
export interface SentDelivery extends Delivery {
  readonly body: string;
}

/** An attempt to be recorded. */
export interface DeliveryRecord {
  readonly delivery: SentDelivery;
  /**
   * The progress after the attempt, with the cursor that it starts from: if the cursor has moved since, the progress
   * stays. null: the message is not an event.
   */
  readonly progress: { readonly from: number; readonly next: WebhookProgress } | null;
}
