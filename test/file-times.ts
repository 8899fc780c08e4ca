import { appendFileSync, readFileSync } from "node:fs";

/** What a test file took, in seconds: of processor time (user and system mode, its processes among it), by the clock. */
export interface FileTime {
  readonly path: string;
  readonly processor: number;
  readonly clock: number;
}

/** Where each process appends what its files took; undefined if no one asks. */
const LOG = process.env["TEST_TIMES"];
/** Ticks of a second in `/proc/self/stat`, on every Linux that Node runs on. */
const TICKS = 100;

/** Begins to measure a file; what is returned notes what it took since. */
export function timing(path: string): () => void {
  if (LOG === undefined) return () => {};
  const [processor, clock] = [processorTime(), performance.now()];
  return () => {
    const took = [processorTime() - processor, (performance.now() - clock) / 1000];
    appendFileSync(LOG, `${[path, ...took.map((seconds) => seconds.toFixed(2))].join("\t")}\n`);
  };
}

export function readTimes(log: string): readonly FileTime[] {
  return readFileSync(log, "utf8")
    .trimEnd()
    .split("\n")
    .map((line) => line.split("\t"))
    .map(([path, processor, clock]) => ({ path: path!, processor: Number(processor), clock: Number(clock) }));
}

/** Seconds of this process so far, and, on Linux, of those that it started and that have ended. */
export function processorTime(): number {
  try {
    // The name of the program, in brackets, may contain spaces.
    const fields = readFileSync("/proc/self/stat", "utf8")
      .replace(/^.*\) /s, "")
      .split(" ");
    return fields.slice(11, 15).reduce((sum, field) => sum + Number(field), 0) / TICKS;
  } catch {
    const { user, system } = process.cpuUsage();
    return (user + system) / 1_000_000;
  }
}
