import type { Worker } from "node:cluster";
import { cluster } from "./cluster.ts";

/** How a process has ended: its exit code, the signal that ended it, or why the system could not start it. */
export type ProcessEnd = number | string;

export interface ForkedProcess {
  readonly worker: Worker | undefined;
  readonly ended: Promise<ProcessEnd>;
}

/** Starts another process with the arguments of this one. */
export function forkProcess(): ForkedProcess {
  const { promise: ended, resolve } = Promise.withResolvers<ProcessEnd>();
  try {
    const worker = cluster().fork();
    worker.once("exit", (code, signal) => resolve(signal ?? code));
    // The only event of a process that the system could not start. Otherwise, it is about a message to one that has ended.
    worker.on("error", ({ message }) => worker.process.pid === undefined && resolve(message));
    return { worker, ended };
  } catch (error) {
    resolve((error as Error).message);
    return { worker: undefined, ended };
  }
}
