/**
 * Loaded before the service, with `--expose-gc`: tells the parent process by a message how much memory is in use after a
 * complete collection. Resident memory alone rises and falls by tens of MiB with the collector's own times.
 */
import { setTimeout as sleep } from "node:timers/promises";
import { isMainThread } from "node:worker_threads";

/** What the parent process sends, and is answered with bytes. */
export const MEMORY_IN_USE = "memory in use";

/** Milliseconds in which connections close, and what the collector has found is released by its own threads. */
const PAUSE = 300;

async function answer(message: unknown): Promise<void> {
  if (message !== MEMORY_IN_USE) return;
  for (let time = 0; time < 3; time++) {
    await sleep(PAUSE);
    globalThis.gc!();
  }
  await sleep(PAUSE);
  const { heapUsed, external } = process.memoryUsage();
  process.send!(heapUsed + external);
}

if (isMainThread && process.channel !== undefined) {
  process.on("message", (message) => void answer(message));
  process.channel.unref();
}
