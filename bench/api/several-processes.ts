/**
 * `npm run bench -- processes [--rounds N]`: a server of one process beside one of two (`--processes 2`) on SQLite, and
 * beside two servers that know nothing of each other and get half of the connections each: what a second process costs
 * on this machine whatever it does. Lookups and added rules a second, the processor time of all their processes for
 * each, and how evenly the processes share it. Prints medians, minima and maxima.
 */
import { copyFileSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { LIMITS } from "../../test/api/harness/replicas.ts";
import { cachePath } from "../data/cache.ts";
import { Random } from "../data/random.ts";
import { fillStore } from "./fill-store.ts";
import { medianOf } from "./measure.ts";
import { type Listener, LoadProcess, startService } from "./processes.ts";
import { requestBytes } from "./requests.ts";

const [CONNECTIONS, MILLISECONDS] = [64, 1000];
const RULES = 100_000;
/** More than a turn uses up. */
const WRITES = 10_000;

const { values } = parseArgs({ options: { rounds: { type: "string", default: "10" } } });
const folder = mkdtempSync(cachePath("processes-"));
const load = new LoadProcess();
const ways: Way[] = [];
const filled = await fillStore(join(folder, "filled.db"), RULES, new Random(1));
let [databases, added] = [0, 0];

interface Way {
  readonly name: string;
  readonly services: readonly Listener[];
}

try {
  ways.push({ name: "one process", services: [await start(1)] });
  ways.push({ name: "two processes", services: [await start(2)] });
  ways.push({ name: "two servers", services: [await start(1), await start(1)] });
  await measure("lookups", Number(values.rounds), lookups);
  await measure("added rules", Number(values.rounds), additions);
} finally {
  load.stop();
  for (const service of ways.flatMap(({ services }) => services)) await service.stop();
  rmSync(folder, { recursive: true });
}

/** Each has a copy of the same database, so that all know the same key. */
async function start(processes: number): Promise<Listener> {
  const file = join(folder, `${databases++}.db`);
  copyFileSync(join(folder, "filled.db"), file);
  const args = ["--db", file, "--processes", String(processes), "--ruleset-snapshots", "off", ...LIMITS];
  return startService(args);
}

/** A second of load for each way and round, every other round in the opposite order; the first does not count. */
async function measure(what: string, rounds: number, requestsOf: () => Uint8Array[]): Promise<void> {
  const found = ways.map((way) => ({ way, rates: [] as number[], costs: [] as number[], shares: [] as number[] }));
  for (let round = 0; round <= rounds; round++)
    for (const { way, rates, costs, shares } of round % 2 === 0 ? found : found.toReversed()) {
      const requests = requestsOf();
      const before = used(way);
      const order = {
        port: way.services.map(({ port }) => port),
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
  const [one, ...others] = found;
  for (const { way, costs } of others) {
    const ratios = costs.map((cost, round) => cost / one!.costs[round]!);
    print(`${way.name} beside one process, processor time of ${what}, ratio of the same round`, ratios);
  }
}

/** Processor seconds of the processes that were started, and of those that they have started. */
function used({ services }: Way): number[] {
  return services.flatMap(({ process: { pid } }) => {
    const children = readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").trim().split(" ").filter(Boolean);
    return [pid!, ...children.map(Number)].map(secondsOf);
  });
}

/** To the nanosecond: a second of load on a busy machine is few of the ticks that the system counts elsewhere. */
function secondsOf(pid: number): number {
  const threads = readdirSync(`/proc/${pid}/task`).map((id) =>
    readFileSync(`/proc/${pid}/task/${id}/schedstat`, "utf8"),
  );
  return threads.reduce((sum, text) => sum + Number(text.split(" ")[0]), 0) / 1e9;
}

function lookups(): Uint8Array[] {
  const random = new Random(5);
  const address = () => [random.below(224), random.below(256), random.below(256), random.below(256)].join(".");
  return Array.from({ length: 500 }, () => requestBytes({ path: `/v1/cbs/lookup?ip=${address()}`, key: filled.key }));
}

/** Another address each time. */
function additions(): Uint8Array[] {
  const { key, emptyId } = filled;
  const path = `/v1/edl/ip-rulesets/${emptyId}/rules`;
  return Array.from({ length: WRITES }, () => {
    const at = added++;
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
