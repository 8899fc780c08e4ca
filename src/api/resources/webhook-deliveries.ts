import { Type } from "typebox";
import type { Services } from "../../service/services.ts";
import type { Delivery } from "../../store/records/webhook.ts";
import { formatTimestamp } from "../../time/format-timestamp.ts";
import type { App } from "../app-type.ts";
import { BY_ADMINS } from "../operation.ts";
import { notFound } from "../problem.ts";
import { Count, type DocumentOf, named, Timestamp } from "../schemas/common.ts";
import { findIn } from "./resource.ts";
import { webhooks } from "./webhooks.ts";

const tags = ["Webhooks"];
const ONE = `${webhooks.one}/deliveries/:delivery_id(^[^:]+)`;
const params = Type.Object({
  webhook_id: Type.String({ format: "uuid" }),
  delivery_id: Type.String({ format: "uuid" }),
});

const members = {
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
const DeliverySchema = named("WebhookDelivery", Type.Object(members));
const SentDeliverySchema = named(
  "SentWebhookDelivery",
  Type.Object({ ...members, body: Type.String({ description: "what was sent, as text" }) }),
);
const DeliveryList = named(
  "WebhookDeliveryList",
  Type.Object({
    items: Type.Array(DeliverySchema, { description: "the last ones, newest first, one for each attempt" }),
    count: Count,
  }),
);

export function deliveryDocument(delivery: Delivery): DocumentOf<typeof DeliverySchema> {
  const { id, type, cause, attempt, outcome, status, error, milliseconds } = delivery;
  const at = formatTimestamp(delivery.at);
  return { id, at, message_id: delivery.messageId, type, cause, attempt, outcome, status, error, milliseconds };
}

/** What was sent to webhook endpoints, and tests of them. */
export function addDeliveryRoutes(app: App, services: Services): void {
  const { store } = services;
  const { webhookMessages } = services.events;
  const list = {
    operationId: "listWebhookDeliveries",
    summary: "What was sent to a webhook endpoint: the last attempts, and events that were given up",
    tags,
    problems: [404],
    params: webhooks.params,
    response: { 200: DeliveryList },
  };
  app.get(`${webhooks.one}/deliveries`, { config: BY_ADMINS, schema: list }, async (request) => {
    const items = (await store.read("deliveries", findIn(webhooks, request, services).id)).map(deliveryDocument);
    return { items, count: items.length };
  });

  const get = {
    operationId: "getWebhookDelivery",
    summary: "A delivery with what was sent",
    tags,
    problems: [404],
    params,
    response: { 200: SentDeliverySchema },
  };
  app.get(ONE, { config: BY_ADMINS, schema: get }, async (request) => {
    const { id } = findIn(webhooks, request, services);
    const delivery = await store.read("delivery", id, request.params.delivery_id.toLowerCase());
    if (delivery === null) throw notFound("unknown delivery; only the last ones are kept");
    return { ...deliveryDocument(delivery), body: delivery.body };
  });

  const test = {
    operationId: "testWebhook",
    summary: "Sends a message of the type webhook.test to a webhook endpoint, and reports the outcome",
    tags,
    problems: [404, 429],
    params: webhooks.params,
    response: { 200: DeliverySchema },
  };
  app.post(`${webhooks.one}::test`, { config: BY_ADMINS, schema: test }, async (request) =>
    deliveryDocument(await webhookMessages.test(findIn(webhooks, request, services))),
  );

  const resend = {
    operationId: "resendWebhookDelivery",
    summary: "Sends the message of a delivery again, with the same id, and reports the outcome",
    tags,
    problems: [404, 429],
    params,
    response: { 200: DeliverySchema },
  };
  app.post(`${ONE}::resend`, { config: BY_ADMINS, schema: resend }, async (request) => {
    const webhook = findIn(webhooks, request, services);
    return deliveryDocument(await webhookMessages.resend(webhook, request.params.delivery_id.toLowerCase()));
  });
}
