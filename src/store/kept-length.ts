import type { Rule } from "../rulesets/rule.ts";

/**
 * Of a change so many characters of rules are kept, before and after it together, so that it can be taken back: some
 * 400,000 rules without names that are replaced by as many others.
 */
export const MAX_KEPT = 64 << 20;

/** Brackets, commas, and two times. */
const REST = 34;

/** How much keeping a rule takes, nearly: a preview of a change says the same as the change. */
export function keptLength({ prefix, name, expiresAt }: Pick<Rule, "prefix" | "name" | "expiresAt">): number {
  return (prefix.family === 4 ? 15 : 40) + (name === null ? 4 : name.length + 2) + (expiresAt === null ? 4 : 13) + REST;
}
