import { Type } from "typebox";
import { checkRulesetText } from "../../service/rules/read-rule.ts";
import { invalid } from "../../service/service-error.ts";
import type { Services } from "../../service/services.ts";
import { makeSecret } from "../../service/webhooks/webhook-secret.ts";
import { lastEnd } from "../../store/records/previous-secret.ts";
import {
  EVENT_KINDS,
  type Webhook,
  type WebhookDefinition,
  type WebhookProgress,
} from "../../store/records/webhook.ts";
import { formatTimestamp } from "../../time/format-timestamp.ts";
import type { App } from "../app-type.ts";
import { BY_ADMINS } from "../operation.ts";
import {
  DescriptionText,
  type DocumentOf,
  Id,
  named,
  NullableText,
  NullableTimestamp,
  optional,
  shownAs,
  strict,
  timeOrNull,
  Timestamp,
} from "../schemas/common.ts";
import { GraceHours, graceEnd, previousDocuments, PreviousSecrets } from "../schemas/previous-secrets.ts";
import { type Resource, ResourceRoutes } from "./resource.ts";

const MAX_GRACE_HOURS = 168;

const Kind = named("EventKind", Type.Enum([...EVENT_KINDS]));
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

const CreateBody = named(
  "CreateWebhookRequest",
  Type.Object(
    { url: Url, kinds: Kinds, ...optional({ description: DescriptionText, active: Type.Boolean({ default: true }) }) },
    strict,
  ),
);

const UpdateBody = named(
  "UpdateWebhookRequest",
  Type.Object(
    optional({
      url: Url,
      kinds: Kinds,
      description: DescriptionText,
      active: Type.Boolean({ description: "true also restarts an endpoint that the server has disabled" }),
      missed: Type.Enum(["resume", "skip"], {
        default: "resume",
        description: "when it restarts: whether the events since it stopped are delivered or skipped",
      }),
    }),
    { ...strict, minProperties: 1 },
  ),
);

const RotateBody = named(
  "RotateWebhookRequest",
  Type.Object(
    {
      grace_hours: GraceHours(
        MAX_GRACE_HOURS,
        "how long messages are also signed with the replaced secret; those before it sign until their own ends. 0: from now on, only the new secret signs",
      ),
    },
    strict,
  ),
);

const Secret = Type.String({
  description: "the secret of its signatures (Standard Webhooks); it is not shown again",
  examples: ["whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"],
});

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

const WebhookSchema = named(
  "Webhook",
  Type.Object({
    id: Id,
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
): DocumentOf<typeof WebhookSchema> {
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
    previous_secret_until: timeOrNull(lastEnd(previous, now)),
    previous_secrets: previousDocuments(previous, now),
    health: {
      status: isStopped ? "disabled" : !active ? "inactive" : failingSince === null ? "ok" : "failing",
      reason: stopped?.reason ?? null,
      disabled_at: timeOrNull(stopped?.at),
      failing_since: timeOrNull(failingSince),
      failed_attempts: progress?.attempts ?? 0,
      next_attempt_at: timeOrNull(progress?.nextAt),
      last_attempt_at: timeOrNull(progress?.lastAttemptAt),
      last_success_at: timeOrNull(progress?.lastSuccessAt),
      given_up: progress?.givenUp ?? 0,
    },
  };
}

/** Endpoints that receive events. */
export const webhooks: Resource<Webhook, typeof WebhookSchema> = {
  name: "Webhook",
  tags: ["Webhooks"],
  path: "/webhooks",
  // A colon separates the id from a verb.
  one: "/webhooks/:webhook_id(^[^:]+)",
  params: Type.Object({ webhook_id: Id }),
  read: BY_ADMINS,
  write: BY_ADMINS,
  document: WebhookSchema,
  documents: async (some, { now }, { store }) => {
    const ids = some.map(({ id }) => id);
    const progress = new Map((await store.read("webhookProgress", ids)).map((each) => [each.webhookId, each]));
    return some.map((webhook) => webhookDocument(webhook, progress.get(webhook.id), now));
  },
  row: ({ memory }, organisationId, id) => memory.webhook(organisationId, id),
  unknown: () => "unknown webhook endpoint; listWebhooks lists yours",
};

export function addWebhookRoutes(app: App, services: Services): void {
  const { store, memory } = services;
  const { secretKey } = services.access;
  const routes = new ResourceRoutes(app, services, webhooks);
  routes.list(
    {
      summary: "The webhook endpoints of the organisation, and whether deliveries to them succeed",
      order: "oldest first",
    },
    ({ caller }) => memory.webhooks(caller.organisationId),
  );
  routes.get({ summary: "A webhook endpoint, and whether deliveries to it succeed" });
  routes.create(
    {
      summary: "Creates a webhook endpoint; the response is the only one that contains its secret",
      body: CreateBody,
      bodyExample: {
        url: "https://example.org/hooks/ipsieve",
        kinds: ["rule.created", "rule.deleted", "deployment.refused"],
        description: "SIEM",
      },
      secret: { name: "CreatedWebhook", of: "webhook", members: { secret: Secret } },
    },
    async ({ body: { url, kinds, description = "", active = true }, by }) => {
      const definition = { url, description, kinds, active };
      await check(definition, services);
      const { text, sealed } = makeSecret(secretKey, by.organisationId);
      const { webhook } = await store.write({ kind: "create-webhook", ...by, definition, secret: sealed });
      return { row: webhook, secret: text };
    },
  );
  routes.update(
    {
      summary: "Changes a webhook endpoint, or restarts one that the server has disabled",
      body: UpdateBody,
      bodyExample: { active: true, missed: "skip" },
    },
    async ({ id: webhookId }, { body: { missed, ...definition }, by }) => {
      await check(definition, services);
      return (await store.write({ kind: "update-webhook", ...by, webhookId, definition, missed })).webhook;
    },
  );
  routes.remove({ summary: "Deletes a webhook endpoint with its secret and its deliveries" }, (webhookId, { by }) =>
    store.write({ kind: "delete-webhook", ...by, webhookId }),
  );
  routes.act(
    "::rotate",
    {
      operationId: "rotateWebhook",
      summary: "Replaces the secret of a webhook endpoint; the response is the only one that contains the new one",
      problems: [409],
      body: RotateBody,
      bodyExample: { grace_hours: 24 },
      secret: { name: "RotatedWebhook", of: "webhook", members: { secret: Secret } },
    },
    async ({ id: webhookId }, { body, by }) => {
      const { text, sealed: secret } = makeSecret(secretKey, by.organisationId);
      const graceUntil = graceEnd(body, by.at);
      const { webhook } = await store.write({ kind: "rotate-webhook", ...by, webhookId, secret, graceUntil });
      return { row: webhook, secret: text };
    },
  );
}

/** @throws ServiceError "invalid" */
async function check(
  { url, description }: Partial<WebhookDefinition>,
  { events: { guardedPost } }: Services,
): Promise<void> {
  if (description !== undefined) checkRulesetText({ description });
  const error = url === undefined ? undefined : await guardedPost.errorOf(url);
  if (error !== undefined) throw invalid({ url: [error] });
}
