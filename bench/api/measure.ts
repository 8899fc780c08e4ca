import type { LoadReport } from "./load-messages.ts";
import { type Listener, type LoadProcess, processorSeconds } from "./processes.ts";

/** One figure of one subject over all rounds. */
export interface Measurement {
  readonly subject: string;
  readonly unit:
    | "requests/s"
    | "addresses/s"
    | "ms"
    | "changes/s"
    | "processor µs/request"
    | "processor µs/change"
    | "processor ms"
    | "MiB"
    | "KiB"
    | "times";
  readonly median: number;
  /** In the order of rounds, or of the turns in them. */
  readonly samples: readonly number[];
}

/** A server under load, in turns with others. */
export interface Turn {
  readonly subject: string;
  readonly server: Listener;
  readonly requests: readonly Uint8Array[];
  readonly connections: number;
}

/**
 * Milliseconds of one turn, and turns of each in a round: short ones, because other work on the machine lasts for
 * seconds, and would affect one of two.
 */
const TURN = 500;
const TURNS = 4;

/**
 * Loads the servers in turn, after a round that does not count; every other turn in the opposite order. Besides
 * requests per second it measures the server's processor time for each, which other work on the machine disturbs less.
 * Throws if a response is neither 2xx nor 304.
 */
export async function measureTurns(load: LoadProcess, rounds: number, turns: readonly Turn[]): Promise<Measurement[]> {
  const rates = turns.map((): number[] => []);
  const costs = turns.map((): number[] => []);
  for (let turn = 0; turn < (rounds + 1) * TURNS; turn++) {
    const order = [...turns.entries()];
    for (const [index, { subject, server, requests, connections }] of turn % 2 === 0 ? order : order.reverse()) {
      const before = processorSeconds(server);
      const report = await load.run({ port: server.port, connections, milliseconds: TURN, requests, isAwake: true });
      requireGood(subject, report);
      if (turn < TURNS) continue;
      rates[index]!.push(report.answers / report.seconds);
      costs[index]!.push(((processorSeconds(server) - before) * 1e6) / report.answers);
    }
  }
  return turns.flatMap(({ subject }, index): Measurement[] => [
    measurement(subject, "requests/s", rates[index]!),
    measurement(subject, "processor µs/request", costs[index]!),
  ]);
}

export function requireGood(subject: string, { statuses }: LoadReport): void {
  const bad = Object.keys(statuses).filter((status) => !status.startsWith("2") && status !== "304");
  if (bad.length > 0) throw new Error(`${subject}: answers by status: ${JSON.stringify(statuses)}`);
}

export function measurement(subject: string, unit: Measurement["unit"], samples: readonly number[]): Measurement {
  return { subject, unit, median: medianOf(samples), samples };
}

export function medianOf(samples: readonly number[]): number {
  const sorted = samples.toSorted((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2;
}
