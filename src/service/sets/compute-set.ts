import { AddressSet, type SetOperation } from "../../sets/address-set.ts";
import { inSlices } from "../../turns/in-slices.ts";
import { invalid } from "../service-error.ts";

/** Named like the commands of `ipsieve sets`. */
export const SET_OPERATIONS = ["union", "aggregate", "intersect", "subtract", "symmetric", "atleast"] as const;
export type NamedOperation = (typeof SET_OPERATIONS)[number];

const OPERATIONS: Readonly<Record<Exclude<NamedOperation, "atleast">, SetOperation>> = {
  union: "union",
  aggregate: "union",
  intersect: "intersection",
  subtract: "difference",
  symmetric: "symmetricDifference",
};

/** What is computed: `atLeast` and `weights` belong to the operation `atleast`. */
export interface Computation {
  readonly operation: NamedOperation;
  readonly atLeast?: number | undefined;
  readonly weights?: readonly number[] | undefined;
}

/**
 * The first set combined with each of the others in turn, or what at least some of them have. O(all sets), in slices.
 * @throws ServiceError "invalid" as `checkComputation`; the reason of `signal`
 */
export async function computeSet(
  computation: Computation,
  sets: readonly AddressSet[],
  signal: AbortSignal,
): Promise<AddressSet> {
  checkComputation(computation, sets.length);
  const { operation, atLeast, weights } = computation;
  if (operation === "atleast") return inSlices(AddressSet.voting(atLeast!, sets, weights), signal);
  let [result = AddressSet.EMPTY] = sets;
  for (const other of sets.slice(1)) result = await inSlices(result.combining(OPERATIONS[operation], other), signal);
  return result;
}

/** @throws ServiceError "invalid" for what does not go with the operation, or a number of sets that it does not take */
export function checkComputation({ operation, atLeast, weights }: Computation, count: number): void {
  checkVotes(operation, { at_least: atLeast, weights }, count);
  if (operation === "symmetric" && count !== 2) throw invalid({ sets: ["symmetric takes exactly two sets"] });
  if ((operation === "intersect" || operation === "subtract") && count < 2)
    throw invalid({ sets: [`${operation} takes two sets or more`] });
}

function checkVotes(
  operation: NamedOperation,
  votes: { readonly at_least: number | undefined; readonly weights: readonly number[] | undefined },
  count: number,
): void {
  const { at_least: least, weights } = votes;
  if (operation !== "atleast") {
    for (const [name, value] of Object.entries(votes))
      if (value !== undefined) throw invalid({ [name]: [`is for the operation "atleast" only; leave it out`] });
    return;
  }
  if (least === undefined) throw invalid({ at_least: ["is missing: how many of the sets must have an address"] });
  if (weights !== undefined && weights.length !== count)
    throw invalid({ weights: [`must have one weight for each of the ${count} sets, in their order`] });
  const all = weights === undefined ? count : weights.reduce((sum, weight) => sum + weight, 0);
  if (least > all) throw invalid({ at_least: [`must be at most ${all}, which is what all sets together count`] });
}
