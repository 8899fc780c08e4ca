import { Counter, Gauge, Histogram, Registry } from "prom-client";

/** What `/metrics` tells. No label names a key, an address or an organisation. */
export class Metrics {
  readonly registry = new Registry();
  readonly failedKeys: Counter;
  readonly rateLimited: Counter<"window">;
  readonly shed: Counter;
  readonly lookups: Counter<"area" | "result">;
  readonly snapshotGeneration: Gauge<"snapshot">;
  readonly snapshotCreated: Gauge<"snapshot">;
  readonly snapshotFailures: Counter<"snapshot">;
  readonly #requests: Histogram<"operation" | "status">;
  /** Looking a child up by its labels takes longer than counting in it. */
  readonly #timers = new Map<string, { observe(seconds: number): void }>();

  constructor() {
    const registers = [this.registry];
    this.#requests = new Histogram({
      name: "ipsieve_request_seconds", help: "Time from the arrival of a request to the end of its response", labelNames: ["operation", "status"],
      buckets: [0.0005, 0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10], registers,
    });
    this.failedKeys = new Counter({ name: "ipsieve_failed_keys_total", help: "Requests without a valid API key", registers });
    this.rateLimited = new Counter({ name: "ipsieve_rate_limited_total", help: "Requests refused by the rate limit of their key", labelNames: ["window"], registers });
    this.shed = new Counter({ name: "ipsieve_shed_requests_total", help: "Requests refused because of overload", registers });
    this.lookups = new Counter({ name: "ipsieve_lookups_total", help: "Addresses and prefixes looked up", labelNames: ["area", "result"], registers });
    this.snapshotGeneration = new Gauge({ name: "ipsieve_snapshot_generation", help: "How many snapshots have been loaded", labelNames: ["snapshot"], registers });
    this.snapshotCreated = new Gauge({ name: "ipsieve_snapshot_created_seconds", help: "When the loaded snapshot was made, in seconds since 1970", labelNames: ["snapshot"], registers });
    this.snapshotFailures = new Counter({ name: "ipsieve_snapshot_failures_total", help: "Snapshots that could not be loaded", labelNames: ["snapshot"], registers });
  }

  /** Counts a request that has been answered. */
  observe(operation: string, status: number, seconds: number): void {
    const name = `${operation} ${status}`;
    let timer = this.#timers.get(name);
    if (timer === undefined) this.#timers.set(name, (timer = this.#requests.labels({ operation, status: String(status) })));
    timer.observe(seconds);
  }

  /** Counts lookups of an area, of which so many found something. */
  countLookups(area: string, lookups: number, found: number): void {
    if (found > 0) this.lookups.inc({ area, result: "found" }, found);
    if (lookups > found) this.lookups.inc({ area, result: "missed" }, lookups - found);
  }

  /** A gauge by state that is read when the page is. */
  addRules(read: () => { readonly active: number; readonly expired: number }): void {
    const gauge = new Gauge({
      name: "ipsieve_rules", help: "Rules by state", labelNames: ["state"], registers: [this.registry],
      collect(): void {
        const { active, expired } = read();
        gauge.set({ state: "active" }, active);
        gauge.set({ state: "expired" }, expired);
      },
    });
  }
}
