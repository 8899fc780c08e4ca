import { sql, type Transaction } from "kysely";
import type { KnownWebhook } from "../../decide/_webhooks.ts";
import { StoreError } from "../../store-error.ts";
import type {
  Delivery,
  DeliveryRecord,
  SealedPrevious,
  SentDelivery,
  Webhook,
  WebhookDefinition,
  WebhookProgress,
  WebhookSecrets,
} from "../../records/webhook.ts";
import { type Engine, forUpdate } from "../_engine.ts";
import type { DeliveryRow, Tables, WebhookProgressRow, WebhookRow } from "../_tables.ts";

type Within = Transaction<Tables>;

/** Deliveries kept for each endpoint, and deliveries kept of events that were given up. */
const KEPT_DELIVERIES = 50;
const KEPT_GIVEN_UP = 200;

/** How many endpoints the organisation has, and its last event. */
export async function roomForWebhook(
  within: Within,
  organisationId: string,
): Promise<{ count: number; sequence: number }> {
  const own = within.selectFrom("webhooks").where("organisation_id", "=", organisationId);
  const { count } = await own.select(({ fn }) => fn.countAll<number>().as("count")).executeTakeFirstOrThrow();
  return { count, sequence: await lastEvent(within, organisationId) };
}

/**
 * The endpoint with everything stored about it. Throws StoreError (`webhook-not-found`), also for another
 * organisation's.
 */
export async function knownWebhook(
  within: Within,
  { organisationId, webhookId }: { readonly organisationId: string; readonly webhookId: string },
): Promise<KnownWebhook & { readonly sequence: number }> {
  const own = within.selectFrom("webhooks").selectAll().where("organisation_id", "=", organisationId);
  const row = await own.where("id", "=", webhookId).executeTakeFirst();
  if (row === undefined) throw new StoreError("webhook-not-found", `unknown webhook endpoint ${webhookId}`);
  const progress = within.selectFrom("webhook_progress").selectAll().where("webhook_id", "=", webhookId);
  return {
    webhook: webhookOf(row),
    secrets: secretsOf(row),
    progress: progressOf(await progress.executeTakeFirstOrThrow()),
    sequence: await lastEvent(within, organisationId),
  };
}

async function lastEvent(within: Within, organisationId: string): Promise<number> {
  const head = within.selectFrom("event_heads").select("sequence").where("organisation_id", "=", organisationId);
  return (await head.executeTakeFirst())?.sequence ?? 0;
}

export async function insertWebhook(within: Within, webhook: Webhook, secrets: WebhookSecrets): Promise<void> {
  const row = { ...rowOfWebhook(webhook), ...rowOfSecrets(secrets) };
  await within.insertInto("webhooks").values(row).execute();
}

export async function saveWebhook(
  within: Within,
  webhook: Webhook,
  secrets: WebhookSecrets | undefined,
): Promise<void> {
  const { id, ...values } = rowOfWebhook(webhook);
  await within
    .updateTable("webhooks")
    .set({ ...values, ...(secrets && rowOfSecrets(secrets)) })
    .where("id", "=", id)
    .execute();
}

export async function saveProgress(within: Within, progress: WebhookProgress): Promise<void> {
  const { webhook_id, ...values } = rowOfProgress(progress);
  const row = within.insertInto("webhook_progress").values({ webhook_id, ...values });
  await row.onConflict((conflict) => conflict.column("webhook_id").doUpdateSet(values)).execute();
}

export async function removeWebhook(within: Within, webhookId: string): Promise<void> {
  // Locks it first, as recordings of deliveries do.
  await within.updateTable("webhooks").set({ secret: "", previous: "[]" }).where("id", "=", webhookId).execute();
  await within.deleteFrom("webhook_deliveries").where("webhook_id", "=", webhookId).execute();
  await within.deleteFrom("webhook_progress").where("webhook_id", "=", webhookId).execute();
  await within.deleteFrom("webhooks").where("id", "=", webhookId).execute();
}

/** See `READS.webhookSecrets`. */
export async function readWebhookSecrets({ db }: Engine, webhookId: string): Promise<WebhookSecrets | null> {
  const row = db.selectFrom("webhooks").select(["secret", "previous"]).where("id", "=", webhookId);
  const found = await row.executeTakeFirst();
  return found === undefined ? null : secretsOf(found);
}

/** See `READS.webhookProgress`. */
export async function readWebhookProgress({ db }: Engine, webhookIds: readonly string[]): Promise<WebhookProgress[]> {
  if (webhookIds.length === 0) return [];
  const rows = db.selectFrom("webhook_progress").selectAll().where("webhook_id", "in", webhookIds);
  return (await rows.execute()).map(progressOf);
}

/** See `READS.deliveries`. */
export async function readDeliveries({ db }: Engine, webhookId: string): Promise<Delivery[]> {
  const rows = db
    .selectFrom("webhook_deliveries")
    .select([
      "id",
      "webhook_id",
      "at",
      "message_id",
      "type",
      "cause",
      "attempt",
      "outcome",
      "status",
      "error",
      "milliseconds",
    ])
    .where("webhook_id", "=", webhookId)
    .orderBy("at", "desc")
    .orderBy("id", "desc");
  return (await rows.execute()).map(deliveryOf);
}

