import { get, patch, post, remove } from "../api.ts";
import type { NewWebhook, SentWebhookDelivery, Webhook, WebhookDelivery } from "../documents.ts";

const ONE = "/dashboard/api/webhooks/{webhook_id}";
const DELIVERY = `${ONE}/deliveries/{delivery_id}` as const;
const at = (id: string) => ({ path: { webhook_id: id } });

/** All endpoints: an organisation has twenty at most. */
export async function fetchWebhooks(signal: AbortSignal): Promise<Webhook[]> {
  return (await get("/dashboard/api/webhooks", { signal })).items;
}

export function fetchWebhook(id: string, signal: AbortSignal): Promise<Webhook> {
  return get(ONE, { params: at(id), signal });
}

/** The response has its secret. */
export function createWebhook(draft: NewWebhook) {
  return post("/dashboard/api/webhooks", { body: draft });
}

export function updateWebhook(id: string, draft: NewWebhook): Promise<Webhook> {
  return patch(ONE, { params: at(id), body: draft });
}

export function pause(id: string): Promise<Webhook> {
  return patch(ONE, { params: at(id), body: { active: false } });
}

/** Starts an endpoint again: with the events since it stopped, or without. */
export function start(id: string, missed: "resume" | "skip"): Promise<Webhook> {
  return patch(ONE, { params: at(id), body: { active: true, missed } });
}

/** The response has the new secret. */
export function rotateSecret(id: string, hours: number) {
  return post(`${ONE}:rotate`, { params: at(id), body: { grace_hours: hours } });
}

export function eraseWebhook(id: string): Promise<unknown> {
  return remove(ONE, { params: at(id) });
}

export function sendTest(id: string): Promise<WebhookDelivery> {
  return post(`${ONE}:test`, { params: at(id) });
}

export async function fetchDeliveries(id: string, signal: AbortSignal): Promise<WebhookDelivery[]> {
  return (await get(`${ONE}/deliveries`, { params: at(id), signal })).items;
}

/** With the text that was sent. */
export function fetchDelivery(id: string, deliveryId: string, signal: AbortSignal): Promise<SentWebhookDelivery> {
  return get(DELIVERY, { params: { path: { webhook_id: id, delivery_id: deliveryId } }, signal });
}

export function resend(id: string, deliveryId: string): Promise<WebhookDelivery> {
  return post(`${DELIVERY}:resend`, { params: { path: { webhook_id: id, delivery_id: deliveryId } } });
}
