import type { Store } from "../../store/store.ts";
import type { Webhook, WebhookProgress } from "../../store/records/webhook.ts";
import type { ServiceMemory } from "../store/service-memory.ts";
import { judge } from "./retries.ts";
import { EventReader } from "./event-reader.ts";
import { messageOf, typeOf, type WebhookEvent } from "./webhook-event.ts";
import type { WebhookMessages } from "./webhook-messages.ts";

/** Events that the endpoint does not want, after which the progress is written. */
const WRITTEN_EVERY = 1000;

export interface QueueServices {
  readonly store: Store;
  readonly memory: ServiceMemory;
  readonly messages: WebhookMessages;
  readonly now: () => number;
  readonly baseUrl: string;
  /** Aborts when this server no longer delivers. */
  readonly signal: AbortSignal;
}

/**
 * Delivers the events of an endpoint, one message at a time, in order: reads the feed after its cursor, sends the first
 * message that the endpoint wants, and records the outcome before it sends the next one. Nothing else is remembered, so
 * whichever server delivers next continues there; a message whose outcome was not recorded is sent again with the same
 * id.
 */
export class EndpointQueue {
  readonly #id: string;
  readonly #services: QueueServices;
  #reader: EventReader | undefined;
  #running: Promise<void> | undefined;
  #isWoken = false;
  #isResting = false;
  /** When the queue has to be woken, by the clock of the service; null: at the next change. */
  dueAt: number | null = null;

  constructor(id: string, services: QueueServices) {
    this.#id = id;
    this.#services = services;
  }

  /** Continues if there is something to do. */
  wake(): void {
    this.#isWoken = true;
    this.#running ??= this.#run().finally(() => {
      this.#running = undefined;
      if (this.#isWoken && this.#isGoing) this.wake();
    });
  }

  /** Finishes the current message, then sends nothing more. */
  rest(): void {
    this.#isResting = true;
  }

  /** Resolves when nothing is being sent. */
  async idle(): Promise<void> {
    await this.#running;
  }

  get #isGoing(): boolean {
    return !this.#isResting && !this.#services.signal.aborted;
  }

  async #run(): Promise<void> {
    const { now } = this.#services;
    this.dueAt = null;
    try {
      while (this.#isWoken && this.#isGoing) {
        this.#isWoken = false;
        while (this.#isGoing && (await this.#deliverNext()));
      }
    } catch {
      // The store's outage is logged elsewhere. The events are read again.
      this.#reader = undefined;
      this.dueAt = now() + 1000;
      this.#isWoken = false;
    }
  }

  /** Whether to look for another event at once. */
  async #deliverNext(): Promise<boolean> {
    const { memory, store, now, signal } = this.#services;
    const [progress] = await store.read("webhookProgress", [this.#id]);
    const webhook = memory.webhookById(this.#id);
    if (progress === undefined || webhook === undefined || !webhook.active || webhook.stopped !== null) return false;
    if (progress.nextAt !== null && isBetween(progress, now())) {
      this.dueAt = progress.nextAt;
      return false;
    }
    const event = await this.#next(webhook, progress);
    if (event === undefined) await this.#savePosition(progress);
    if (event === undefined || signal.aborted) return false;
    return this.#deliver(webhook, progress, event);
  }

  async #deliver(webhook: Webhook, progress: WebhookProgress, event: WebhookEvent): Promise<boolean> {
    const { messages, store, now, signal } = this.#services;
    const { at, data, first, last } = event;
    const type = typeOf(event);
    // After a restore from a backup, other events have the same numbers, in another feed.
    const messageId = `msg_${webhook.id.replaceAll("-", "")}_${this.#reader!.feed}_${first}`;
    const attempt = progress.attempts + 1;
    const message = { messageId, type, cause: "event", attempt, body: messageOf(type, at, data) } as const;
    const { result, sent } = await messages.send(webhook, message, signal);
    // This server aborted the attempt, which says nothing about the endpoint.
    if (signal.aborted && result.status === null) return false;
    const verdict = judge(progress, last, result, sent.at, Math.random());
    await store.record("delivery", {
      delivery: { ...sent, outcome: verdict.outcome },
      progress: { from: progress.cursor, next: verdict.progress },
    });
    if (verdict.stop !== undefined) {
      const { id: webhookId, organisationId, updatedAt: seen } = webhook;
      const by = { actor: "command:server", at: now(), organisationId, webhookId };
      await store.write({ kind: "stop-webhook", ...by, reason: verdict.stop, seen });
    }
    return true;
  }

  /** The first message after the cursor that the endpoint wants. */
  async #next({ organisationId, kinds }: Webhook, { cursor }: WebhookProgress): Promise<WebhookEvent | undefined> {
    const reader = (this.#reader ??= this.#readerOf(organisationId));
    reader.pass(cursor);
    for (;;) {
      const event = await reader.peek();
      if (event === undefined || event.kinds.some((kind) => kinds.includes(kind))) return event;
      reader.pass(event.last);
    }
  }

  #readerOf(organisationId: string): EventReader {
    const { memory, store, baseUrl } = this.#services;
    return new EventReader(store, organisationId, {
      ruleset: (id) => memory.ruleset(organisationId, id)?.about,
      baseUrl,
    });
  }

  /** Events that the endpoint does not want need not be examined again. */
  async #savePosition(progress: WebhookProgress): Promise<void> {
    const position = this.#reader?.position ?? 0;
    if (position - progress.cursor < WRITTEN_EVERY) return;
    const next = { ...progress, cursor: position, attempts: 0, nextAt: null };
    await this.#services.store.record("webhookProgress", { from: progress.cursor, next });
  }
}

/** Whether the last attempt is over and the next one not due yet; neither if the clock has been set back since. */
function isBetween({ lastAttemptAt, nextAt }: WebhookProgress, now: number): boolean {
  return now < nextAt! && now >= (lastAttemptAt ?? 0);
}
