/*
 * `unshare --net node balanced.ts OPTIONS`: two servers on one PostgreSQL, with HAProxy as the load balancer, in a
 * network namespace that has nothing but its loopback interface. While clients write and read through HAProxy, one of
 * the two is killed and restarted, frozen, or cut off from the database. Prints a BalancedReport as JSON.
 */
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fillStore } from "../../../bench/api/fill-store.ts";
import { Random } from "../../../bench/data/random.ts";
import { freePort } from "../../free-port.ts";
import { startPostgres } from "../../store/harness/postgres.ts";
import { until } from "../../until.ts";
import { startBalancer } from "./balancer.ts";
import type { ListeningProgram } from "./start-listening.ts";
import { type BalancedOptions, FAULTS, type Fault, type BalancedReport } from "./balanced-report.ts";
import { DIRECTIONS, PacketFilter } from "./packet-filter.ts";
import { LIMITS, ServiceReplica } from "./replicas.ts";
import { ServiceProcess } from "./service-process.ts";

const ADDRESSES = ["127.0.0.11", "127.0.0.12"] as const;
const [WRITERS, READERS] = [4, 8];
/**
 * Milliseconds between the requests of one client: the machine should not be overloaded, but the servers never idle.
 */
const PAUSE = 5;
/** The duration of faults in milliseconds; some are longer than the bound. */
const FAULT = { killed: [1000, 5000], frozen: [1000, 12_000], "cut off": [2000, 25_000] } as const;
/**
 * Milliseconds after both are ready again, within which HAProxy notices: faults of both at once are not covered here.
 */
const BETWEEN = 5000;
/** Half of the reads are of one of the last writes; this many are considered. */
const LAST = 100;

const { rounds, seed, bound } = JSON.parse(process.argv[2]!) as BalancedOptions;
const random = new Random(seed);
const folder = mkdtempSync(join(tmpdir(), "ipsieve-balanced-"));
/** Acknowledged writes in order. */
const written: { readonly ip: string; readonly at: number }[] = [];
const report: BalancedReport = {
  faults: { killed: 0, frozen: 0, "cut off": 0 },
  reads: 0,
  acknowledged: 0,
  stale: 0,
  stalest: 0,
  wrong: [],
  lost: [],
  otherStatuses: {},
};
const over = new AbortController();

execFileSync("ip", ["link", "set", "lo", "up"]);
const postgres = await startPostgres(ADDRESSES);
const services: ServiceProcess[] = [];
let balancer: ListeningProgram | undefined;
try {
  const url = await postgres.database();
  const { key, emptyId } = await fillStore({ url }, 0, random);
  const ports = [await freePort(), await freePort()] as const;
  const start = async (which: 0 | 1): Promise<void> => {
    const args = ["--port", String(ports[which]), ...LIMITS];
    services[which] = await ServiceProcess.start({ url: url.replace("127.0.0.1", ADDRESSES[which]) }, args);
  };
  await start(0);
  await start(1);
  balancer = await startBalancer(folder, ports);
  const through = new ServiceReplica({ port: balancer.port, end: () => Promise.resolve(0) }, key, emptyId);
  const filter = new PacketFilter(Number(new URL(url).port));
  const clients = [
    ...Array.from({ length: WRITERS }, (_, client) => write(through, client)),
    ...Array.from({ length: READERS }, () => read(through)),
  ];
  await until("there are writes", () => written.length > LAST);
  for (let round = 0; round < rounds; round++) {
    const which = random.below(2) as 0 | 1;
    await happens(FAULTS[round % FAULTS.length]!, which, filter, start);
    await until("both are ready", () => isReady(ports), { every: 200, within: 300_000 });
    await sleep(BETWEEN);
  }
  over.abort();
  await Promise.all(clients);
  report.acknowledged = written.length;
  for (const service of services) {
    const known = await new ServiceReplica(service, key, emptyId).rules(written.length);
    for (const { ip } of written) if (!known.has(ip)) report.lost.push(ip);
  }
  process.stdout.write(`\n${JSON.stringify(report)}\n`);
} finally {
  await balancer?.end();
  await Promise.all(services.map((service) => service.end("SIGKILL")));
  await postgres[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true });
}

async function happens(
  fault: Fault,
  which: 0 | 1,
  filter: PacketFilter,
  start: (which: 0 | 1) => Promise<void>,
): Promise<void> {
  report.faults[fault]++;
  const service = services[which]!;
  const [least, most] = FAULT[fault];
  const milliseconds = least + random.below(most - least);
  if (fault === "killed") await service.end("SIGKILL");
  else if (fault === "frozen") process.kill(service.pid, "SIGSTOP");
  else filter.drop(ADDRESSES[which], DIRECTIONS[random.below(DIRECTIONS.length)]!);
  await sleep(milliseconds);
  if (fault === "killed") await start(which);
  else if (fault === "frozen") process.kill(service.pid, "SIGCONT");
  else filter.clear();
}

async function isReady(ports: readonly number[]): Promise<boolean> {
  const states = await Promise.all(ports.map(stateOf));
  return states.every((state) => state === "ok\n");
}

/** The response of /readyz; empty if there is none. */
async function stateOf(port: number): Promise<string> {
  try {
    return await (await fetch(`http://127.0.0.1:${port}/readyz`)).text();
  } catch {
    return "";
  }
}

async function write(through: ServiceReplica, client: number): Promise<void> {
  for (let count = 0; !over.signal.aborted; count++) {
    const ip = `198.${18 + (client >> 1)}.${(client & 1) * 128 + (count >> 8)}.${count & 255}`;
    const status = await through.add(ip).catch(() => 0);
    if (status === 201) written.push({ ip, at: performance.now() });
    else countStatus("write", status);
    await sleep(PAUSE);
  }
}

async function read(through: ServiceReplica): Promise<void> {
  for (; !over.signal.aborted; await sleep(PAUSE)) {
    if (random.below(10) === 0) await readAbsent(through);
    else if (written.length > 0) await readWritten(through);
    report.reads++;
  }
}

/** Addresses that were never written must be absent. */
async function readAbsent(through: ServiceReplica): Promise<void> {
  const ip = `203.0.113.${random.below(256)}`;
  const status = await through.get(ip).catch(() => 0);
  if (status === 200) report.wrong.push(`${ip}: was never written`);
  else if (status !== 404) countStatus("read", status);
}

/** A write that was acknowledged longer than the bound before the request must be visible. */
async function readWritten(through: ServiceReplica): Promise<void> {
  const from = random.below(2) === 0 ? Math.max(0, written.length - LAST) : 0;
  const { ip, at } = written[from + random.below(written.length - from)]!;
  const age = performance.now() - at;
  const status = await through.get(ip).catch(() => 0);
  if (status === 404) {
    report.stale++;
    report.stalest = Math.max(report.stalest, age);
    if (age > bound) report.wrong.push(`${ip}: not known ${Math.round(age)} ms after it was acknowledged`);
  } else if (status !== 200) countStatus("read", status);
}

function countStatus(what: string, status: number): void {
  const name = `${what} ${status === 0 ? "without an answer" : status}`;
  report.otherStatuses[name] = (report.otherStatuses[name] ?? 0) + 1;
}
