/**
 * `npm run bench:processes [-- --rounds N]`: a server of one process beside one of two (`--processes 2`) on SQLite:
 * lookups and added rules a second, the processor time of all their processes for each, and how evenly the processes
 * share it. Prints medians, minima and maxima.
 */
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { LIMITS } from "../../test/api/harness/replicas.ts";
import { cachePath } from "../data/cache.ts";
import { Random } from "../data/random.ts";
import { fillStore, type FilledStore } from "./fill-store.ts";
import { medianOf } from "./measure.ts";
import { type Listener, LoadProcess, processorSeconds, startService } from "./processes.ts";
import { requestBytes } from "./requests.ts";

const [CONNECTIONS, MILLISECONDS] = [64, 1000];
const RULES = 100_000;
/** More than a turn uses up. */
const WRITES = 10_000;

const { values } = parseArgs({ options: { rounds: { type: "string", default: "10" } } });
const folder = mkdtempSync(cachePath("processes-"));
const load = new LoadProcess();
const ways: Way[] = [];

interface Way {
  readonly name: string;
  readonly service: Listener;
  readonly filled: FilledStore;
  added: number;
}

try {
  for (const processes of [1, 2]) ways.push(await start(processes));
  await measure("lookups", Number(values.rounds), lookups);
  await measure("added rules", Number(values.rounds), additions);
} finally {
  load.stop();
  for (const { service } of ways) await service.stop();
  rmSync(folder, { recursive: true });
}

async function start(processes: number): Promise<Way> {
  const file = join(folder, `${processes}.db`);
  const filled = await fillStore(file, RULES, new Random(1));
  const args = ["--db", file, "--processes", String(processes), "--ruleset-snapshots", "off", ...LIMITS];
  const service = await startService(args);
  return { name: processes === 1 ? "one process" : `${processes} processes`, service, filled, added: 0 };
}

/** A second of load for each way and round, every other round in the opposite order; the first does not count. */
async function measure(what: string, rounds: number, requestsOf: (way: Way) => Uint8Array[]): Promise<void> {
  const found = ways.map((way) => ({ way, rates: [] as number[], costs: [] as number[], shares: [] as number[] }));
  for (let round = 0; round <= rounds; round++)
    for (const { way, rates, costs, shares } of round % 2 === 0 ? found : found.toReversed()) {
      const requests = requestsOf(way);
      const before = used(way);
      const order = {
        port: way.service.port,
        connections: CONNECTIONS,
        milliseconds: MILLISECONDS,
        requests,
        isAwake: true,
      };
      const report = await load.run(order);
      const statuses = Object.keys(report.statuses);
      if (!/^20[01]$/.test(statuses.join())) throw new Error(`${way.name}: responses of status ${statuses.join()}`);
      const each = used(way).map((seconds, index) => seconds - before[index]!);
      const sum = each.reduce((all, seconds) => all + seconds, 0);
      if (round === 0) continue;
      rates.push(report.answers / report.seconds);
      costs.push((sum * 1e6) / report.answers);
      shares.push(Math.max(...each) / sum);
    }
  for (const { way, rates, costs, shares } of found) {
    print(`${way.name}, ${what} a second`, rates);
    print(`${way.name}, processor µs each`, costs);
    print(`${way.name}, share of the process that used most`, shares);
  }
  const [one, two] = found;
  const ratios = two!.costs.map((cost, round) => cost / one!.costs[round]!);
  print(`two beside one, processor time of ${what}, ratio of the same round`, ratios);
}

/** Processor seconds of the process that was started, and of those that it has started. */
function used({ service }: Way): number[] {
  const { pid } = service.process;
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").trim().split(" ").filter(Boolean);
  return [pid!, ...children.map(Number)].map((id) => processorSeconds({ process: { pid: id } }));
}

function lookups({ filled: { key } }: Way): Uint8Array[] {
  const random = new Random(5);
  const address = () => [random.below(224), random.below(256), random.below(256), random.below(256)].join(".");
  return Array.from({ length: 500 }, () => requestBytes({ path: `/v1/cbs/lookup?ip=${address()}`, key }));
}

/** Another address each time. */
function additions(way: Way): Uint8Array[] {
  const { key, emptyId } = way.filled;
  const path = `/v1/edl/ip-rulesets/${emptyId}/rules`;
  return Array.from({ length: WRITES }, () => {
    const at = way.added++;
    const ip = [10 + (at >> 24), (at >> 16) & 255, (at >> 8) & 255, at & 255].join(".");
    return requestBytes({ method: "POST", path, key, body: JSON.stringify({ ip, name: "bench" }) });
  });
}

function print(subject: string, samples: readonly number[]): void {
  const [median, least, most] = [medianOf(samples), Math.min(...samples), Math.max(...samples)].map((each) =>
    each.toPrecision(4),
  );
  console.log(`${subject}: ${median} (${least} to ${most})`);
}
