/**
 * How often a test with chance in it goes round: the short number in `npm test`, the long one in `npm run test:long`,
 * which `.ci/run` runs. Both hold to the same assertions.
 */
export function rounds({ short, long }: { readonly short: number; readonly long: number }): number {
  return process.env["IPSIEVE_TEST_ROUNDS"] === "long" ? long : short;
}
