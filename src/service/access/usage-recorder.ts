import type { Store } from "../../store/store.ts";
import { Periodic } from "../periodic.ts";
import type { Metrics } from "../usage/metrics.ts";
import type { KeyLimits } from "./rate-limits.ts";

/**
 * Milliseconds between two exchanges, in which key usage and traffic are recorded and those of other servers are read.
 */
const EVERY = 5000;

/** Exchanges the monthly counts of keys and the traffic by minute with the store: never per request. */
export class UsageRecorder {
  readonly #services: Dependencies;
  readonly #repeated = new Periodic(() => this.#exchange(), EVERY);

  constructor(services: Dependencies) {
    this.#services = services;
  }

  /** Reads this month's counts, then continues by itself. Rejects if the store cannot provide them. */
  async start(): Promise<void> {
    await this.#learn();
    this.#repeated.start();
  }

  /** Records what has been counted so far. */
  async stop(): Promise<void> {
    await this.#repeated.stop();
    await this.#record();
    await this.#recordTraffic();
  }

  async #exchange(): Promise<void> {
    await this.#record();
    await this.#recordTraffic();
    try {
      await this.#learn();
    } catch {
      // The store's outage is logged elsewhere; this is tried again.
    }
  }

  async #record(): Promise<void> {
    const { keyLimits, store } = this.#services;
    const uses = keyLimits.takeUnrecorded();
    if (uses.length === 0) return;
    try {
      await store.record("usage", uses);
    } catch {
      keyLimits.giveBack(uses);
    }
  }

  async #recordTraffic(): Promise<void> {
    const { metrics, store, now } = this.#services;
    await metrics.traffic.record(now(), (minutes) => store.record("traffic", minutes));
  }

  async #learn(): Promise<void> {
    const { keyLimits, store, now } = this.#services;
    const time = now();
    for (const { keyId, area, month, requests } of await store.read(
      "usage",
      new Date(time).toISOString().slice(0, 7),
    )) {
      if (area !== null) keyLimits.setRecorded(keyId, area, month, requests, time);
    }
  }
}

interface Dependencies {
  readonly keyLimits: KeyLimits;
  readonly metrics: Metrics;
  readonly store: Store;
  readonly now: () => number;
}
