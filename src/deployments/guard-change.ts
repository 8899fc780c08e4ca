/** How much a list may change by itself, without a change by a user, in percent of its entries. */
export interface ChangeLimits {
  /** 50 unless given. */
  readonly maxShrink?: number | undefined;
  readonly maxGrowth?: number | undefined;
}

/** Why a list that devices could take is not published until someone has looked at it. */
export interface ChangeRejection {
  readonly code: "shrinks" | "grows";
  readonly message: string;
}

const DEFAULT_CHANGE = 50;
/** A list of fewer entries may change in any way. */
const FEW_ENTRIES = 20;
/** And this many may be added to any list. */
const FEW_ADDED = 1000;

/** Whether a list shrinks or grows too much, given its numbers of entries before and after. */
export function changeRejectionsOf(
  before: number,
  after: number,
  { maxShrink = DEFAULT_CHANGE, maxGrowth = DEFAULT_CHANGE }: ChangeLimits,
): ChangeRejection[] {
  const [lost, added] = [before - after, after - before];
  const change = `from ${before} to ${after} entries, because the datasets that it is made of have changed`;
  if (before >= FEW_ENTRIES && lost * 100 > maxShrink * before)
    return [{ code: "shrinks", message: `the list shrinks ${change}; at most ${maxShrink} % is allowed (max_shrink)` }];
  if (before >= FEW_ENTRIES && added > FEW_ADDED && added * 100 > maxGrowth * before)
    return [{ code: "grows", message: `the list grows ${change}; at most ${maxGrowth} % is allowed (max_growth)` }];
  return [];
}
