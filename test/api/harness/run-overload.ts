import { rmSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { fillStore } from "../../../bench/api/fill-store.ts";
import { LoadProcess } from "../../../bench/api/processes.ts";
import { requestBytes } from "../../../bench/api/requests.ts";
import { Random } from "../../../bench/data/random.ts";
import { BUNDLED } from "../start-server.ts";
import { limitProcessor } from "./limit-processor.ts";
import { ServiceProcess } from "./service-process.ts";

export interface OverloadOptions {
  readonly folder: string;
  /** The duration of each of the two loads in milliseconds. */
  readonly milliseconds: number;
  readonly of: Load;
  /** Without shedding it is the negative control: the last request waits for all the others. */
  readonly sheds?: boolean;
  /** Makes the server treat a few milliseconds as overload: the negative control of the goodput. */
  readonly shedsEarly?: boolean;
  /**
   * The server gets this share of one processor (only as root on Linux), so that the load generator can offer several
   * times what it can handle.
   */
  readonly processorShare?: number;
}

/**
 * Pages of 1000 rules; bulk lookups of 10,000 addresses, whose bodies take as long to arrive; lookups of single
 * addresses, some 25 µs each.
 */
export type Load = "pages" | "bulk lookups" | "lookups";

export interface OverloadReport {
  /** Responses per second, under the load at which the server is fastest. */
  readonly peak: number;
  /** The intended load as a multiple of the peak. */
  readonly wanted: number;
  /**
   * Requests sent per second. Every connection waits for its responses, so fewer requests are sent to a server that
   * makes them wait.
   */
  readonly offered: number;
  /** Successful responses per second under overload. */
  readonly goodput: number;
  /**
   * Successful responses per processor second of the server, at the peak and under overload: other work on the machine,
   * including the load generator, affects them less than responses per second.
   */
  readonly perProcessorSecond: { readonly peak: number; readonly over: number };
  readonly shed: number;
  /** Connections that were opened again after a 503 before the end of a body had closed the one before. */
  readonly reconnected: number;
  /** Responses that are neither 200 nor 503 with Retry-After. */
  readonly others: number;
  readonly statuses: Readonly<Record<string, number>>;
  /** Milliseconds, for all responses under overload. */
  readonly p99: number;
  readonly mostMemory: number;
}

const TIMES = 5;
/** For lookups, more at a time than the event loop takes from the system at once, which is 1,024. */
const CONNECTIONS: Readonly<Record<Load, { readonly atPeak: number; readonly over: number }>> = {
  pages: { atPeak: 4, over: 1000 },
  "bulk lookups": { atPeak: 4, over: 1000 },
  lookups: { atPeak: 64, over: 1500 },
};
/** Milliseconds: less than the requests of 1,024 connections take. */
const SHORT_DELAY = "10";
const ADDRESSES = 10_000;
const LOOKUPS = 512;
const RULES = 50_000;
const GREETING = requestBytes({ path: "/healthz" });

/** R10: the server at its peak, and then with five times as many requests. */
export async function runOverload({
  folder,
  milliseconds,
  of,
  sheds = true,
  shedsEarly = false,
  processorShare,
}: OverloadOptions): Promise<OverloadReport> {
  const file = `${folder}/overload.db`;
  const { key, rulesetId } = await fillStore(file, RULES, new Random(1));
  const delay = shedsEarly ? SHORT_DELAY : sheds ? "500" : "60000";
  const limits = ["--event-loop-delay", delay, "--rules-per-ruleset", String(RULES), "--catalogue", BUNDLED];
  if (!sheds) limits.push("--concurrent-requests", "1000000");
  const service = await ServiceProcess.start(file, limits);
  const load = new LoadProcess();
  let limit: ReturnType<typeof limitProcessor> | undefined;
  try {
    const requests = requestsOf(of, key, rulesetId);
    const { atPeak: few, over: many } = CONNECTIONS[of];
    const run = async (connections: number, duration: number, rate?: number) => {
      let before = NaN;
      const order = { port: service.port, connections, milliseconds: duration, requests, greeting: GREETING };
      const report = await load.run(
        rate === undefined ? order : { ...order, rate },
        () => (before = service.processorSeconds),
      );
      const perProcessorSecond = (report.statuses[200] ?? 0) / (service.processorSeconds - before);
      return { ...report, perProcessorSecond };
    };
    await run(few, milliseconds / 4);
    // Not earlier: compiling would use up the share.
    if (processorShare !== undefined) limit = limitProcessor(service.pid, processorShare);
    const best = await run(few, milliseconds);
    const peak = best.answers / best.seconds;
    const over = await run(many, milliseconds, TIMES * peak);
    const { 200: good = 0, "503": shed = 0, ...others } = over.statuses;
    await sleep(1000);
    return {
      peak,
      wanted: TIMES,
      offered: over.sent / over.seconds,
      goodput: good / over.seconds,
      perProcessorSecond: { peak: best.perProcessorSecond, over: over.perProcessorSecond },
      shed,
      reconnected: over.reconnected,
      statuses: over.statuses,
      p99: over.p99,
      mostMemory: service.mostMemory,
      others: Object.values(others).reduce((sum, count) => sum + count, 0) + over.withoutRetryAfter,
    };
  } finally {
    load.stop();
    await service.end("SIGTERM");
    limit?.remove();
    for (const suffix of ["", "-wal", "-shm"]) rmSync(file + suffix, { force: true });
  }
}

function requestsOf(of: Load, key: string, rulesetId: string): Buffer[] {
  switch (of) {
    case "pages":
      return [requestBytes({ path: `/v1/edl/ip-rulesets/${rulesetId}/rules?page=20&page_size=1000`, key })];
    case "bulk lookups":
      return [
        requestBytes({
          method: "POST",
          path: "/v1/cti/bulk_lookup",
          key,
          body: JSON.stringify({ ips: addresses(ADDRESSES) }),
        }),
      ];
    case "lookups":
      return addresses(LOOKUPS).map((ip) => requestBytes({ path: `/v1/cti/lookup/${ip}`, key }));
  }
}

function addresses(count: number): string[] {
  return Array.from({ length: count }, (_, index) => `198.51.${(100 + (index >> 8)) & 255}.${index & 255}`);
}
