import { setImmediate as turn } from "node:timers/promises";

/** Milliseconds of work at a time. */
const SLICE = 4;

/** Does work that can be interrupted, letting requests have their turn in between. */
export async function inSlices<Result>(work: Generator<undefined, Result, undefined>): Promise<Result> {
  for (;;) {
    const end = performance.now() + SLICE;
    do {
      const { done, value } = work.next();
      if (done === true) return value;
    } while (performance.now() < end);
    await turn();
  }
}
