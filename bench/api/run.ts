/**
 * Measures the service with real processes: `node bench/api/run.ts [--rounds N]`. Writes a record under bench/record/. Everything is loaded by turns
 * in one run, so that ratios hold on a busy machine; contenders are proven right before.
 */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { cachePath } from "../data/cache.ts";
import { Random } from "../data/random.ts";
import { describeMachine } from "../record.ts";
import { measureBulk } from "./bulk.ts";
import { type FilledStore, fillStore } from "./fill-store.ts";
import { measureLookups } from "./lookups.ts";
import { type Measurement, measurement } from "./measure.ts";
import { measurePages } from "./pages.ts";
import { type Listener, LoadProcess, startService } from "./processes.ts";
import { figureLines } from "./report.ts";
import { measureWrites } from "./writes.ts";

/** What a run found, as it stands in bench/record/. */
export interface ApiRecord {
  readonly format: 1;
  readonly startedAt: string;
  readonly machine: ReturnType<typeof describeMachine>;
  readonly rules: number;
  readonly measurements: readonly Measurement[];
}

const RULES = 1_000_000;
const RECORDS = fileURLToPath(new URL("../record/", import.meta.url));
const BUNDLED = (name: string): string => fileURLToPath(new URL(`../../data/${name}`, import.meta.url));

/** On the disk that the project is on: a folder for temporary files may be in memory, where nothing takes time to be durable. */
async function measureAll(rounds: number): Promise<Measurement[]> {
  const folder = mkdtempSync(cachePath("api-"));
  const load = new LoadProcess();
  try {
    const file = join(folder, "store.db");
    const filled = await fillStore(file, RULES, new Random(1));
    const args = ["--db", file, "--catalogue", BUNDLED("catalogue.ipsieve"), "--cti", BUNDLED("cti-sample.ipsieve"), "--rules-per-ruleset", String(3 * RULES), "--log-level", "error"];
    const starts = await measureStarts(args, rounds);
    const service = await startService(args);
    try {
      return [starts, ...(await measureAt(service, filled, load, folder, rounds))];
    } finally {
      await service.stop();
    }
  } finally {
    load.stop();
    rmSync(folder, { recursive: true });
  }
}

async function measureAt(service: Listener, filled: FilledStore, load: LoadProcess, folder: string, rounds: number): Promise<Measurement[]> {
  return [
    ...(await measureLookups(service, filled, load, folder, rounds)),
    ...(await measureBulk(service, filled.key, BUNDLED("cti-sample.ipsieve"), load, rounds)),
    ...(await measurePages(service, filled, RULES, load, rounds)),
    ...(await measureWrites(service, filled, load, folder, rounds)),
  ];
}

/** From the start of the process until it answers; the files are in the system's cache. */
async function measureStarts(args: readonly string[], rounds: number): Promise<Measurement> {
  const samples: number[] = [];
  for (let round = 0; round <= rounds; round++) {
    const service = await startService(args);
    await service.stop();
    if (round > 0) samples.push(service.milliseconds);
  }
  return measurement("start with 1,000,000 rules and the bundled catalogue", "ms", samples);
}

if (import.meta.main) {
  const { values } = parseArgs({ options: { rounds: { type: "string", default: "5" } } });
  const startedAt = new Date().toISOString();
  const machine = describeMachine();
  const measurements = await measureAll(Number(values.rounds));
  const record: ApiRecord = { format: 1, startedAt, machine, rules: RULES, measurements };
  mkdirSync(RECORDS, { recursive: true });
  const path = join(RECORDS, `${startedAt.slice(0, 16).replace(":", "")}-api.json`);
  writeFileSync(path, `${JSON.stringify(record, null, 1)}\n`, { flag: "wx" });
  process.stdout.write(figureLines(record));
  process.stderr.write(`${path}\n`);
}
