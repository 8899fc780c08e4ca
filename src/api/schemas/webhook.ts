import { Type } from "typebox";
import { formatTimestamp } from "../../time/format-timestamp.ts";
import { type Delivery, EVENT_KINDS, type Webhook, type WebhookProgress } from "../../store/records/webhook.ts";
import { lastEnd } from "../../store/records/previous-secret.ts";
import { previousDocuments, PreviousSecrets } from "./previous-secrets.ts";
import { Count, LineText, named, NullableText, NullableTimestamp, shownAs, strict, Timestamp } from "./common.ts";

const MAX_DESCRIPTION = 1000;
const MAX_GRACE_HOURS = 168;

const Kind = named("EventKind", Type.Enum([...EVENT_KINDS]));

const Health = named(
  "WebhookHealth",
  Type.Object({
    status: Type.Enum(["ok", "failing", "disabled", "inactive"], {
      description:
        "failing: the last attempt failed, and is repeated; disabled: the server has stopped delivering; inactive: a user has switched it off",
    }),
    reason: NullableText({
      description: "why it is disabled: gone (a response with status 410) or failing (three days without success)",
    }),
    disabled_at: NullableTimestamp,
    failing_since: NullableTimestamp,
    failed_attempts: Type.Integer({ minimum: 0, description: "attempts to deliver the next event, so far" }),
    next_attempt_at: NullableTimestamp,
    last_attempt_at: NullableTimestamp,
    last_success_at: NullableTimestamp,
    given_up: Type.Integer({ minimum: 0, description: "events that were given up after ten attempts" }),
  }),
);

export const WebhookSchema = named(
  "Webhook",
  Type.Object({
    id: Type.String({ format: "uuid" }),
    url: Type.String(),
    description: Type.String(),
    kinds: Type.Array(Kind),
    active: Type.Boolean(),
    created_at: Timestamp,
    updated_at: Timestamp,
    previous_secret_until: NullableText({
      format: "date-time",
      description: "until when messages are also signed with a previous secret: the last end of `previous_secrets`",
    }),
    previous_secrets: PreviousSecrets("the secrets with which messages are also signed, oldest first"),
    health: Health,
  }),
);

export function webhookDocument(
  { id, url, description, kinds, active, stopped, previous, createdAt, updatedAt }: Webhook,
  progress: WebhookProgress | undefined,
  now: number,
): Record<string, unknown> {
  const failingSince = progress?.failingSince ?? null;
  const isStopped = stopped !== null;
  return {
    id,
    url,
    description,
    kinds,
    active,
    created_at: formatTimestamp(createdAt),
    updated_at: formatTimestamp(updatedAt),
    previous_secret_until: time(lastEnd(previous, now)),
    previous_secrets: previousDocuments(previous, now),
    health: {
      status: isStopped ? "disabled" : !active ? "inactive" : failingSince === null ? "ok" : "failing",
      reason: stopped?.reason ?? null,
      disabled_at: time(stopped?.at),
      failing_since: time(failingSince),
      failed_attempts: progress?.attempts ?? 0,
      next_attempt_at: time(progress?.nextAt),
      last_attempt_at: time(progress?.lastAttemptAt),
      last_success_at: time(progress?.lastSuccessAt),
      given_up: progress?.givenUp ?? 0,
    },
  };
}

function time(at: number | null | undefined): string | null {
  return at === null || at === undefined ? null : formatTimestamp(at);
}

export const WebhookList = named(
  "WebhookList",
  Type.Object({ items: Type.Array(WebhookSchema, { description: "oldest first" }), count: Count }),
);

export const WebhookParameters = Type.Object({ webhook_id: Type.String({ format: "uuid" }) });
export const DeliveryParameters = Type.Object({
  webhook_id: Type.String({ format: "uuid" }),
  delivery_id: Type.String({ format: "uuid" }),
});