/** See `READS.delivery`. */
export async function readDelivery({ db }: Engine, webhookId: string, id: string): Promise<SentDelivery | null> {
  const rows = db.selectFrom("webhook_deliveries").selectAll().where("webhook_id", "=", webhookId);
  const row = await rows.where("id", "=", id).executeTakeFirst();
  return row === undefined ? null : { ...deliveryOf(row), body: row.body };
}

/** See `COUNTERS.delivery`. */
export function recordDelivery(engine: Engine, { delivery, progress }: DeliveryRecord): Promise<boolean> {
  return engine.db.transaction().execute(async (within) => {
    const { webhookId } = delivery;
    // Locked in the order of commands: the endpoint first.
    const known = await sql`select id from webhooks where id = ${webhookId} ${forUpdate(engine)}`.execute(within);
    if (known.rows.length === 0) return false;
    await within.insertInto("webhook_deliveries").values(rowOfDelivery(delivery)).execute();
    await deleteOldDeliveries(within, webhookId);
    return progress === null || moveProgress(within, progress);
  });
}

/** See `COUNTERS.webhookProgress`. */
export function recordProgress(
  engine: Engine,
  progress: { readonly from: number; readonly next: WebhookProgress },
): Promise<boolean> {
  return engine.db.transaction().execute((within) => moveProgress(within, progress));
}

/** A user may have moved it meanwhile. */
async function moveProgress(
  within: Within,
  { from, next }: { readonly from: number; readonly next: WebhookProgress },
): Promise<boolean> {
  const { webhook_id, ...values } = rowOfProgress(next);
  const rows = within.updateTable("webhook_progress").set(values).where("webhook_id", "=", webhook_id);
  return (await rows.where("sequence", "=", from).executeTakeFirst()).numUpdatedRows === 1n;
}

async function deleteOldDeliveries(within: Within, webhookId: string): Promise<void> {
  const newest = (limit: number, isGivenUp: boolean) => sql`
    select id from webhook_deliveries where webhook_id = ${webhookId} ${isGivenUp ? sql`and outcome = 'given-up'` : sql``}
    order by at desc, id desc limit ${sql.lit(limit)}`;
  await sql`
    delete from webhook_deliveries where webhook_id = ${webhookId}
    and id not in (${newest(KEPT_DELIVERIES, false)}) and id not in (${newest(KEPT_GIVEN_UP, true)})`.execute(within);
}

export function webhookOf(row: WebhookRow): Webhook {
  const { id, organisation_id, definition, stopped, rotation, created_at, updated_at } = row;
  return {
    ...(JSON.parse(definition) as WebhookDefinition),
    id,
    organisationId: organisation_id,
    stopped: stopped === null ? null : (JSON.parse(stopped) as Webhook["stopped"]),
    rotation,
    previous: secretsOf(row).previous.map(({ secret: _secret, ...each }) => each),
    createdAt: created_at,
    updatedAt: updated_at,
  };
}

function secretsOf({ secret, previous }: Pick<WebhookRow, "secret" | "previous">): WebhookSecrets {
  return { current: secret, previous: JSON.parse(previous) as SealedPrevious[] };
}

function rowOfSecrets({ current, previous }: WebhookSecrets): Pick<WebhookRow, "secret" | "previous"> {
  return { secret: current, previous: JSON.stringify(previous) };
}

function rowOfWebhook(webhook: Webhook): Omit<WebhookRow, "secret" | "previous"> {
  const { url, description, kinds, active, id, organisationId, stopped } = webhook;
  return {
    id,
    organisation_id: organisationId,
    definition: JSON.stringify({ url, description, kinds, active } satisfies WebhookDefinition),
    stopped: stopped === null ? null : JSON.stringify(stopped),
    rotation: webhook.rotation,
    created_at: webhook.createdAt,
    updated_at: webhook.updatedAt,
  };
}

function progressOf(row: WebhookProgressRow): WebhookProgress {
  return {
    webhookId: row.webhook_id,
    cursor: row.sequence,
    attempts: row.attempts,
    nextAt: row.next_at,
    failingSince: row.failing_since,
    lastAttemptAt: row.last_attempt_at,
    lastSuccessAt: row.last_success_at,
    givenUp: row.given_up,
  };
}

function rowOfProgress(progress: WebhookProgress): WebhookProgressRow {
  const { webhookId, cursor, attempts, nextAt, failingSince, lastAttemptAt, lastSuccessAt, givenUp } = progress;
  return {
    webhook_id: webhookId,
    sequence: cursor,
    attempts,
    next_at: nextAt,
    failing_since: failingSince,
    last_attempt_at: lastAttemptAt,
    last_success_at: lastSuccessAt,
    given_up: givenUp,
  };
}

function deliveryOf({ webhook_id, message_id, ...row }: Omit<DeliveryRow, "body">): Delivery {
  const { id, at, type, cause, attempt, outcome, status, error, milliseconds } = row;
  return {
    id,
    webhookId: webhook_id,
    at,
    messageId: message_id,
    type,
    cause,
    attempt,
    outcome,
    status,
    error,
    milliseconds,
  };
}

function rowOfDelivery({ webhookId, messageId, ...rest }: SentDelivery): DeliveryRow {
  return { ...rest, webhook_id: webhookId, message_id: messageId };
}
