import { once } from "node:events";
import { open, readFile } from "node:fs/promises";
import { Worker } from "node:worker_threads";
import { writeSnapshot } from "../../../src/snapshot/write-snapshot.ts";
import { rewriteInPlace } from "./publish-trace.ts";
import { swapContent } from "./swap-content.ts";
import type { SwapReading, SwapReadings } from "./swap-reader.ts";

export interface SwapReport extends SwapReadings {
  swaps: number;
  /** The maximum resident memory in MiB, in the first half of the swaps and in the second. A leak would double it. */
  earlyRss: number;
  lateRss: number;
}

export interface SwapOptions {
  readonly path: string;
  readonly prefixes: number;
  readonly lookupsPerOpen: number;
  readonly go: (swaps: number) => boolean;
  /** Negative controls. */
  readonly inPlace?: boolean;
  readonly mixing?: boolean;
}

/** Publishes one generation after another while two threads open snapshots and look up addresses. */
export async function runSwaps({
  path,
  prefixes,
  lookupsPerOpen,
  go,
  inPlace = false,
  mixing = false,
}: SwapOptions): Promise<SwapReport> {
  await writeSnapshot(path, swapContent(0, prefixes));
  const stop = new Int32Array(new SharedArrayBuffer(4));
  const reading: SwapReading = { path, stop: stop.buffer, lookupsPerOpen, mixing };
  const readers = [0, 1].map(() => new Worker(new URL("./swap-reader.ts", import.meta.url), { workerData: reading }));
  const results = readers.map((reader) => once(reader, "message") as Promise<[SwapReadings]>);
  await Promise.all(readers.map((reader) => once(reader, "online")));
  const rss: number[] = [];
  let swaps = 0;
  for (; go(swaps); swaps++) {
    if (inPlace) {
      await writeSnapshot(`${path}.next`, swapContent(swaps + 1, prefixes));
      await rewriteInPlace(path, await readFile(`${path}.next`), { open });
    } else {
      await writeSnapshot(path, swapContent(swaps + 1, prefixes));
    }
    rss.push(process.memoryUsage.rss() / 2 ** 20);
  }
  Atomics.store(stop, 0, 1);
  const told = (await Promise.all(results)).map(([readings]) => readings);
  await Promise.all(readers.map((reader) => reader.terminate()));
  const mostOf = (part: readonly number[]): number => Math.round(part.reduce((most, size) => Math.max(most, size), 0));
  return { swaps, ...sum(told), earlyRss: mostOf(rss.slice(0, swaps / 2)), lateRss: mostOf(rss.slice(swaps / 2)) };
}

function sum(told: readonly SwapReadings[]): SwapReadings {
  const total = (pick: (readings: SwapReadings) => number): number =>
    told.reduce((so, readings) => so + pick(readings), 0);
  return {
    opens: total(({ opens }) => opens),
    lookups: total(({ lookups }) => lookups),
    generations: Math.min(...told.map(({ generations }) => generations)),
    torn: total(({ torn }) => torn),
    mixed: total(({ mixed }) => mixed),
    backwards: total(({ backwards }) => backwards),
    untyped: told.flatMap(({ untyped }) => untyped),
  };
}
