import fc from "fast-check";
import { BITS, type Block, type Case, type Source } from "./compile-oracle.ts";

export const block: fc.Arbitrary<Block> = fc.nat({ max: BITS }).chain((exponent) =>
  fc.record({
    exponent: fc.constant(exponent),
    first: fc.nat({ max: 2 ** (BITS - exponent) - 1 }).map((at) => at * 2 ** exponent),
    day: fc.option(fc.integer({ min: 1, max: 6 })),
    isMalicious: fc.boolean(),
  }),
);
/** Each block once, as a prefix has only one rule. */
const blocks = fc.uniqueArray(block, {
  maxLength: 8,
  selector: ({ first, exponent }) => `${first} ${exponent}`,
});
const source: fc.Arbitrary<Source> = fc.oneof(
  fc.record({ kind: fc.constantFrom("rules", "node", "prefixes"), blocks }),
  fc.record({ kind: fc.constant("threats"), blocks, days: fc.option(fc.nat({ max: 3 })) }),
);
export const anyCase: fc.Arbitrary<Case> = fc.record({
  include: fc.array(source, { maxLength: 4 }),
  exclude: fc.array(source, { maxLength: 3 }),
  shortest: fc.nat({ max: BITS }),
});
