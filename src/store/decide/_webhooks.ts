import type {
  CreateWebhookCommand,
  DeleteWebhookCommand,
  RotateWebhookCommand,
  StopWebhookCommand,
  UpdateWebhookCommand,
} from "../command.ts";
import { WEBHOOKS_SETTING } from "../records/limit-settings.ts";
import type { Webhook, WebhookDefinition, WebhookProgress, WebhookSecrets } from "../records/webhook.ts";
import type { Decision, NewId } from "./_decision.ts";
import { checkRoom, type Room } from "./_room.ts";
import { previousAfter } from "./_rotation.ts";
import { checkTexts } from "./_texts.ts";

/** `count`: those of the organisation, which may be at most `max`; `sequence`: the last event, after which its own begin. */
export function createWebhook(
  { organisationId, definition, secret, at }: CreateWebhookCommand,
  { sequence, ...room }: Room & { readonly sequence: number },
  newId: NewId,
): Decision {
  checkTexts(JSON.stringify(definition));
  checkRoom("too-many-webhooks", room, `webhook endpoints (${WEBHOOKS_SETTING}); delete some first`);
  const webhook: Webhook = {
    ...definition,
    id: newId(),
    organisationId,
    stopped: null,
    rotation: 1,
    previous: [],
    createdAt: at,
    updatedAt: at,
  };
  return {
    outcome: { webhook },
    changes: [{ change: { kind: "webhook", webhook } }],
    writes: [
      { insert: "webhook", webhook, secrets: { current: secret, previous: [] } },
      { save: "webhook-progress", progress: progressFrom(webhook.id, sequence) },
    ],
  };
}

/**
 * An endpoint that a server has stopped continues when a user activates it: with the events since then (`resume`), or
 * with new events only (`skip`). `sequence`: the last event.
 */
export function updateWebhook(
  { definition, missed = "resume", at }: UpdateWebhookCommand,
  { webhook: before, progress, sequence }: KnownWebhook & { readonly sequence: number },
): Decision {
  const changed: WebhookDefinition = { ...definitionOf(before), ...definition };
  checkTexts(JSON.stringify(changed));
  const isStarted = definition.active === true && (!before.active || before.stopped !== null);
  const isSame = JSON.stringify(changed) === JSON.stringify(definitionOf(before)) && !isStarted;
  if (isSame) return { outcome: { webhook: before }, changes: [] };
  const webhook: Webhook = { ...before, ...changed, updatedAt: at, stopped: isStarted ? null : before.stopped };
  const decision = changedTo(webhook, before);
  if (!isStarted) return decision;
  const next = {
    ...progress,
    cursor: missed === "skip" ? sequence : progress.cursor,
    attempts: 0,
    nextAt: null,
    failingSince: null,
  };
  return { ...decision, writes: [...decision.writes!, { save: "webhook-progress", progress: next }] };
}

/** Its secrets and deliveries are deleted as well. */
export function deleteWebhook({ webhookId }: DeleteWebhookCommand, { webhook }: KnownWebhook): Decision {
  return {
    outcome: {},
    changes: [{ change: { kind: "webhook-deleted", webhookId }, old: webhook }],
    writes: [{ delete: "webhook", webhookId }],
  };
}

/**
 * The replaced secret also signs until `graceUntil`, and earlier ones until their own ends. Throws StoreError
 * (`too-many-rotations`).
 */
export function rotateWebhook(
  { secret, graceUntil, at }: RotateWebhookCommand,
  { webhook: before, secrets }: KnownWebhook,
): Decision {
  const { rotation } = before;
  const replaced = { rotation, replacedAt: at, until: graceUntil, secret: secrets.current };
  const sealed = previousAfter(secrets.previous, replaced, at, "secrets of the webhook endpoint");
  const previous = sealed.map(({ secret: _secret, ...each }) => each);
  const webhook: Webhook = { ...before, rotation: rotation + 1, previous, updatedAt: at };
  const { outcome, changes } = changedTo(webhook, before);
  return { outcome, changes, writes: [{ save: "webhook", webhook, secrets: { current: secret, previous: sealed } }] };
}

/** By a server. Nothing happens if a user has changed the endpoint since the server read it (`updatedAt`). */
export function stopWebhook({ reason, seen, at }: StopWebhookCommand, { webhook: before }: KnownWebhook): Decision {
  if (before.stopped !== null || !before.active || before.updatedAt !== seen)
    return { outcome: { webhook: before }, changes: [] };
  return changedTo({ ...before, stopped: { at, reason } }, before);
}

/** Everything that the database has of an endpoint. */
export interface KnownWebhook {
  readonly webhook: Webhook;
  readonly secrets: WebhookSecrets;
  readonly progress: WebhookProgress;
}

function changedTo(webhook: Webhook, before: Webhook): Decision {
  return {
    outcome: { webhook },
    changes: [{ change: { kind: "webhook", webhook }, old: before }],
    writes: [{ save: "webhook", webhook }],
  };
}

function definitionOf({ url, description, kinds, active }: Webhook): WebhookDefinition {
  return { url, description, kinds, active };
}

function progressFrom(webhookId: string, cursor: number): WebhookProgress {
  return {
    webhookId,
    cursor,
    attempts: 0,
    nextAt: null,
    failingSince: null,
    lastAttemptAt: null,
    lastSuccessAt: null,
    givenUp: 0,
  };
}
