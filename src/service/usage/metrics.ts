import {
  AggregatorRegistry,
  collectDefaultMetrics,
  Counter,
  Gauge,
  Histogram,
  type MetricObject,
  Registry,
} from "prom-client";
import type { Area } from "../../store/state.ts";
import { RequestTimes } from "./request-times.ts";
import { TrafficCounter } from "./traffic-counter.ts";

/** All metrics of a process, for the sums over several. */
export type MetricValues = readonly MetricObject[];

/** What `/metrics` shows. No label names a key, an address or an organisation. */
export class Metrics {
  readonly registry = new Registry();
  readonly #registers = [this.registry];
  /** What the dashboard shows, until it is recorded. */
  readonly traffic = new TrafficCounter();
  readonly #requests = registered(new RequestTimes(), this.registry);
  /**
   * Since the page was last read: the library builds a text of the labels for every count, which takes longer than
   * counting.
   */
  readonly #lookups = new Map<Area, { found: number; missed: number }>();
  readonly failedKeys = new Counter({
    name: "ipsieve_failed_keys_total",
    help: "Requests without a valid API key",
    registers: this.#registers,
  });
  readonly rateLimited = new Counter<"window">({
    name: "ipsieve_rate_limited_total",
    help: "Requests refused by the rate limit of their key",
    labelNames: ["window"],
    registers: this.#registers,
  });
  readonly shed = new Counter({
    name: "ipsieve_shed_requests_total",
    help: "Requests refused because of overload",
    registers: this.#registers,
  });
  readonly refusedConnections = new Counter({
    name: "ipsieve_refused_connections_total",
    help: "Connections refused because their address has too many",
    registers: this.#registers,
  });
  readonly #lookupCounter: Counter = new Counter({
    name: "ipsieve_lookups_total",
    help: "Addresses and prefixes looked up",
    labelNames: ["area", "result"],
    registers: this.#registers,
    collect: () => this.#moveLookups(),
  });
  readonly snapshotGeneration = new Gauge<"snapshot">({
    name: "ipsieve_snapshot_generation",
    help: "How many snapshots have been loaded",
    aggregator: "max",
    labelNames: ["snapshot"],
    registers: this.#registers,
  });
  readonly snapshotCreated = new Gauge<"snapshot">({
    name: "ipsieve_snapshot_created_seconds",
    help: "When the loaded snapshot was made, in seconds since 1970",
    aggregator: "min",
    labelNames: ["snapshot"],
    registers: this.#registers,
  });
  readonly snapshotFailures = new Counter<"snapshot">({
    name: "ipsieve_snapshot_failures_total",
    help: "Snapshots that could not be loaded",
    labelNames: ["snapshot"],
    registers: this.#registers,
  });
  readonly cataloguePulls = new Counter<"outcome">({
    name: "ipsieve_catalogue_pulls_total",
    help: "Pulls of the catalogue from the URL of --catalogue: pulled, unchanged or failed",
    labelNames: ["outcome"],
    registers: this.#registers,
  });
  readonly cataloguePulled = new Gauge({
    name: "ipsieve_catalogue_pulled_seconds",
    help: "When a pull from the URL of --catalogue last succeeded, in seconds since 1970; 0: never, or no URL",
    aggregator: "max",
    registers: this.#registers,
  });
  readonly freezes = new Counter<"result">({
    name: "ipsieve_ruleset_freezes_total",
    help: "How often a ruleset was prepared for fast checks in the background: done or failed",
    labelNames: ["result"],
    registers: this.#registers,
  });
  readonly startRules = new Gauge<"source">({
    name: "ipsieve_start_rules",
    help: "Rules that the server started with, by where they were read from: snapshots or the database",
    aggregator: "max",
    labelNames: ["source"],
    registers: this.#registers,
  });
  readonly databaseUp = new Gauge({
    name: "ipsieve_database_up",
    help: "Whether the database works: 1, or 0 while it fails",
    aggregator: "min",
    registers: this.#registers,
  });
  readonly databaseOutages = new Counter({
    name: "ipsieve_database_outages_total",
    help: "Outages of the database so far",
    registers: this.#registers,
  });
  readonly webhookAttempts = new Counter<"outcome">({
    name: "ipsieve_webhook_attempts_total",
    help: "Messages sent to webhook endpoints: delivered or failed",
    labelNames: ["outcome"],
    registers: this.#registers,
  });

  /** The page: of this process, or the sums over it and others. */
  async page(others: readonly MetricValues[]): Promise<string> {
    if (others.length === 0) return this.registry.metrics();
    return AggregatorRegistry.aggregate([await this.values(), ...others] as MetricObject[][]).metrics();
  }

  async values(): Promise<MetricValues> {
    return (await this.registry.getMetricsAsJSON()) as unknown as MetricValues;
  }

  /** Counts a request that has been responded to. */
  observe(operation: string, status: number, seconds: number): void {
    this.#requests.observe(operation, status, seconds);
  }

  /** Counts lookups of an area, and how many of them found something. */
  countLookups(area: Area, lookups: number, found: number): void {
    let counts = this.#lookups.get(area);
    if (counts === undefined) this.#lookups.set(area, (counts = { found: 0, missed: 0 }));
    counts.found += found;
    counts.missed += lookups - found;
    this.traffic.addLookups(lookups);
  }

  #moveLookups(): void {
    const counter = this.#lookupCounter;
    for (const [area, { found, missed }] of this.#lookups) {
      if (found > 0) counter.inc({ area, result: "found" }, found);
      if (missed > 0) counter.inc({ area, result: "missed" }, missed);
    }
    this.#lookups.clear();
  }

  /** A gauge that is read when the page is requested; `aggregator`: what is shown of several processes. */
  addGauge(name: string, help: string, read: () => number, aggregator: "max" | "sum" = "max"): void {
    const collect = (): void => gauge.set(read());
    const gauge: Gauge = new Gauge({ name, help, aggregator, registers: [this.registry], collect });
  }

  /** A counter that is read when the page is requested. */
  addLostLogLines(read: () => number): void {
    const counter = new Counter({
      name: "ipsieve_log_lines_lost_total",
      help: "Log lines that could not be written: the disk is full, or the reader too slow or gone",
      registers: [this.registry],
      collect(): void {
        counter.reset();
        counter.inc(read());
      },
    });
  }

  /** What Node knows of the process. */
  addProcess(): void {
    collectDefaultMetrics({ register: this.registry });
    // Sums of the gauges beside them, under names that are reserved for counters.
    for (const kind of ["handles", "requests", "resources"])
      this.registry.removeSingleMetric(`nodejs_active_${kind}_total`);
  }

  /** A gauge by state that is read when the page is requested. */
  addStates(name: string, help: string, read: () => Readonly<Record<string, number>>): void {
    const gauge = new Gauge({
      name,
      help,
      aggregator: "max",
      labelNames: ["state"],
      registers: [this.registry],
      collect(): void {
        for (const [state, count] of Object.entries(read())) gauge.set({ state }, count);
      },
    });
  }
}

function registered(times: RequestTimes, registry: Registry): RequestTimes {
  registry.registerMetric(times as unknown as Histogram);
  return times;
}
