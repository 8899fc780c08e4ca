/** Long work: at each `yield`, about a millisecond apart, the caller may let other work run. */
export type InParts<Result> = Generator<undefined, Result, undefined>;
