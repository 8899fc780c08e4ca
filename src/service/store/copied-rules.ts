import type { RuleIndex } from "../../rulesets/index/rule-index.ts";
import { inSlices } from "../../turns/in-slices.ts";

/** The copies in progress. */
const copies = new WeakMap<RuleIndex, Promise<RuleIndex>>();

/**
 * A copy of rules that stays unchanged while the rules change. Made in slices, during which `ServiceMemory` does not
 * change them; calls made meanwhile get the same copy. O(rules).
 */
export function copyOf(rules: RuleIndex): Promise<RuleIndex> {
  const underWay = copies.get(rules);
  if (underWay !== undefined) return underWay;
  const copy = inSlices(rules.copying()).finally(() => copies.delete(rules));
  copies.set(rules, copy);
  return copy;
}

/** Resolves when the rules may be changed again; undefined if they may be changed now. */
export function copyUnderWay(rules: RuleIndex): Promise<unknown> | undefined {
  return copies.get(rules);
}
