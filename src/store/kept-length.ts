import type { Rule } from "../rulesets/rule.ts";

/**
 * Maximum characters of rules kept per change, before and after it together, so that it can be undone: some 400,000
 * rules without names replaced by as many others.
 */
export const MAX_KEPT = 64 << 20;

/** Brackets, commas, and two times. */
const REST = 34;

/** The approximate length of a kept rule: a preview of a change must predict the same as the change. */
export function keptLength({ prefix, name, expiresAt }: Pick<Rule, "prefix" | "name" | "expiresAt">): number {
  return (prefix.family === 4 ? 15 : 40) + (name === null ? 4 : name.length + 2) + (expiresAt === null ? 4 : 13) + REST;
}
