/** Runs interruptible work to its end without interruptions, and returns its result. */
export function finished<Result>(work: Generator<undefined, Result, undefined>): Result {
  let step = work.next();
  while (step.done !== true) step = work.next();
  return step.value;
}
