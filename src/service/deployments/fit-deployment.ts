import { type CompiledList, compilingList } from "../../deployments/compile.ts";
import { type Gathered, gatheringPrefixes } from "../../deployments/gathered.ts";
import type { ListLimits } from "../../deployments/guard-list.ts";
import type { Expression } from "../../rulesets/export-rules.ts";
import { entriesFor } from "../../sets/capability.ts";
import { AddressSet } from "../../sets/address-set.ts";
import { FitError, fitting } from "../../sets/fit.ts";
import type { DeploymentDefinition } from "../../store/records/deployment.ts";
import { inSlices } from "../../turns/in-slices.ts";
import type { GatheredProtection } from "../guards/gather-protection.ts";

export interface FittedList {
  /** What devices get: the compiled list if it is short enough, or cannot be shortened enough. */
  readonly list: CompiledList;
  /** The addresses that were added to shorten it. */
  readonly added?: AddressSet;
  /** How short it can be made, if that is not short enough. */
  readonly shortest?: ListLimits["shortest"];
}

type Shape = Pick<Parameters<typeof compilingList>[0], "families" | "shortest">;

/** Whether a list with too many entries for its device is shortened by adding addresses. */
export function isFitted({ purpose, options }: Pick<DeploymentDefinition, "purpose" | "options">): boolean {
  // Addresses added to an allowlist would let in strangers.
  return purpose === "blocklist" && options.overflow === "fit";
}

/** Whether fewer prefixes are fewer entries: not where each address is one. */
export function canBeFitted({ expresses, writesRest = false }: Expression): boolean {
  if (writesRest) return false;
  return expresses === undefined || entriesFor(expresses, 4, 24) === 1;
}

/**
 * The compiled list with at most `maxEntries` entries and as few added addresses as possible, none of them in an exclude
 * or protected. O(entries x maxEntries) at worst, in slices.
 */
export async function fitList(
  compiled: CompiledList,
  maxEntries: number,
  {
    exclude,
    protection,
    shape,
  }: {
    readonly exclude: readonly Gathered[];
    readonly protection: GatheredProtection | undefined;
    readonly shape: Shape;
  },
): Promise<FittedList> {
  const groups = protection?.protection.groups ?? [];
  const steps = function* (): Generator<undefined, FittedList, undefined> {
    const sets = [...exclude.map(({ addresses }) => addresses), ...groups.map(({ all }) => all)];
    const never = yield* AddressSet.uniting(sets);
    const { shortest } = shape;
    const addresses = yield* AddressSet.collecting(compiled.prefixes());
    const options = { loss: "add", never, ...(shortest !== undefined && { shortest }) } as const;
    const { prefixes, added } = yield* fitting(addresses, maxEntries, options);
    const include = [yield* gatheringPrefixes("the shortened list", prefixes)];
    return { list: yield* compilingList({ include, exclude: [], ...shape }), added };
  };
  try {
    return await inSlices(steps());
  } catch (error) {
    if (!(error instanceof FitError)) throw error;
    return { list: compiled, shortest: { entries: error.fewest, reason: error.reason! } };
  }
}
