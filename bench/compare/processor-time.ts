import { readFileSync } from "node:fs";
import type { Runner } from "./alternate.ts";

/** Milliseconds of a tick in `/proc`, on every Linux that Node runs on. */
const TICK = 10;

/** A runner of processes that are waited for: the milliseconds of processor time that each took on average. */
export function processorTimeOf(start: () => void, times = 1): Runner {
  return () => {
    const before = ticksOfChildren();
    for (let time = 0; time < times; time++) start();
    return ((ticksOfChildren() - before) * TICK) / times;
  };
}

/** Processor time, in user and system mode, of the processes that this one started and that have ended. */
function ticksOfChildren(): number {
  // The name of the program, in brackets, may contain spaces.
  const fields = readFileSync("/proc/self/stat", "utf8")
    .replace(/^.*\) /s, "")
    .split(" ");
  return Number(fields[13]) + Number(fields[14]);
}
