import { parentPort, workerData } from "node:worker_threads";
import { craft, newCraftedReport, tryCrafted } from "./crafted.ts";

/**
 * Tries files `from`, `from + 1`, ... until it is stopped; `progress` holds how many are done, so that a hang is
 * noticed.
 */
export interface CraftedWork {
  readonly path: string;
  readonly one: Uint8Array;
  readonly other: Uint8Array;
  readonly from: number;
  readonly progress: SharedArrayBuffer;
  readonly limit: number;
  readonly until: number;
  /** For the negative controls: skip the deep check; loop forever at this file. */
  readonly trusting: boolean;
  readonly hangAt: number | null;
}

const work = workerData as CraftedWork;
const progress = new Int32Array(work.progress);
const [one, other] = [Buffer.from(work.one), Buffer.from(work.other)];
const report = newCraftedReport();
while (report.tried < work.limit && Date.now() < work.until) {
  while (report.tried === work.hangAt);
  const seed = work.from + report.tried;
  await tryCrafted(work.path, craft(one, other, seed), seed, report, work.trusting);
  Atomics.store(progress, 0, report.tried);
}
// oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread, not a window
parentPort!.postMessage(report);
