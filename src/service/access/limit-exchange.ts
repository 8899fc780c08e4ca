import { randomUUID } from "node:crypto";
import type { FoundMessage, LimitMessage, SeenMessage } from "../../store/limit-message.ts";
import type { Store } from "../../store/store.ts";
import { Periodic } from "../periodic.ts";
import {
  type Count,
  type FailureLimits,
  type KeyLimits,
  MINUTE,
  type SharedCounts,
  type SteadyClock,
} from "./rate-limits.ts";
import type { SignInLimits } from "./sign-in-limits.ts";

/** Milliseconds between two exchanges. */
const EVERY = 1000;
/** Milliseconds of silence after which a server is forgotten and its messages are no longer read. */
const FORGET_AFTER = 5 * MINUTE;

/** The counts of a message, by the limit's name. */
type CountsByLimit = Readonly<Record<string, readonly Count[]>>;

/** Counts that arrived before their minute, because the clocks of two servers differ. */
interface EarlyCounts {
  readonly minute: number;
  readonly counts: CountsByLimit;
}

/**
 * Exchanges the counts of the current minute with the other servers about once a second; no request waits for it. While
 * the database is down, each server counts alone; the exchange resumes by itself.
 *
 *     A  counts 7 ──message 12: [key, 7]──▶ limit_counts ──▶ B adds 7 to its own count of the key, once
 *
 * A message holds only what the previous messages did not, so each is added once. If writing one fails, it is written
 * again under the same number, which the database accepts only once, until its minute is over.
 *
 * Each server has minutes of its own clock. A message says how much of its minute had passed when it was written, and
 * the database's clock gives its age. The reader adds the counts to its own minute that overlaps the writer's most,
 * however wrong their clocks are.
 */
export class LimitExchange {
  readonly #store: Store;
  readonly #now: () => number;
  readonly #steady: SteadyClock;
  readonly #limits: Readonly<Record<string, SharedCounts>>;
  /** A new id at every start, so that a restarted server also reads back its own counts. */
  readonly #server = randomUUID();
  readonly #seen = new Map<string, { readonly number: number; readonly at: number }>();
  #number = 0;
  /** What the database has not confirmed yet. */
  #sending: { readonly minute: number; readonly number: number; readonly counts: string } | undefined;
  #early: readonly EarlyCounts[] = [];
  readonly #repeated = new Periodic(() => this.exchange(), EVERY);

  constructor({ store, now, keyLimits, failureLimits, signIns }: Dependencies, steady: SteadyClock) {
    this.#store = store;
    this.#now = now;
    this.#steady = steady;
    this.#limits = {
      keys: keyLimits,
      failures: failureLimits.counts,
      addresses: signIns.addresses,
      names: signIns.names,
      known: signIns.known,
    };
  }

  /** Starts the exchanges. Resolves after the first one, whether or not it succeeded. */
  async start(): Promise<void> {
    await this.exchange();
    this.#repeated.start();
  }

  /** Sends the other servers the counts that they do not have yet. */
  async stop(): Promise<void> {
    await this.#repeated.stop();
    await this.exchange();
  }

  /** One exchange. Never rejects: the store's outage is logged elsewhere. */
  async exchange(): Promise<void> {
    const message = this.#compose();
    try {
      const seen = [...this.#seen].map(([server, { number }]): SeenMessage => [server, number]);
      const found = await this.#store.record("limits", this.#server, message, seen);
      this.#sending = undefined;
      this.#receive(found);
    } catch {
      // Unconfirmed counts are sent again.
    }
  }

  /**
   * The unconfirmed message, while its minute lasts; otherwise the counts since the last message. Null if there is
   * nothing to send.
   */
  #compose(): LimitMessage | null {
    const steady = this.#steady.read();
    const minute = Math.floor(steady / MINUTE);
    if (this.#sending?.minute !== minute) {
      const counts = this.#takeUnshared();
      this.#sending = counts === undefined ? undefined : { minute, number: ++this.#number, counts };
    }
    if (this.#sending === undefined) return null;
    const { number, counts } = this.#sending;
    return { number, age: steady - minute * MINUTE, counts };
  }

  #takeUnshared(): string | undefined {
    const counts = Object.entries(this.#limits).map(([name, limit]) => [name, limit.takeUnshared()] as const);
    const news = counts.filter(([, { length }]) => length > 0);
    return news.length === 0 ? undefined : JSON.stringify(Object.fromEntries(news));
  }

  #receive(found: readonly FoundMessage[]): void {
    const steady = this.#steady.read();
    const now = performance.now();
    const messages: EarlyCounts[] = [...this.#early];
    for (const { server, number, begun, counts } of found) {
      this.#seen.set(server, { number, at: now });
      messages.push({ minute: Math.round((steady - begun) / MINUTE), counts: JSON.parse(counts) as CountsByLimit });
    }
    for (const [server, { at }] of this.#seen) if (now - at > FORGET_AFTER) this.#seen.delete(server);
    const current = Math.floor(steady / MINUTE);
    this.#early = messages.filter(({ minute }) => minute > current);
    for (const message of messages) if (message.minute === current) this.#add(message);
  }

  /** A limit that only another release knows is ignored. */
  #add({ minute, counts }: EarlyCounts): void {
    for (const [name, limit] of Object.entries(this.#limits)) limit.addOthers(minute, counts[name] ?? [], this.#now());
  }
}

interface Dependencies {
  readonly store: Store;
  readonly now: () => number;
  readonly keyLimits: KeyLimits;
  readonly failureLimits: FailureLimits;
  readonly signIns: SignInLimits;
}
