import { randomUUID } from "node:crypto";
import type { FoundMessage, LimitMessage, SeenMessage } from "../../store/limit-message.ts";
import type { Services } from "../services.ts";
import { type Count, MINUTE, type SharedCounts, type SteadyClock } from "./rate-limits.ts";

/** Milliseconds between two exchanges. */
const EVERY = 1000;
/** Milliseconds after which a server that says nothing is forgotten: its messages are no longer given. */
const FORGET_AFTER = 5 * MINUTE;

/** The counts of a message, by the name of the limit. */
type CountsByLimit = Readonly<Record<string, readonly Count[]>>;

/** Counts that came before their minute: the clocks of two servers differ. */
interface EarlyCounts {
  readonly minute: number;
  readonly counts: CountsByLimit;
}

/**
 * Tells the other servers, about once a second, what was counted here against the limits of the minute, and learns what
 * they have counted: no request waits for it. Where the database is away, each server counts alone, and goes on
 * exchanging by itself.
 *
 *     A  counts 7 ──message 12: [key, 7]──▶ limit_counts ──▶ B adds 7 to its own count of the key, once
 *
 * Messages hold what came on top of the messages before, so each is added once. One whose writing failed is written
 * again under its number, which the database takes once, as long as its minute lasts.
 *
 * Minutes are those of each server's clock. A message says how far its minute was when it was written; the rest is the
 * database's clock, so that counts belong to the minute of the reader that has most in common with that of the writer,
 * however wrong their clocks are.
 */
export class LimitExchange {
  readonly #store: Services["store"];
  readonly #now: () => number;
  readonly #steady: SteadyClock;
  readonly #limits: Readonly<Record<string, SharedCounts>>;
  /** Another one each time the server starts: then it learns what it has counted itself. */
  readonly #server = randomUUID();
  readonly #seen = new Map<string, { readonly number: number; readonly at: number }>();
  #number = 0;
  /** What the database has not confirmed. */
  #sending: { readonly minute: number; readonly number: number; readonly counts: string } | undefined;
  #early: readonly EarlyCounts[] = [];
  #timer: NodeJS.Timeout | undefined;
  #running: Promise<void> = Promise.resolve();
  #isStopped = false;

  constructor({ store, now, keyLimits, failureLimits, signIns }: ExchangedServices, steady: SteadyClock) {
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

  /** Resolves when it has learned the others' counts, or cannot; goes on by itself. */
  async start(): Promise<void> {
    await this.exchange();
    this.#exchangeLater();
  }

  /** Tells the others what they do not know yet. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    clearTimeout(this.#timer);
    await this.#running;
    await this.exchange();
  }

  /** One exchange. Never rejects: the store's outage has a line in the log. */
  async exchange(): Promise<void> {
    const message = this.#compose();
    try {
      const seen = [...this.#seen].map(([server, { number }]): SeenMessage => [server, number]);
      const found = await this.#store.record("limits", this.#server, message, seen);
      this.#sending = undefined;
      this.#receive(found);
    } catch {
      // What was not confirmed is sent again.
    }
  }

  #exchangeLater(): void {
    if (this.#isStopped) return;
    this.#timer = setTimeout(() => {
      this.#running = this.exchange().then(() => this.#exchangeLater());
    }, EVERY).unref();
  }

  /** What was not confirmed, while its minute lasts; otherwise what was counted since. Null where that is nothing. */
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
    const told = counts.filter(([, { length }]) => length > 0);
    return told.length === 0 ? undefined : JSON.stringify(Object.fromEntries(told));
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

  /** A limit that only another release knows is left out. */
  #add({ minute, counts }: EarlyCounts): void {
    for (const [name, limit] of Object.entries(this.#limits)) limit.addOthers(minute, counts[name] ?? [], this.#now());
  }
}

type ExchangedServices = Pick<Services, "store" | "now" | "keyLimits" | "failureLimits" | "signIns">;
