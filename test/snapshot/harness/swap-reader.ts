import { parentPort, workerData } from "node:worker_threads";
import { openSnapshot } from "../../../src/snapshot/open-snapshot.ts";
import { SnapshotError } from "../../../src/snapshot/snapshot-error.ts";
import { countForeign } from "./swap-content.ts";

/** Opens the snapshot at `path` repeatedly and looks up addresses, until it is stopped. */
export interface SwapReading {
  readonly path: string;
  readonly stop: SharedArrayBuffer;
  readonly lookupsPerOpen: number;
  /** For the negative control: take the metadata from one opening and the table from the next. */
  readonly mixing: boolean;
}

export interface SwapReadings {
  opens: number;
  lookups: number;
  generations: number;
  /** Openings that were rejected because the file was half written. */
  torn: number;
  /** Answers of a generation other than the metadata's. */
  mixed: number;
  /** Openings that returned an older generation than an earlier opening. */
  backwards: number;
  untyped: string[];
}

const reading = workerData as SwapReading;
const stop = new Int32Array(reading.stop);
const told: SwapReadings = { opens: 0, lookups: 0, generations: 0, torn: 0, mixed: 0, backwards: 0, untyped: [] };
let newest = -1;
while (Atomics.load(stop, 0) === 0) {
  try {
    const snapshot = await openSnapshot(reading.path);
    const { table } = reading.mixing ? await openSnapshot(reading.path) : snapshot;
    const { number, prefixes } = snapshot.metadata as { number: number; prefixes: number };
    told.opens++;
    if (number > newest) told.generations++;
    if (number < newest) told.backwards++;
    newest = Math.max(newest, number);
    told.mixed += countForeign(table, number, prefixes, reading.lookupsPerOpen);
    told.lookups += reading.lookupsPerOpen;
  } catch (error) {
    if (error instanceof SnapshotError) told.torn++;
    else told.untyped.push(String(error));
  }
}
// oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread, not a window
parentPort!.postMessage(told);
