import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { Agent, request } from "node:http";
import { fileURLToPath } from "node:url";
import { setTimeout as sleep } from "node:timers/promises";
import type { FilledStore } from "../fill-store.ts";
import { type Measurement, measurement, medianOf } from "../measure.ts";
import { type Listener, processorSeconds, residentMiB } from "../processes.ts";

const SCRIPT = fileURLToPath(new URL("readers.ts", import.meta.url));
const READERS = 1000;
/** Writes a second, and the milliseconds of a turn. */
const [RATE, TURN] = [500, 6000];
const TICK = 10;

/** The result of one turn of writes. */
interface Turn {
  /** Milliseconds of a write, the median. */
  readonly latency: number;
  readonly memory: number;
  readonly processor: number;
}

/**
 * Writes at a steady rate, alternately with a thousand open streams and with none. Throws if a stream has missed a
 * change.
 */
export async function measureManyReaders(
  service: Listener,
  store: FilledStore,
  rounds: number,
): Promise<Measurement[]> {
  const [without, withReaders]: [Turn[], Turn[]] = [[], []];
  let next = 0;
  for (let round = 0; round <= rounds; round++) {
    const alone = await writeSteadily(service, store, next);
    const child = await startReaders(service.port, store.key);
    const read = await writeSteadily(service, store, (next += (RATE * TURN) / 1000));
    await requireAll(child, READERS * ((RATE * TURN) / 1000));
    child.disconnect();
    await once(child, "exit");
    next += (RATE * TURN) / 1000;
    if (round === 0) continue;
    without.push(alone);
    withReaders.push(read);
  }
  return [...measurementsOf("none", without), ...measurementsOf("1,000", withReaders)];
}

function measurementsOf(readers: string, turns: readonly Turn[]): Measurement[] {
  const subject = `500 writes a second, ${readers} streams of changes`;
  return [
    measurement(
      subject,
      "ms",
      turns.map(({ latency }) => latency),
    ),
    measurement(
      subject,
      "MiB",
      turns.map(({ memory }) => memory),
    ),
    measurement(
      subject,
      "processor ms",
      turns.map(({ processor }) => processor),
    ),
  ];
}

async function startReaders(port: number, key: string): Promise<ChildProcess> {
  const child = fork(SCRIPT, [String(port), key, String(READERS)]);
  await once(child, "message");
  return child;
}

async function requireAll(child: ChildProcess, expected: number): Promise<void> {
  for (const end = performance.now() + 60_000; performance.now() < end; await sleep(100)) {
    child.send("count");
    const [count] = await once(child, "message");
    if (count === expected) return;
    if (count > expected) break;
  }
  throw new Error("streams have not got every change once");
}

async function writeSteadily(service: Listener, { key, emptyId }: FilledStore, first: number): Promise<Turn> {
  const agent = new Agent({ keepAlive: true, maxSockets: 64 });
  const path = `/v1/edl/ip-rulesets/${emptyId}/rules`;
  const latencies: Promise<number>[] = [];
  const [startedAt, before] = [performance.now(), processorSeconds(service)];
  for (let elapsed = 0; elapsed < TURN; elapsed = performance.now() - startedAt) {
    while (latencies.length < Math.min(elapsed, TURN) * (RATE / 1000))
      latencies.push(write(agent, service.port, path, key, first + latencies.length));
    await sleep(TICK);
  }
  while (latencies.length < (RATE * TURN) / 1000)
    latencies.push(write(agent, service.port, path, key, first + latencies.length));
  const latency = medianOf(await Promise.all(latencies));
  agent.destroy();
  const processor = (processorSeconds(service) - before) * 1000;
  return { latency, memory: residentMiB(service, "VmRSS"), processor };
}

/** Every number another address. Returns the milliseconds until the response. */
function write(agent: Agent, port: number, path: string, key: string, number: number): Promise<number> {
  const startedAt = performance.now();
  const headers = { "X-API-Key": key, "Content-Type": "application/json" };
  return new Promise((resolve, reject) => {
    const sent = request({ agent, host: "127.0.0.1", port, path, method: "POST", headers }, (response) => {
      if (response.statusCode !== 201) reject(new Error(`a write: ${response.statusCode}`));
      response.resume().on("end", () => resolve(performance.now() - startedAt));
    });
    sent.on("error", reject);
    sent.end(JSON.stringify({ ip: `11.${number >> 16}.${(number >> 8) & 255}.${number & 255}` }));
  });
}
