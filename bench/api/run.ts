/**
 * Measures the service with real processes: `node bench/api/run.ts [--rounds N] [--catalogue FILE]`. Writes a record
 * under bench/record/. Everything is loaded in turn in one run, so that ratios are valid on a busy machine; contenders
 * are checked first. The catalogue is the bundled one unless another is given, such as that of all published lists,
 * which `ipsieve cbs update` makes.
 */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { openSnapshot } from "../../src/snapshot/open-snapshot.ts";
import { cachePath } from "../data/cache.ts";
import { Random } from "../data/random.ts";
import { describeMachine } from "../record.ts";
import { measureBulk } from "./bulk.ts";
import { measureChecks } from "./checks.ts";
import { type FilledStore, fillStore } from "./fill-store.ts";
import { measureLookups } from "./lookups.ts";
import { type Measurement, measurement } from "./measure.ts";
import { measurePages } from "./pages.ts";
import { type Listener, LoadProcess, processorSeconds, startService } from "./processes.ts";
import { type ApiRecord, figureLines } from "./report.ts";
import { measureWrites } from "./writes.ts";

const RULES = 1_000_000;
const CHECK_ROUNDS = 15;
const RECORDS = fileURLToPath(new URL("../record/", import.meta.url));
const BUNDLED = (name: string): string => fileURLToPath(new URL(`../../data/${name}`, import.meta.url));

/**
 * On the disk that the project is on: a folder for temporary files may be in memory, where nothing takes time to be
 * durable.
 */
async function measureAll(catalogue: string, rounds: number): Promise<Measurement[]> {
  const folder = mkdtempSync(cachePath("api-"));
  const load = new LoadProcess();
  try {
    const file = join(folder, "store.db");
    const filled = await fillStore(file, RULES, new Random(1));
    // Requests that wait because the machine is busy must be counted, not shed.
    const limits = ["--rules-per-ruleset", String(3 * RULES), "--event-loop-delay", "60000"];
    const args = [
      "--db",
      file,
      "--catalogue",
      catalogue,
      "--cti",
      BUNDLED("cti-sample.ipsieve"),
      ...limits,
      "--log-level",
      "error",
    ];
    const starts = await measureStarts(args, rounds);
    // Alone: the service would share its caches.
    const checks = measureChecks(RULES, CHECK_ROUNDS);
    const service = await startService(args);
    try {
      return [...starts, ...checks, ...(await measureAt(service, filled, load, folder, rounds))];
    } finally {
      await service.stop();
    }
  } finally {
    load.stop();
    rmSync(folder, { recursive: true });
  }
}

async function measureAt(
  service: Listener,
  filled: FilledStore,
  load: LoadProcess,
  folder: string,
  rounds: number,
): Promise<Measurement[]> {
  return [
    ...(await measureLookups(service, filled, load, folder, rounds)),
    ...(await measureBulk(service, filled.key, BUNDLED("cti-sample.ipsieve"), load, rounds)),
    ...(await measurePages(service, filled, RULES, load, rounds)),
    ...(await measureWrites(service, filled, load, folder, rounds)),
  ];
}

/**
 * From the start of the process until it answers; the files are in the system's cache, and the rules in a snapshot from
 * the second start on. The processor time is that of all its threads.
 */
async function measureStarts(args: readonly string[], rounds: number): Promise<Measurement[]> {
  const [samples, costs]: [number[], number[]] = [[], []];
  for (let round = 0; round <= rounds; round++) {
    const service = await startService(args);
    const cost = processorSeconds(service) * 1000;
    await service.stop();
    if (round === 0) continue;
    samples.push(service.milliseconds);
    costs.push(cost);
  }
  return [
    measurement("start with 1,000,000 rules", "ms", samples),
    measurement("start with 1,000,000 rules", "processor ms", costs),
  ];
}

async function describeCatalogue(path: string): Promise<{ name: string; prefixes: number }> {
  const { table } = await openSnapshot(path);
  return {
    name: path === BUNDLED("catalogue.ipsieve") ? "bundled" : basename(path),
    prefixes: table.prefixCount(4) + table.prefixCount(6),
  };
}

if (import.meta.main) {
  const { values } = parseArgs({
    options: {
      rounds: { type: "string", default: "5" },
      catalogue: { type: "string", default: BUNDLED("catalogue.ipsieve") },
    },
  });
  const startedAt = new Date().toISOString();
  const machine = describeMachine();
  const catalogue = await describeCatalogue(values.catalogue);
  const measurements = await measureAll(values.catalogue, Number(values.rounds));
  const record: ApiRecord = { format: 2, startedAt, machine, rules: RULES, catalogue, measurements };
  mkdirSync(RECORDS, { recursive: true });
  const path = join(RECORDS, `${startedAt.slice(0, 16).replace(":", "")}-api.json`);
  writeFileSync(path, `${JSON.stringify(record, null, 1)}\n`, { flag: "wx" });
  process.stdout.write(figureLines(record));
  process.stderr.write(`${path}\n`);
}
