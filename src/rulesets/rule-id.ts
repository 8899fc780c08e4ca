import type { Family } from "../address/address.ts";

/** Carries the brand, which exists only for the compiler. */
declare const RULE_ID: unique symbol;

/**
 * What a decision returns without making an object: the number of the rule that decides, or 0 for none. It belongs to
 * one index and stands for its rule as long as that rule exists, even if the rule is changed; afterwards another rule
 * may get it. Only decisions create ids; a number read back from a stored batch of them is cast.
 */
export type RuleId = number & { readonly [RULE_ID]: true };

/** No active rule covers the address. */
export const NO_RULE = 0 as RuleId;

// Slots count from 1 in each family, so 2 slot and 2 slot + 1 name every rule of both, and 0 none.

/** The id of the rule in a slot; that of slot 0 is `NO_RULE`. */
export function idOf(family: Family, slot: number): RuleId {
  return (slot === 0 ? 0 : 2 * slot + (family === 6 ? 1 : 0)) as RuleId;
}

export function familyOf(id: number): Family {
  return (id & 1) === 0 ? 4 : 6;
}

export function slotOf(id: number): number {
  return id >>> 1;
}
