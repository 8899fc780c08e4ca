import { availableParallelism } from "node:os";
import type { Readable } from "node:stream";
import { checkOptions } from "./_check-options.ts";
import { defaultWorkerBytes, type IdentifyOptions, type WorkPerByte } from "./identify-options.ts";
import type { IdentifyResult } from "./identify-result.ts";
import { surveyInputs } from "./input/open-input.ts";
import { Run } from "./pipeline/run.ts";
import { startWorkersAhead, type WorkerThreads } from "./threads/worker-threads.ts";

/**
 * Finds the address of every line of the inputs, looks it up, and writes one row per line, in order.
 *
 * The calling thread takes shards as the workers do, so one thread needs no worker, and no thread idles while workers
 * start. Memory: a few shards and row buffers per thread (`BatchLimits`). A line longer than a shard is in memory about
 * twice, with rows of its length (`append`) three times: up to 3 GiB for the longest line accepted by default. Lower
 * `limits.lineBytes` to reduce that.
 *
 * If an input fails half way, the rows of the lines before are written first, and then the promise is rejected: a
 * stream keeps them, an output file is removed. For corrupt compressed data, these are the lines that the decompressor
 * had returned; it returns up to 256 KiB of text at a time, so a few hundred KiB before the corruption may be missing.
 * @throws TypeError or RangeError for an invalid option; BatchError for an input, output or field that cannot be used;
 * the signal's reason when aborted.
 */
export function identify(options: IdentifyOptions): Promise<IdentifyResult> {
  return identifyWith(options, null);
}

/** Like `identify`, with the idle workers of a pool; null: with workers of its own. */
export async function identifyWith(options: IdentifyOptions, pool: WorkerThreads | null): Promise<IdentifyResult> {
  checkOptions(options);
  options.signal?.throwIfAborted();
  const run = new Run(options, surveyInputs(options.inputs), pool);
  return run.toEnd();
}

/**
 * Starts the threads that `identify` will need for these inputs, so that they start while the caller opens the
 * snapshot. They do not keep the process alive. Inputs that cannot be read are left for `identify` to report.
 */
export function prepareThreads(
  inputs: readonly (string | Readable)[],
  work: WorkPerByte,
  threads: number = availableParallelism(),
): void {
  if (threads < 2) return;
  try {
    if ((surveyInputs(inputs) ?? 0) >= defaultWorkerBytes(work, false)) startWorkersAhead(threads - 1);
  } catch {
    // Reported later.
  }
}
