import type { FastifyRequest } from "fastify";
import { Type } from "typebox";
import { checkRulesetText } from "../../../service/rules/read-rule.ts";
import { invalid } from "../../../service/service-error.ts";
import type { Services } from "../../../service/services.ts";
import { makeSecret } from "../../../service/webhooks/webhook-secret.ts";
import type { EventKind, Webhook, WebhookDefinition } from "../../../store/records/webhook.ts";
import type { App } from "../../app-type.ts";
import { signature } from "../../http/signed-request.ts";
import { BY_ADMINS } from "../../operation.ts";
import { notFound } from "../../problem.ts";
import {
  CreatedWebhook,
  CreateWebhookBody,
  deliveryDocument,
  DeliveryList,
  DeliveryParameters,
  DeliverySchema,
  RotatedWebhook,
  RotateWebhookBody,
  SentDeliverySchema,
  UpdateWebhookBody,
  webhookDocument,
  WebhookList,
  WebhookParameters,
  WebhookSchema,
} from "../../schemas/webhook.ts";

const tags = ["Webhooks"];
const PATH = "/webhooks";
/** A colon separates the id from a verb. */
const ONE = `${PATH}/:webhook_id(^[^:]+)`;
const DELIVERY = `${ONE}/deliveries/:delivery_id(^[^:]+)`;
const params = WebhookParameters;
const HOUR = 3_600_000;
const GRACE_HOURS = 24;
const KINDS: EventKind[] = ["rule.created", "rule.deleted", "deployment.refused"];
const EXAMPLE = { url: "https://example.org/hooks/ipsieve", kinds: KINDS, description: "SIEM" };

/** Endpoints that receive events, and what was sent to them. */
export function addWebhookRoutes(app: App, services: Services): void {
  addReads(app, services);
  addWrites(app, services);
  addRotation(app, services);
  addDeliveries(app, services);
  addSending(app, services);
}

function addReads(app: App, services: Services): void {
  const { memory, store } = services;
  const list = {
    operationId: "listWebhooks",
    summary: "The webhook endpoints of the organisation, and whether deliveries to them succeed",
    tags,
    response: { 200: WebhookList },
  };
  app.get(PATH, { config: BY_ADMINS, schema: list }, async ({ caller, now }) => {
    const webhooks = memory.webhooks(caller.organisationId);
    const found = await store.read(
      "webhookProgress",
      webhooks.map(({ id }) => id),
    );
    const progress = new Map(found.map((each) => [each.webhookId, each]));
    const items = webhooks.map((webhook) => webhookDocument(webhook, progress.get(webhook.id), now));
    return { items: items as never, count: items.length };
  });

  const get = {
    operationId: "getWebhook",
    summary: "A webhook endpoint, and whether deliveries to it succeed",
    tags,
    problems: [404],
    params,
    response: { 200: WebhookSchema },
  };
  app.get(ONE, { config: BY_ADMINS, schema: get }, (request) =>
    documentOf(findWebhook(request, services), request, services),
  );
}

function addWrites(app: App, services: Services): void {
  const { store, secretKey } = services;
  const create = {
    operationId: "createWebhook",
    summary: "Creates a webhook endpoint; the response is the only one that contains its secret",
    tags,
    problems: [400, 409, 413, 415],
    body: CreateWebhookBody,
    response: { 201: CreatedWebhook },
    bodyExample: EXAMPLE,
  };
  app.post(PATH, { config: { ...BY_ADMINS, hasSecret: true }, schema: create }, async (request, reply) => {
    const { url, kinds, description = "", active = true } = request.body;
    const definition = { url, description, kinds: kinds as EventKind[], active };
    await check(definition, services);
    const { text, sealed } = makeSecret(secretKey, request.caller.organisationId);
    const by = signature(request);
    const { webhook } = await store.write({ kind: "create-webhook", ...by, definition, secret: sealed });
    return reply.code(201).send({ webhook: await documentOf(webhook, request, services), secret: text } as never);
  });

  const update = {
    operationId: "updateWebhook",
    summary: "Changes a webhook endpoint, or restarts one that the server has disabled",
    tags,
    problems: [400, 404, 413, 415],
    params,
    body: UpdateWebhookBody,
    response: { 200: WebhookSchema },
    bodyExample: { active: true, missed: "skip" },
  };
  app.patch(ONE, { config: BY_ADMINS, schema: update }, async (request) => {
    const { id: webhookId } = findWebhook(request, services);
    const { missed, ...definition } = request.body;
    await check(definition as Partial<WebhookDefinition>, services);
    const by = { ...signature(request), webhookId };
    const { webhook } = await store.write({
      kind: "update-webhook",
      ...by,
      definition: definition as Partial<WebhookDefinition>,
      missed: missed as "resume" | "skip" | undefined,
    });
    return documentOf(webhook, request, services);
  });

  const remove = {
    operationId: "deleteWebhook",
    summary: "Deletes a webhook endpoint with its secret and its deliveries",
    tags,
    problems: [404],
    params,
    response: { 204: Type.Null() },
  };
  app.delete(ONE, { config: BY_ADMINS, schema: remove }, async (request, reply) => {
    const { id: webhookId } = findWebhook(request, services);
    await store.write({ kind: "delete-webhook", ...signature(request), webhookId });
    return reply.code(204).send();
  });
}

