import { Worker } from "node:worker_threads";
import type { CraftedReport } from "./crafted.ts";
import type { CraftedWork } from "./crafted-worker.ts";

/** Longer than any file may take. */
const HANG_MS = 20_000;

/**
 * Runs crafted files in a thread and watches it: no progress for `hangAfter` milliseconds is a hang, reported with its
 * file.
 */
export async function runCrafted(
  work: Omit<CraftedWork, "progress">,
  hangAfter = HANG_MS,
): Promise<CraftedReport | { hungAt: number }> {
  const progress = new Int32Array(new SharedArrayBuffer(4));
  const worker = new Worker(new URL("./crafted-worker.ts", import.meta.url), {
    workerData: { ...work, progress: progress.buffer },
  });
  let seen = -1;
  let since = Date.now();
  const { promise, resolve, reject } = Promise.withResolvers<CraftedReport | { hungAt: number }>();
  const watch = setInterval(() => {
    const done = Atomics.load(progress, 0);
    if (done !== seen) [seen, since] = [done, Date.now()];
    else if (Date.now() - since > hangAfter) resolve({ hungAt: work.from + done });
  }, 100);
  worker.once("message", resolve).once("error", reject);
  try {
    return await promise;
  } finally {
    clearInterval(watch);
    await worker.terminate();
  }
}
