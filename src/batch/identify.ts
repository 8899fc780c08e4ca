import { availableParallelism } from "node:os";
import type { Readable } from "node:stream";
import { checkOptions } from "./_check-options.ts";
import { defaultWorkerBytes, type IdentifyOptions, type WorkPerByte } from "./identify-options.ts";
import type { IdentifyResult } from "./identify-result.ts";
import { surveyInputs } from "./input/open-input.ts";
import { Run } from "./pipeline/run.ts";
import { startWorkersAhead, type WorkerThreads } from "./pool/worker-threads.ts";

/**
 * Finds the address of every line of the inputs, looks it up, and writes one row per line, in order.
 *
 * The calling thread takes shards like the workers do, so one thread needs no worker, and none idles while they start.
 * Memory: a few shards and row buffers per thread (`BatchLimits`). A line that is longer than a shard is in memory
 * about twice, with rows of its length (`append`) three times: up to 3 GiB for the longest line that is accepted by
 * default. Lower `limits.lineBytes` to cap that.
 *
 * When an input fails on the way, the rows of the lines before are written first, and then the promise is rejected: a
 * stream keeps them, an output file is removed. Of damaged compressed data these are the lines that the decompressor
 * had handed over; it hands over up to 256 KiB of text at a time, so that a few hundred KiB before the damage may be
 * missing.
 * @throws TypeError or RangeError for an option that is none; BatchError for an input, output or field that cannot be
 * used; the signal's reason when aborted.
 */
export function identify(options: IdentifyOptions): Promise<IdentifyResult> {
  return identifyWith(options, null);
}

/** As `identify`, with the workers of a pool that are idle; null: with workers of its own. */
export async function identifyWith(options: IdentifyOptions, pool: WorkerThreads | null): Promise<IdentifyResult> {
  checkOptions(options);
  options.signal?.throwIfAborted();
  const run = new Run(options, surveyInputs(options.inputs), pool);
  return run.toEnd();
}

/**
 * Starts the threads that `identify` will want for these inputs, so that they come up while the caller opens the
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
    // Told later.
  }
}
