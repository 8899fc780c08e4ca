/**
 * `npm run bench -- deployments [--only compile|serve|memory|downloads] [--rounds N]`: what lists for devices cost:
 * compiled from 1,000,000 rules; 300,000 entries served unchanged and from the cache, beside a bare Fastify route; the
 * memory that 20,000 pulls leave behind, with a server that keeps 2 KiB of each as the negative control; a hundred
 * downloads at once while rules change. Fails if a server keeps 1 KiB of each pull or more, or the control less. Writes
 * a record under bench/record/ unless --only is given.
 */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { fillStore } from "./api/fill-store.ts";
import type { Measurement } from "./api/measure.ts";
import { type Listener, LoadProcess, startService } from "./api/processes.ts";
import { cachePath } from "./data/cache.ts";
import { Random } from "./data/random.ts";
import { measureCompile } from "./deployments/compile.ts";
import { measureDownloads } from "./deployments/downloads.ts";
import { type Feed, makeFeed } from "./deployments/feed.ts";
import { LEAKING, measureMemory, METERED } from "./deployments/memory.ts";
import { measureServing } from "./deployments/serve.ts";
import { describeMachine } from "./record.ts";

const PARTS = ["compile", "serve", "memory", "downloads"] as const;
const ENTRIES = 300_000;
/** KiB of each pull; the negative control keeps twice as much. */
const MAX_KEPT = 1;

const { values } = parseArgs({ options: { only: { type: "string" }, rounds: { type: "string", default: "5" } } });
const rounds = Number(values.rounds);
const parts = PARTS.filter((part) => values.only === undefined || values.only === part);
if (parts.length === 0) throw new Error(`--only: one of ${PARTS.join(", ")}`);

const startedAt = new Date().toISOString();
const machine = describeMachine();
const measurements: Measurement[] = [];
if (parts.includes("compile")) measurements.push(...(await measureCompile(rounds)));
if (parts.includes("serve"))
  measurements.push(...(await withService((service, feed, folder) => serving(service, feed, folder))));
if (parts.includes("memory")) measurements.push(...(await measureKept()));
if (parts.includes("downloads")) measurements.push(...(await withService(measureDownloads)));
for (const { subject, unit, median, samples } of measurements)
  console.log(
    `${subject}: ${median.toPrecision(4)} ${unit} (${Math.min(...samples).toPrecision(3)} to ${Math.max(...samples).toPrecision(3)})`,
  );
if (values.only === undefined) {
  const folder = fileURLToPath(new URL("record/", import.meta.url));
  mkdirSync(folder, { recursive: true });
  const record = { format: 1, startedAt, machine, rounds, measurements };
  const path = join(folder, `${startedAt.slice(0, 16).replace(":", "")}-deployments.json`);
  writeFileSync(path, `${JSON.stringify(record, null, 1)}\n`, { flag: "wx" });
  console.log(path);
}

async function serving(service: Listener, feed: Feed, folder: string): Promise<Measurement[]> {
  const load = new LoadProcess();
  try {
    return await measureServing(service, feed, { load, folder, rounds });
  } finally {
    load.stop();
  }
}

/** Of the service, and of the same with a leak. Rejects if these cannot be told apart. */
async function measureKept(): Promise<Measurement[]> {
  const load = new LoadProcess();
  try {
    const found = await withService((service, feed) => measureMemory("service", service, feed, load), METERED);
    const control = await withService((service, feed) => measureMemory("with a leak", service, feed, load), LEAKING);
    const [kept, leaked] = [found, control].map((each) => each.at(-1)!.median) as [number, number];
    if (kept >= MAX_KEPT || leaked < MAX_KEPT)
      throw new Error(`${kept.toFixed(2)} KiB of each pull are kept, with a leak ${leaked.toFixed(2)}`);
    return [...found, ...control];
  } finally {
    load.stop();
  }
}

/** A service of its own for each part, so that the memory of one does not affect another. */
async function withService(
  measure: (service: Listener, feed: Feed, folder: string) => Promise<Measurement[]>,
  nodeOptions: readonly string[] = [],
): Promise<Measurement[]> {
  const folder = mkdtempSync(cachePath("deployments-"));
  try {
    const file = join(folder, "store.db");
    const filled = await fillStore(file, ENTRIES, new Random(18));
    const limits = ["--rules-per-ruleset", String(2 * ENTRIES), "--event-loop-delay", "60000"];
    const service = await startService(["--db", file, ...limits, "--log-level", "error"], nodeOptions);
    try {
      return await measure(service, await makeFeed(service, filled), folder);
    } finally {
      await service.stop();
    }
  } finally {
    rmSync(folder, { recursive: true });
  }
}
