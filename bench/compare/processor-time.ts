import { processorTime } from "../../test/file-times.ts";
import type { Runner } from "./alternate.ts";

/** A runner of processes that are waited for: the milliseconds of processor time that each took on average. */
export function processorTimeOf(start: () => void, times = 1): Runner {
  return () => {
    const before = processorTime();
    for (let time = 0; time < times; time++) start();
    return ((processorTime() - before) * 1000) / times;
  };
}
