import { AddressSet, type SetOperation } from "../../sets/address-set.ts";
import { inSlices } from "../../turns/in-slices.ts";
import { invalid } from "../service-error.ts";

/** Named like the commands of `ipsieve sets`. */
export const SET_OPERATIONS = ["union", "aggregate", "intersect", "subtract", "symmetric"] as const;
export type NamedOperation = (typeof SET_OPERATIONS)[number];

const OPERATIONS: Readonly<Record<NamedOperation, SetOperation>> = {
  union: "union",
  aggregate: "union",
  intersect: "intersection",
  subtract: "difference",
  symmetric: "symmetricDifference",
};

/**
 * The first set combined with each of the others in turn. O(all sets), in slices.
 * @throws ServiceError "invalid" for a number of sets that the operation does not take; the reason of `signal`
 */
export async function computeSet(
  operation: NamedOperation,
  sets: readonly AddressSet[],
  signal: AbortSignal,
): Promise<AddressSet> {
  checkNumber(operation, sets.length);
  let [result = AddressSet.EMPTY] = sets;
  for (const other of sets.slice(1)) result = await inSlices(result.combining(OPERATIONS[operation], other), signal);
  return result;
}

/** @throws ServiceError "invalid" */
export function checkNumber(operation: NamedOperation, count: number): void {
  if (operation === "symmetric" && count !== 2) throw invalid({ sets: ["symmetric takes exactly two sets"] });
  if ((operation === "intersect" || operation === "subtract") && count < 2)
    throw invalid({ sets: [`${operation} takes two sets or more`] });
}
