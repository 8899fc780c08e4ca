/**
 * How often a test with chance in it goes round: the short number in `npm test`, the long one in `npm run test:long`,
 * which `.ci/run` runs. Both hold to the same assertions.
 */
export function rounds({ short, long }: { readonly short: number; readonly long: number }): number {
  return isLong() ? long : short;
}

/**
 * Why a test is skipped in `npm test` which costs seconds of processor time and has a shorter one beside it that would
 * notice most of what it notices; false in the long form.
 */
export function onlyLong(): false | string {
  return isLong() ? false : "only in the long form, which .ci/run runs";
}

/**
 * All items in the long form; in the short one each `step`-th of them, beginning with number `from`, so that tests that
 * count `from` on use all of them together.
 */
export function sampled<Item>(items: readonly Item[], step: number, from = 0): readonly Item[] {
  return isLong() ? items : items.filter((_, index) => index % step === from % step);
}

function isLong(): boolean {
  return process.env["TEST_ROUNDS"] === "long";
}
