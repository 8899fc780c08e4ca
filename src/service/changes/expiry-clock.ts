import type { Store } from "../../store/store.ts";
import { Periodic } from "../periodic.ts";

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
  /** The store's outage is logged elsewhere. */
  readonly #checks = new Periodic(() => this.#append().catch(() => EVERY), EVERY);

  constructor(services: Dependencies) {
    this.#services = services;
  }

  start(): void {
    this.#checks.startNow();
  }

  stop(): Promise<void> {
    return this.#checks.stop();
  }

  /** Returns the milliseconds until the next check. */
  async #append(): Promise<number> {
    const { store, now } = this.#services;
    const next = await store.read("nextExpiry");
    const at = now();
    if (next === null || next > at) return Math.min(EVERY, Math.max(1, (next ?? Number.POSITIVE_INFINITY) - at));
    await store.write({ kind: "expire-rules", actor: "server", at });
    return EVERY;
  }
}
