/**
 * Loaded before the service, with `--expose-gc`: tells the parent process by a message how much memory is in use after a
 * complete collection. Resident memory alone rises and falls by tens of MiB with the collector's own times.
 */
import { isMainThread } from "node:worker_threads";

/** What the parent process sends, and is answered with bytes. */
export const MEMORY_IN_USE = "memory in use";

function answer(message: unknown): void {
  if (message !== MEMORY_IN_USE) return;
  globalThis.gc!();
  const { heapUsed, external } = process.memoryUsage();
  process.send!(heapUsed + external);
}

if (isMainThread && process.channel !== undefined) {
  process.on("message", answer);
  process.channel.unref();
}
