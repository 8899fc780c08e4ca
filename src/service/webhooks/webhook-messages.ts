import { randomUUID } from "node:crypto";
import type { Store } from "../../store/store.ts";
import type { Delivery, SentDelivery, Webhook, WebhookProgress, WebhookSecrets } from "../../store/records/webhook.ts";
import { SealError, type SecretKey } from "../access/secret-key.ts";
import { ownVersion } from "../own-version.ts";
import { ServiceError } from "../service-error.ts";
import type { Metrics } from "../usage/metrics.ts";
import type { GuardedPost, PostResult } from "./guarded-post.ts";
import { signedHeaders, signingSecrets } from "./webhook-secret.ts";
import { messageOf } from "./webhook-event.ts";

interface Dependencies {
  readonly store: Store;
  readonly key: SecretKey;
  readonly post: GuardedPost;
  readonly metrics: Pick<Metrics, "webhookAttempts">;
  readonly now: () => number;
}

const SEALED =
  "the secret was encrypted under another key file; the operator restores that file, or the secret is replaced";

/** What is sent. */
export type Message = Pick<SentDelivery, "messageId" | "type" | "cause" | "attempt" | "body">;

/** Signs and sends messages to endpoints. */
export class WebhookMessages {
  readonly #services: Dependencies;
  readonly #agent = `ipsieve/${ownVersion()}`;
  /** Endpoints to which a user is sending a message. */
  readonly #busy = new Set<string>();

  constructor(services: Dependencies) {
    this.#services = services;
  }

  /** Sends once. Rejects only if the database fails. */
  async send(
    webhook: Webhook,
    message: Message,
    signal?: AbortSignal,
  ): Promise<{ result: PostResult; sent: SentDelivery }> {
    const { store, metrics, now } = this.#services;
    const secrets = await store.read("webhookSecrets", webhook.id);
    if (secrets === null) throw new ServiceError("not-found", "unknown webhook endpoint");
    const at = now();
    const began = performance.now();
    const result = await this.#post(webhook, message, secrets, at, signal);
    const outcome = result.error === "" ? "delivered" : "failed";
    metrics.webhookAttempts.inc({ outcome });
    const { status, error } = result;
    const milliseconds = Math.round(performance.now() - began);
    const id = randomUUID();
    return { result, sent: { ...message, id, webhookId: webhook.id, at, outcome, status, error, milliseconds } };
  }

  async #post(
    webhook: Webhook,
    { messageId, body }: Message,
    secrets: WebhookSecrets,
    at: number,
    signal?: AbortSignal,
  ): Promise<PostResult> {
    const { key, post } = this.#services;
    let signing: Buffer[];
    try {
      signing = signingSecrets(key, webhook, secrets, at);
    } catch (error) {
      // Its message names a file of the operator.
      if (!(error instanceof SealError)) throw error;
      return { status: null, error: SEALED, retryAfter: null };
    }
    const headers = { ...signedHeaders(messageId, at, body, signing), "user-agent": this.#agent };
    return post.send(webhook.url, headers, body, signal);
  }

  /** A message that says that it is a test. @throws ServiceError "too-many-requests" */
  test(webhook: Webhook): Promise<Delivery> {
    const body = messageOf("webhook.test", this.#services.now(), {
      webhook: { id: webhook.id, description: webhook.description },
      about: "A user asked for this message to test the endpoint.",
    });
    const messageId = `msg_${randomUUID().replaceAll("-", "")}`;
    return this.#byUser(webhook, { messageId, type: "webhook.test", cause: "test", attempt: 1, body });
  }

  /**
   * Sends the same message once more, whatever its outcome was. @throws ServiceError "not-found", "too-many-requests"
   */
  async resend(webhook: Webhook, deliveryId: string): Promise<Delivery> {
    const known = await this.#services.store.read("delivery", webhook.id, deliveryId);
    if (known === null) throw new ServiceError("not-found", "unknown delivery; only the last ones are kept");
    const { messageId, type, attempt, body } = known;
    return this.#byUser(webhook, { messageId, type, cause: "resend", attempt: attempt + 1, body });
  }

  /** One at a time for each endpoint. A success means that the endpoint works again. */
  async #byUser(webhook: Webhook, message: Message): Promise<Delivery> {
    if (this.#busy.has(webhook.id))
      throw new ServiceError("too-many-requests", "a message is being sent to the endpoint; wait for it", {
        retryAfter: 1,
      });
    this.#busy.add(webhook.id);
    try {
      const { sent } = await this.send(webhook, message);
      const progress = sent.outcome === "delivered" ? await this.#working(webhook.id, sent.at) : null;
      await this.#services.store.record("delivery", { delivery: sent, progress });
      const { body: _body, ...delivery } = sent;
      return delivery;
    } finally {
      this.#busy.delete(webhook.id);
    }
  }

  async #working(webhookId: string, at: number): Promise<{ from: number; next: WebhookProgress } | null> {
    const [known] = await this.#services.store.read("webhookProgress", [webhookId]);
    if (known === undefined) return null;
    return { from: known.cursor, next: { ...known, failingSince: null, lastAttemptAt: at, lastSuccessAt: at } };
  }
}
