import type { Store } from "../../store/store.ts";

/** Milliseconds between two checks for due expiries, unless one is known to be due sooner. */
const EVERY = 500;

interface Dependencies {
  readonly store: Store;
  readonly now: () => number;
}

/**
 * Has expiries appended to the feeds when they are due, if no write does so before. Every server checks; locks of the
 * database ensure that each expiry is appended once.
 */
export class ExpiryClock {
  readonly #services: Dependencies;
  #timer: NodeJS.Timeout | undefined;
  #running: Promise<void> | undefined;
  #isStopped = false;

  constructor(services: Dependencies) {
    this.#services = services;
  }

  start(): void {
    this.#running = this.#poll();
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    clearTimeout(this.#timer);
    await this.#running;
  }

  async #poll(): Promise<void> {
    const wait = await this.#append().catch(() => EVERY); // the store's outage is logged elsewhere
    if (this.#isStopped) return;
    this.#timer = setTimeout(() => (this.#running = this.#poll()), Math.min(wait, EVERY)).unref();
  }

  /** Returns the milliseconds until the next expiry. */
  async #append(): Promise<number> {
    const { store, now } = this.#services;
    const next = await store.read("nextExpiry");
    const at = now();
    if (next === null || next > at) return Math.max(1, (next ?? Number.POSITIVE_INFINITY) - at);
    await store.write({ kind: "expire-rules", actor: "server", at });
    return EVERY;
  }
}
