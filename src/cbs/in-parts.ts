/** Long work: at each `yield`, about a millisecond apart, the caller may let other work run. */
export type InParts<Result> = Generator<undefined, Result, undefined>;

/** Runs all of it at once. */
export function atOnce<Result>(work: InParts<Result>): Result {
  for (;;) {
    const { done, value } = work.next();
    if (done === true) return value;
  }
}
