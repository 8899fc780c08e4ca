import type { Change } from "../../store/change.ts";
import { Announcements } from "../changes/announcements.ts";
import { ChangeTails } from "../changes/change-tails.ts";
import { ExpiryClock } from "../changes/expiry-clock.ts";
import { outboundRules } from "../reserved-host.ts";
import { SequenceWaiters } from "../store/sequence-waiters.ts";
import { GuardedPost } from "../webhooks/guarded-post.ts";
import { WebhookDeliverer } from "../webhooks/webhook-deliverer.ts";
import { WebhookMessages } from "../webhooks/webhook-messages.ts";
import type { Access } from "./access.ts";
import type { Area, Basis } from "./area.ts";
import { Parts } from "./parts.ts";
import type { Publishing } from "./publishing.ts";

export interface EventsOptions {
  /** Milliseconds between two searches for keys that expire soon and lists that no one asks for; by default, 10,000. */
  readonly announceEvery?: number;
}

/** What has changed, and who is told: followers of the feeds, and the endpoints of webhooks. */
export class Events implements Area {
  /** Requests that wait for changes of other servers. */
  readonly waiters = new SequenceWaiters();
  /** State shared by all followers of the change feeds. */
  readonly tails: ChangeTails;
  /** Webhooks: which endpoints are allowed, what is sent to them, and when. */
  readonly guardedPost: GuardedPost;
  readonly webhookMessages: WebhookMessages;
  readonly webhooks: WebhookDeliverer;
  readonly #memory: Basis["memory"];
  readonly #parts = new Parts();

  constructor(basis: Basis, { announceEvery }: EventsOptions, { secretKey: key }: Access, { pulls }: Publishing) {
    const { settings, now, store, memory, metrics } = basis;
    this.#memory = memory;
    const post = (this.guardedPost = new GuardedPost(outboundRules(settings)));
    const messages = (this.webhookMessages = new WebhookMessages({ store, key, post, metrics, now }));
    const baseUrl = settings.baseUrl.replace(/\/+$/, "");
    this.tails = this.#parts.add(new ChangeTails(store));
    this.#parts.add(new ExpiryClock(basis));
    this.webhooks = this.#parts.add(new WebhookDeliverer({ store, memory, messages, post, now, baseUrl }));
    this.#parts.add(new Announcements({ store, memory, pulls, now }, announceEvery));
  }

  start(): Promise<void> {
    return this.#parts.start();
  }

  apply(changes: readonly Change[]): void {
    this.waiters.reached(this.#memory.sequence);
    this.webhooks.apply(changes);
  }

  forget(): void {
    this.waiters.reached(this.#memory.sequence);
    this.webhooks.forget();
  }

  close(): Promise<void> {
    return this.#parts.stop();
  }
}
