import { rmSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { fillStore } from "../../../bench/api/fill-store.ts";
import { LoadProcess } from "../../../bench/api/processes.ts";
import { requestBytes, type RequestText } from "../../../bench/api/requests.ts";
import { Random } from "../../../bench/data/random.ts";
import { ServiceProcess } from "./service-process.ts";

export interface OverloadOptions {
  readonly folder: string;
  /** Milliseconds of each of the two loads. */
  readonly milliseconds: number;
  /** Pages of 1000 rules, or bulk lookups of 10,000 addresses, whose bodies take as long to arrive. */
  readonly of: "pages" | "bulk lookups";
  /** Without shedding it is the negative control: what is asked for last waits for all the others. */
  readonly sheds?: boolean;
}

export interface OverloadReport {
  /** Answers a second, with as much load as the server takes at its best. */
  readonly peak: number;
  /** Requests a second that were sent, five times as many. */
  readonly offered: number;
  /** Good answers a second then. */
  readonly goodput: number;
  readonly shed: number;
  /** Answers that are neither 200 nor a 503 with Retry-After. */
  readonly others: number;
  readonly statuses: Readonly<Record<string, number>>;
  /** Milliseconds, of all answers under overload. */
  readonly p99: number;
  readonly mostMemory: number;
}

const TIMES = 5;
const CONNECTIONS = 1000;
const ADDRESSES = 10_000;
const RULES = 50_000;

/** R10: requests that take milliseconds of computing each, at the server's best and then five times as many. */
export async function runOverload({ folder, milliseconds, of, sheds = true }: OverloadOptions): Promise<OverloadReport> {
  const file = `${folder}/overload.db`;
  const { key, rulesetId } = await fillStore(file, RULES, new Random(1));
  const limits: string[] = sheds ? [] : ["--event-loop-delay", "60000", "--concurrent-requests", "1000000"];
  limits.push("--rules-per-ruleset", String(RULES));
  const service = await ServiceProcess.start(file, limits);
  const load = new LoadProcess();
  try {
    const ips = Array.from({ length: ADDRESSES }, (_, index) => `198.51.${index >> 8}.${index & 255}`);
    const bulk: RequestText = { method: "POST", path: "/v1/cti/bulk_lookup", key, body: JSON.stringify({ ips }) };
    const page: RequestText = { path: `/v1/edl/ip-rulesets/${rulesetId}/rules?page=20&page_size=1000`, key };
    const requests = [requestBytes(of === "pages" ? page : bulk)];
    const run = (connections: number, duration: number, rate?: number) =>
      load.run({ port: service.port, connections, milliseconds: duration, requests, ...(rate === undefined ? {} : { rate }) });
    await run(4, milliseconds / 4);
    const best = await run(4, milliseconds);
    const peak = best.answers / best.seconds;
    const over = await run(CONNECTIONS, milliseconds, TIMES * peak);
    const { 200: good = 0, "503": shed = 0, ...others } = over.statuses;
    await sleep(1000);
    return {
      peak, offered: over.sent / over.seconds, goodput: good / over.seconds, shed, statuses: over.statuses, p99: over.p99, mostMemory: service.mostMemory,
      others: Object.values(others).reduce((sum, count) => sum + count, 0) + over.withoutRetryAfter,
    };
  } finally {
    load.stop();
    await service.end("SIGTERM");
    for (const suffix of ["", "-wal", "-shm"]) rmSync(file + suffix, { force: true });
  }
}
