import type { Family } from "../address/address.ts";

/** Carries the brand, which exists only for the compiler. */
declare const RULE_ID: unique symbol;

/**
 * The result of a decision that makes no object: the number of the rule that decides, or 0 for none. It belongs to one
 * index and stands for its rule as long as that rule exists, even if the rule is changed; afterwards another rule may
 * get it. Only decisions create ids; a number read back from a stored batch of ids must be cast.
 */
export type RuleId = number & { readonly [RULE_ID]: true };

/** No active rule covers the address. */
export const NO_RULE = 0 as RuleId;

// Slots count from 1 in each family, so 2 * slot (IPv4) and 2 * slot + 1 (IPv6) are distinct for all rules of both, and
// 0 is none.

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