const Url = shownAs(
  Type.String({
    maxLength: 2000,
    format: "uri",
    description: "of https, without a user name, password or fragment; redirects are not followed",
    examples: ["https://example.org/hooks/ipsieve"],
  }),
  Type.String({ maxLength: 2000 }),
);
const Kinds = Type.Array(Kind, {
  minItems: 1,
  maxItems: EVENT_KINDS.length,
  uniqueItems: true,
  description: "the events that it receives; one change of several rules is one event",
});
const Description = LineText({ maxLength: MAX_DESCRIPTION, description: "without control characters" });

export const CreateWebhookBody = named(
  "CreateWebhookRequest",
  Type.Object(
    {
      url: Url,
      kinds: Kinds,
      description: Type.Optional(Description),
      active: Type.Optional(Type.Boolean({ default: true })),
    },
    strict,
  ),
);

export const UpdateWebhookBody = named(
  "UpdateWebhookRequest",
  Type.Object(
    {
      url: Type.Optional(Url),
      kinds: Type.Optional(Kinds),
      description: Type.Optional(Description),
      active: Type.Optional(
        Type.Boolean({ description: "true also restarts an endpoint that the server has disabled" }),
      ),
      missed: Type.Optional(
        Type.Enum(["resume", "skip"], {
          default: "resume",
          description: "when it restarts: whether the events since it stopped are delivered or skipped",
        }),
      ),
    },
    { ...strict, minProperties: 1 },
  ),
);

const Secret = Type.String({
  description: "the secret of its signatures (Standard Webhooks); it is not shown again",
  examples: ["whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"],
});

export const CreatedWebhook = named("CreatedWebhook", Type.Object({ webhook: WebhookSchema, secret: Secret }));

export const RotateWebhookBody = named(
  "RotateWebhookRequest",
  Type.Object(
    {
      grace_hours: Type.Optional(
        Type.Integer({
          minimum: 0,
          maximum: MAX_GRACE_HOURS,
          default: 24,
          description:
            "how long messages are also signed with the replaced secret; those before it sign until their own ends. 0: from now on, only the new secret signs",
        }),
      ),
    },
    strict,
  ),
);
export const RotatedWebhook = named("RotatedWebhook", Type.Object({ webhook: WebhookSchema, secret: Secret }));

const deliveryMembers = {
  id: Type.String({ format: "uuid" }),
  at: Timestamp,
  message_id: Type.String({ description: "the header webhook-id, the same over all attempts" }),
  type: Type.String({ examples: ["rule.created"] }),
  cause: named("DeliveryCause", Type.Enum(["event", "test", "resend"])),
  attempt: Type.Integer({ minimum: 1 }),
  outcome: named("DeliveryOutcome", Type.Enum(["delivered", "failed", "given-up"])),
  status: Type.Unsafe<number | null>({
    type: ["integer", "null"],
    description: "of the response; null if there was none",
  }),
  error: Type.String({ description: "why it failed; empty if it did not" }),
  milliseconds: Type.Integer({ minimum: 0, description: "until the head of the response had arrived" }),
};
export const DeliverySchema = named("WebhookDelivery", Type.Object(deliveryMembers));
export const SentDeliverySchema = named(
  "SentWebhookDelivery",
  Type.Object({ ...deliveryMembers, body: Type.String({ description: "what was sent, as text" }) }),
);

export const DeliveryList = named(
  "WebhookDeliveryList",
  Type.Object({
    items: Type.Array(DeliverySchema, { description: "the last ones, newest first, one for each attempt" }),
    count: Count,
  }),
);

export function deliveryDocument({ id, at, messageId, ...delivery }: Delivery): Record<string, unknown> {
  const { type, cause, attempt, outcome, status, error, milliseconds } = delivery;
  return {
    id,
    at: formatTimestamp(at),
    message_id: messageId,
    type,
    cause,
    attempt,
    outcome,
    status,
    error,
    milliseconds,
  };
}
