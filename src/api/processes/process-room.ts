import { availableParallelism, totalmem } from "node:os";

/** Bytes that a process needs at least: measured with the bundled catalogue and no rules, 150,000,000. */
const LEAST_MEMORY = 100_000_000;

/** What a machine, or a container, has for processes. */
export interface ProcessRoom {
  readonly cores: number;
  /** Bytes. */
  readonly memory: number;
}

export function roomHere(): ProcessRoom {
  return { cores: availableParallelism(), memory: Math.min(totalmem(), process.constrainedMemory() || Infinity) };
}

/** Why that many processes cannot start here; undefined if they may. */
export function lackOfMemory(processes: number, { cores, memory }: ProcessRoom): string | undefined {
  if (processes * LEAST_MEMORY <= memory) return undefined;
  const [needed, there] = [processes * LEAST_MEMORY, memory].map((bytes) => `${(bytes / 1e9).toFixed(1)} GB`);
  return `--processes: ${processes} processes need at least ${needed} of memory (100 MB each, and more with rules), but this machine has ${there}; --processes 0 starts one per core (${cores} here)`;
}

/** A warning for the log if there are more processes than cores. */
export function lackOfCores(processes: number, { cores }: ProcessRoom): string | undefined {
  if (processes <= cores) return undefined;
  return `${processes} processes share ${cores === 1 ? "1 core" : `${cores} cores`}: more than one per core do not serve more requests, but each needs memory and applies every change; --processes 0 starts one per core`;
}
