import fc from "fast-check";
import { comparePrefixes, formatPrefix } from "../../src/address/prefix.ts";
import type { Rule } from "../../src/rulesets/rule.ts";
import { LAST_TIME } from "../../src/rulesets/timestamp.ts";
import { checkRuleName } from "../../src/rulesets/validate-rule.ts";
import { anyPrefix } from "../trie/operations.ts";

const NOW = Date.UTC(2026, 5, 1);

/** Names that try to break out of the name field. */
export const hostileNames = [
  "=1+1",
  "+1",
  "-1",
  "@SUM(A1)",
  "'=1",
  "''",
  "'",
  "＝1+1",
  '"',
  '",evil,"',
  "# a",
  "; drop",
  "1;}",
  "} add rule inet",
  "-exist",
  "\\",
  "null",
  "__proto__",
  " =1",
  "a,b",
  "\u202e",
  "\ufeff=1",
  "\u200b=1",
  "\u00a0+1",
  "＠1",
  "'\u200b=1",
  "''\ufeff-1",
  "\u3000'=1",
];
const anyName = fc
  .oneof(
    fc.constantFrom(...hostileNames),
    fc
      .tuple(fc.constantFrom("", "'", "''", ...hostileNames), fc.string({ unit: "grapheme", maxLength: 20 }))
      .map((parts) => parts.join("")),
  )
  .filter((name) => {
    try {
      return checkRuleName(name) === name;
    } catch {
      return false;
    }
  });
/** Up to 20 rules in order, with arbitrary names. */
export const anyRules: fc.Arbitrary<Rule[]> = fc
  .uniqueArray(
    fc.record({
      prefix: anyPrefix,
      name: fc.option(anyName),
      expiresAt: fc.option(fc.integer({ min: 0, max: LAST_TIME })),
      createdAt: fc.constant(NOW),
      updatedAt: fc.constant(NOW),
    }),
    { selector: ({ prefix }) => formatPrefix(prefix), maxLength: 20 },
  )
  .map((list) => list.toSorted((a, b) => comparePrefixes(a.prefix, b.prefix)));
