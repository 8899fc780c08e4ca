import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import type { Change } from "../../store/change.ts";
import type { Store } from "../../store/store.ts";
import type { ServiceMemory } from "../store/service-memory.ts";
import { EndpointQueue } from "./endpoint-queue.ts";
import type { GuardedPost } from "./guarded-post.ts";
import type { WebhookMessages } from "./webhook-messages.ts";

/** Milliseconds between two checks of what is due. */
const EVERY = 250;
/** Milliseconds for which one server delivers for all; it renews this several times before it is over. */
const LEASE = 6000;
const RENEWED_EVERY = 2000;
/** Milliseconds for a closing server to finish what it is sending. */
const GRACE = 2000;

interface Dependencies {
  readonly store: Store;
  readonly memory: ServiceMemory;
  readonly messages: WebhookMessages;
  readonly post: GuardedPost;
  readonly now: () => number;
  readonly baseUrl: string;
}

/** A term in which this server delivers. */
interface Term {
  readonly ending: AbortController;
  readonly queues: Map<string, EndpointQueue>;
  /** By a monotonic clock. */
  until: number;
}

/**
 * Delivers events to the endpoints of all organisations. One of the servers does so at a time: the one that holds the
 * lease in the database. Its progress is in the database as well, so another server can continue there.
 */
export class WebhookDeliverer {
  readonly #services: Dependencies;
  readonly #server = randomUUID();
  #term: Term | undefined;
  #timer: NodeJS.Timeout | undefined;
  #renewing: Promise<void> | undefined;
  #renewedAt = Number.NEGATIVE_INFINITY;
  #isStopped = false;
  #unwatch: (() => void) | undefined;

  constructor(services: Dependencies) {
    this.#services = services;
  }

  start(): void {
    this.#timer = setInterval(() => this.#poll(), EVERY).unref();
    this.#unwatch = this.#services.store.onEvents((organisationId) => this.#noticed(organisationId));
    this.#poll();
  }

  /** Messages that are not sent within two seconds are sent again by the next server. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    clearInterval(this.#timer);
    this.#unwatch?.();
    await this.#renewing;
    const term = this.#term;
    if (term !== undefined) await this.#end(term);
    await this.#services.post.close();
  }

  /** Notes changes that memory has applied. */
  apply(changes: readonly Change[]): void {
    if (this.#term === undefined) return void (changes.some(isOfWebhooks) && this.#poll());
    for (const change of changes) {
      if (change.kind === "webhook-deleted") this.#term.queues.delete(change.webhookId);
      if (change.kind === "webhook") this.#queueOf(this.#term, change.webhook.id).wake();
    }
  }

  /** Called when an organisation may have new events; null: any organisation. */
  #noticed(changed: string | null): void {
    const term = this.#term;
    if (term === undefined) return;
    for (const { id, organisationId } of this.#services.memory.everyWebhook())
      if (changed === null || changed === organisationId) this.#queueOf(term, id).wake();
  }

  /** Everything may have changed: the state has been loaded again. */
  forget(): void {
    if (this.#term !== undefined) this.#wakeAll(this.#term);
  }

  #poll(): void {
    if (this.#isStopped) return;
    const time = performance.now();
    const term = this.#term;
    if (term !== undefined && time > term.until) void this.#end(term);
    const isNeeded = this.#services.memory.everyWebhook().length > 0;
    if (isNeeded && time - this.#renewedAt >= RENEWED_EVERY)
      this.#renewing ??= this.#renew().finally(() => (this.#renewing = undefined));
    const now = this.#services.now();
    for (const queue of this.#term?.queues.values() ?? []) if (queue.dueAt !== null && queue.dueAt <= now) queue.wake();
  }

  async #renew(): Promise<void> {
    const time = performance.now();
    this.#renewedAt = time;
    try {
      const isOurs = await this.#services.store.record("lease", "webhooks", this.#server, LEASE);
      if (!isOurs) return void (this.#term !== undefined && (await this.#end(this.#term)));
      if (this.#term !== undefined) {
        this.#term.until = time + LEASE;
        // Events of other processes are not noticed on SQLite.
        this.#wakeAll(this.#term);
      } else if (!this.#isStopped) this.#begin(time + LEASE);
    } catch {
      // The store's outage is logged elsewhere; the term ends by itself.
    }
  }

  #begin(until: number): void {
    this.#term = { ending: new AbortController(), queues: new Map(), until };
    this.#wakeAll(this.#term);
  }

  #wakeAll(term: Term): void {
    for (const { id } of this.#services.memory.everyWebhook()) this.#queueOf(term, id).wake();
  }

  #queueOf({ queues, ending }: Term, id: string): EndpointQueue {
    const known = queues.get(id);
    if (known !== undefined) return known;
    const queue = new EndpointQueue(id, { ...this.#services, signal: ending.signal });
    queues.set(id, queue);
    return queue;
  }

  /** If the server is closing, messages being sent have some time to finish; until then this server keeps the lease. */
  async #end(term: Term): Promise<void> {
    this.#term = undefined;
    const idle = Promise.all([...term.queues.values()].map((queue) => queue.idle()));
    if (this.#isStopped) {
      for (const queue of term.queues.values()) queue.rest();
      await Promise.race([idle, sleep(GRACE, undefined, { ref: false })]);
    }
    term.ending.abort();
    await idle;
    if (!this.#isStopped) return;
    // Otherwise the next server would have to wait until the lease ends.
    await this.#services.store.record("lease", "webhooks", this.#server, 0).catch(() => undefined);
  }
}

function isOfWebhooks({ kind }: Change): boolean {
  return kind === "webhook";
}