function addRotation(app: App, services: Services): void {
  const schema = {
    operationId: "rotateWebhook",
    summary: "Replaces the secret of a webhook endpoint; the response is the only one that contains the new one",
    tags,
    problems: [400, 404, 409, 413, 415],
    params,
    body: RotateWebhookBody,
    response: { 200: RotatedWebhook },
    bodyExample: { grace_hours: 24 },
  };
  const config = { ...BY_ADMINS, hasSecret: true };
  app.post(`${ONE}::rotate`, { config, schema }, async (request) => {
    const { id: webhookId } = findWebhook(request, services);
    const { text, sealed: secret } = makeSecret(services.secretKey, request.caller.organisationId);
    const graceUntil = request.now + (request.body.grace_hours ?? GRACE_HOURS) * HOUR;
    const by = { ...signature(request), webhookId };
    const { webhook } = await services.store.write({ kind: "rotate-webhook", ...by, secret, graceUntil });
    return { webhook: await documentOf(webhook, request, services), secret: text };
  });
}

function addDeliveries(app: App, services: Services): void {
  const { store } = services;
  const list = {
    operationId: "listWebhookDeliveries",
    summary: "What was sent to a webhook endpoint: the last attempts, and events that were given up",
    tags,
    problems: [404],
    params,
    response: { 200: DeliveryList },
  };
  app.get(`${ONE}/deliveries`, { config: BY_ADMINS, schema: list }, async (request) => {
    const items = (await store.read("deliveries", findWebhook(request, services).id)).map(deliveryDocument);
    return { items: items as never, count: items.length };
  });

  const get = {
    operationId: "getWebhookDelivery",
    summary: "A delivery with what was sent",
    tags,
    problems: [404],
    params: DeliveryParameters,
    response: { 200: SentDeliverySchema },
  };
  app.get(DELIVERY, { config: BY_ADMINS, schema: get }, async (request) => {
    const { id } = findWebhook(request, services);
    const delivery = await store.read("delivery", id, request.params.delivery_id.toLowerCase());
    if (delivery === null) throw notFound("unknown delivery; only the last ones are kept");
    return { ...deliveryDocument(delivery), body: delivery.body } as never;
  });
}

function addSending(app: App, services: Services): void {
  const { webhookMessages } = services;
  const test = {
    operationId: "testWebhook",
    summary: "Sends a message of the type webhook.test to a webhook endpoint, and reports the outcome",
    tags,
    problems: [404, 429],
    params,
    response: { 200: DeliverySchema },
  };
  app.post(`${ONE}::test`, { config: BY_ADMINS, schema: test }, async (request) =>
    deliveryDocument(await webhookMessages.test(findWebhook(request, services))),
  );

  const resend = {
    operationId: "resendWebhookDelivery",
    summary: "Sends the message of a delivery again, with the same id, and reports the outcome",
    tags,
    problems: [404, 429],
    params: DeliveryParameters,
    response: { 200: DeliverySchema },
  };
  app.post(`${DELIVERY}::resend`, { config: BY_ADMINS, schema: resend }, async (request) => {
    const webhook = findWebhook(request, services);
    return deliveryDocument(await webhookMessages.resend(webhook, request.params.delivery_id.toLowerCase()));
  });
}

/** @throws Problem (404) */
function findWebhook({ caller, params: { webhook_id: id } }: OfWebhook, { memory }: Services): Webhook {
  const webhook = memory.webhook(caller.organisationId, id.toLowerCase());
  if (webhook === undefined) throw notFound("unknown webhook endpoint; listWebhooks lists yours");
  return webhook;
}

type OfWebhook = Pick<FastifyRequest, "caller"> & { readonly params: { readonly webhook_id: string } };

async function documentOf(webhook: Webhook, { now }: Pick<FastifyRequest, "now">, { store }: Services) {
  const [progress] = await store.read("webhookProgress", [webhook.id]);
  return webhookDocument(webhook, progress, now) as never;
}

/** @throws ServiceError "invalid" */
async function check({ url, description }: Partial<WebhookDefinition>, { guardedPost }: Services): Promise<void> {
  if (description !== undefined) checkRulesetText({ description });
  const error = url === undefined ? undefined : await guardedPost.errorOf(url);
  if (error !== undefined) throw invalid({ url: [error] });
}
