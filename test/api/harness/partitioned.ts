/*
 * `unshare --net node partitioned.ts OPTIONS`: two servers on one PostgreSQL in a network namespace that has nothing
 * but its loopback interface. Each server reaches the database by an address of its own, so that a packet filter can
 * cut off one of them, in both directions or in one. Prints a PartitionReport as JSON.
 */
import { execFileSync } from "node:child_process";
import { setTimeout as sleep } from "node:timers/promises";
import { fillStore } from "../../../bench/api/fill-store.ts";
import { Random } from "../../../bench/data/random.ts";
import { type PostgresServer, startPostgres } from "../../store/harness/postgres.ts";
import { DIRECTIONS, PacketFilter } from "./packet-filter.ts";
import type { PartitionOptions, PartitionReport } from "./partitions.ts";
import { LIMITS, ServiceReplica } from "./replicas.ts";
import { ServiceProcess } from "./service-process.ts";

const ADDRESSES = ["127.0.0.11", "127.0.0.12"] as const;
/** The duration of a partition in milliseconds. */
const [MIN_CUT, MAX_CUT] = [1000, 4000];
/** The maximum time for which a server tries to write before it rejects the write. */
const PATIENCE = 15_000;
/** What was on its way may arrive this long after the filter began. */
const ON_THE_WAY = 300;

const { rounds, seed, timing } = JSON.parse(process.argv[2]!) as PartitionOptions;
const random = new Random(seed);

async function run(server: PostgresServer, services: ServiceProcess[]): Promise<PartitionReport> {
  const url = await server.database();
  const { key, emptyId } = await fillStore({ url }, 0, random);
  const start = async (at: string): Promise<ServiceReplica> => {
    const service = await ServiceProcess.start({ url: url.replace("127.0.0.1", at) }, LIMITS);
    services.push(service);
    return new ServiceReplica(service, key, emptyId);
  };
  const replicas = [await start(ADDRESSES[0]), await start(ADDRESSES[1])] as const;
  const filter = new PacketFilter(Number(new URL(url).port));
  const counts: Counts = {
    rounds: {},
    claimedFresh: 0,
    staleWrites: 0,
    acrossPartition: 0,
    othersWaited: 0,
    othersBlocked: 0,
    slowestCatchUp: 0,
  };
  const writing = replicas.map((replica, index) => replica.write(`198.${18 + index}`));
  await sleep(500);
  for (let round = 0; round < rounds; round++) await cutOff(replicas, round, filter, counts);
  if (timing === "early") await killCutOff(replicas[0], filter);
  for (const replica of replicas) replica.stopWriting();
  await Promise.all(writing);
  const acknowledged = replicas.flatMap((replica) => [...(timing === "early" ? replica.sent : replica.acknowledged)]);
  const lost = new Set<string>();
  for (const replica of [...replicas.slice(timing === "early" ? 1 : 0), await start("127.0.0.1")]) {
    const known = await replica.rules(timing === "early" ? 0 : acknowledged.length);
    for (const ip of acknowledged) if (!known.has(ip)) lost.add(ip);
  }
  return {
    ...counts,
    acknowledged: acknowledged.length,
    lost: [...lost],
    otherRefusals: replicas.flatMap(({ refused }) => refused).filter((status) => status !== 503),
  };
}

type Counts = {
  -readonly [
    Name in Exclude<keyof PartitionReport, "rounds" | "acknowledged" | "lost" | "otherRefusals">
  ]: PartitionReport[Name];
} & { readonly rounds: Record<string, number> };

/** Cuts off one of the two for several seconds, while both are written to. */
async function cutOff(
  replicas: readonly [ServiceReplica, ServiceReplica],
  round: number,
  filter: PacketFilter,
  counts: Counts,
): Promise<void> {
  const which = random.below(2);
  const [cut, other] = [replicas[which]!, replicas[1 - which]!];
  const direction = DIRECTIONS[round % DIRECTIONS.length]!;
  // In every other round it has nothing in progress that others would have to wait for.
  const isIdle = round % 2 === 1;
  const name = `${direction}, ${isIdle ? "idle" : "writing"}`;
  counts.rounds[name] = (counts.rounds[name] ?? 0) + 1;
  cut.pauseWriting(isIdle);
  await sleep(isIdle ? ON_THE_WAY : 0);
  filter.drop(ADDRESSES[which]!, direction);
  await sleep(ON_THE_WAY);
  const sentBefore = new Set(cut.sent);
  const staleTag = await cut.tag();
  const ip = `198.51.${round >> 8}.${round & 255}`;
  let isWritten = false;
  const written = addUntilDone(other, ip).then(() => (isWritten = true));
  await sleep(MIN_CUT + random.below(MAX_CUT - MIN_CUT));
  // PostgreSQL does not notice at first that a transaction was cut off in the middle, and keeps its locks.
  if (!isWritten) {
    counts.othersWaited++;
    await Promise.race([written, sleep(PATIENCE, undefined, { ref: false })]);
  }
  if (!isWritten) counts.othersBlocked++;
  else if (await cut.isFresh(await other.tag())) counts.claimedFresh++;
  // The database may have written what it was sent earlier, and its answer may arrive at any time.
  for (const sent of cut.acknowledged) if (!sentBefore.has(sent)) counts.acrossPartition++;
  const conditional = isWritten ? cut.addIf(staleTag, `203.0.113.${round & 255}`) : undefined;
  filter.clear();
  const healedAt = performance.now();
  await written;
  await cut.until(ip, 200);
  counts.slowestCatchUp = Math.max(counts.slowestCatchUp, performance.now() - healedAt);
  if ((await conditional) === 200) counts.staleWrites++;
  cut.pauseWriting(false);
}

async function addUntilDone(replica: ServiceReplica, ip: string): Promise<void> {
  for (let status = 0; status !== 201 && status !== 409;) status = await replica.add(ip);
}

/** What it has been sent has not arrived, and never will. */
async function killCutOff(replica: ServiceReplica, filter: PacketFilter): Promise<void> {
  filter.drop(ADDRESSES[0], "both");
  await sleep(ON_THE_WAY);
  await replica.kill();
  filter.clear();
}

execFileSync("ip", ["link", "set", "lo", "up"]);
const postgres = await startPostgres(ADDRESSES);
const services: ServiceProcess[] = [];
try {
  const report = await run(postgres, services);
  process.stdout.write(`\n${JSON.stringify(report)}\n`);
} finally {
  await Promise.all(services.map((service) => service.end("SIGKILL")));
  await postgres[Symbol.asyncDispose]();
}
