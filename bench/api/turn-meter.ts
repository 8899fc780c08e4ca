/**
 * Loaded before the service: measures the turns of its event loop by the processor time of their thread, which other
 * work on the machine does not lengthen. The parent process requests the longest turn since its last request by a
 * message. Systems that count by ticks are accurate to some milliseconds.
 */
import { isMainThread } from "node:worker_threads";

/** The message of the parent process; the response is in milliseconds. */
export const LONGEST_TURN = "longest turn";

function processorTime(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
}

/** An immediate that is not referenced is called in every turn, and does not keep the loop from waiting. */
function measureTurns(): void {
  let longest = 0;
  let before = processorTime();
  const measure = (): void => {
    const now = processorTime();
    longest = Math.max(longest, now - before);
    before = now;
    setImmediate(measure).unref();
  };
  setImmediate(measure).unref();
  process.on("message", (message) => {
    if (message !== LONGEST_TURN) return;
    process.send!(longest);
    longest = 0;
  });
  process.channel!.unref();
}

// The service's other threads may block: only their caller waits for them. Without a parent there are no requests.
if (isMainThread && process.channel !== undefined) measureTurns();
