/** Work that takes long: at each `yield`, a millisecond apart or so, whoever runs it may let others have their turn. */
export type InParts<Result> = Generator<undefined, Result, undefined>;

/** Does all of it. */
export function atOnce<Result>(work: InParts<Result>): Result {
  for (;;) {
    const { done, value } = work.next();
    if (done === true) return value;
  }
}
