/**
 * `npm run bench -- replicas [--rounds N] [--writes N]`: two servers on one PostgreSQL behind HAProxy beside one:
 * lookups a second and the processor time of the servers for each; and how long after a write at one the other includes
 * it in responses. Prints medians, minima and maxima.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { parseArgs } from "node:util";
import { startBalancer } from "../../test/api/harness/balancer.ts";
import type { ListeningProgram } from "../../test/api/harness/start-listening.ts";
import { LIMITS } from "../../test/api/harness/replicas.ts";
import { startPostgres } from "../../test/store/harness/postgres.ts";
import { cachePath } from "../data/cache.ts";
import { Random } from "../data/random.ts";
import { fillStore, type FilledStore } from "./fill-store.ts";
import { type Listener, LoadProcess, processorSeconds, startService } from "./processes.ts";
import { requestBytes } from "./requests.ts";

const [CONNECTIONS, MILLISECONDS] = [64, 1000];
const RULES = 100_000;

const { values } = parseArgs({
  options: { rounds: { type: "string", default: "20" }, writes: { type: "string", default: "1000" } },
});
const folder = mkdtempSync(cachePath("replicas-"));
const postgres = await startPostgres();
const load = new LoadProcess();
const services: Listener[] = [];
const balancers: ListeningProgram[] = [];
try {
  const url = await postgres.database();
  const filled = await fillStore({ url }, RULES, new Random(1));
  for (let index = 0; index < 2; index++)
    services.push(await startService(["--database-url", url, "--ruleset-snapshots", "off", ...LIMITS]));
  await measureReads(filled, Number(values.rounds));
  await measureStaleness(filled, Number(values.writes));
} finally {
  load.stop();
  for (const balancer of balancers) await balancer.end();
  for (const service of services) await service.stop();
  await postgres[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true });
}

/** One second of load for each way and round, every other round in the opposite order; the first does not count. */
async function measureReads({ key }: FilledStore, rounds: number): Promise<void> {
  const ports = services.map(({ port }) => port);
  for (const behind of [ports.slice(0, 1), ports]) balancers.push(await startBalancer(folder, behind));
  const ways = [
    { name: "one server, asked directly", port: ports[0]!, proxies: [] as ListeningProgram[] },
    { name: "one server behind HAProxy", port: balancers[0]!.port, proxies: [balancers[0]!] },
    { name: "two servers behind HAProxy", port: balancers[1]!.port, proxies: [balancers[1]!] },
  ].map((way) => ({ ...way, rates: [] as number[], costs: [] as number[], proxied: [] as number[] }));
  const random = new Random(5);
  const requests = Array.from({ length: 500 }, () =>
    requestBytes({ path: `/v1/cbs/lookup?ip=${[random.below(224), ...bytesOf(random)].join(".")}`, key }),
  );
  const used = (of: Parameters<typeof processorSeconds>[0][]) =>
    of.reduce((sum, each) => sum + processorSeconds(each), 0);
  for (let round = 0; round <= rounds; round++)
    for (const way of round % 2 === 0 ? ways : ways.toReversed()) {
      const before = [used(services), used(way.proxies)] as const;
      const report = await load.run({ port: way.port, connections: CONNECTIONS, milliseconds: MILLISECONDS, requests });
      const statuses = Object.keys(report.statuses);
      if (statuses.join() !== "200") throw new Error(`${way.name}: answers of status ${statuses.join()}`);
      if (round === 0) continue;
      way.rates.push(report.answers / report.seconds);
      way.costs.push(((used(services) - before[0]) * 1e6) / report.answers);
      way.proxied.push(((used(way.proxies) - before[1]) * 1e6) / report.answers);
    }
  for (const { name, rates, costs, proxied } of ways) {
    print(`${name}, lookups a second`, rates);
    print(`${name}, processor µs of the servers a lookup`, costs);
    print(`${name}, processor µs of HAProxy a lookup`, proxied);
  }
  const [, one, two] = ways;
  print(
    "two beside one, processor time of the servers a lookup, ratio of the same round",
    two!.costs.map((cost, round) => cost / one!.costs[round]!),
  );
}

function bytesOf(random: Random): number[] {
  return Array.from({ length: 3 }, () => random.below(256));
}

/** From the response to a write at the first until the second has it, which is polled. */
async function measureStaleness({ key, emptyId }: FilledStore, writes: number): Promise<void> {
  const rulesAt = ({ port }: Listener) => `http://127.0.0.1:${port}/v1/edl/ip-rulesets/${emptyId}/rules`;
  const headers = { "X-API-Key": key, "Content-Type": "application/json" };
  const waits: number[] = [];
  for (let write = 0; write < writes; write++) {
    const ip = `198.18.${write >> 8}.${write & 255}`;
    const body = JSON.stringify({ ip, conflict_resolution: "fail" });
    const { status } = await fetch(rulesAt(services[0]!), { method: "POST", headers, body });
    if (status !== 201) throw new Error(`a write got ${status}`);
    const began = performance.now();
    const isKnown = async () => (await fetch(`${rulesAt(services[1]!)}/rule?ip=${ip}`, { headers })).status === 200;
    while (!(await isKnown())) await sleep(1);
    waits.push(performance.now() - began);
    await sleep(5);
  }
  print("milliseconds until the other server answers with a write", waits);
  const sorted = waits.toSorted((a, b) => a - b);
  for (const share of [0.9, 0.99]) console.log(`  ${share * 100} %: ${sorted[Math.floor(writes * share)]!.toFixed(1)}`);
}

function print(subject: string, samples: readonly number[]): void {
  const sorted = samples.toSorted((a, b) => a - b);
  const [median, least, most] = [sorted[sorted.length >> 1]!, sorted[0]!, sorted.at(-1)!].map((each) =>
    each.toPrecision(4),
  );
  console.log(`${subject}: ${median} (${least} to ${most})`);
}
