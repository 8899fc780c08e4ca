/** How much a replacement may remove. */
export interface ShrinkLimits {
  /** Whether the replacement may leave no rule. */
  readonly allowEmpty?: boolean | undefined;
  /**
   * The largest share of the rules that may be removed, in percent. By default half of the rules if there are 20 or
   * more, otherwise all of them.
   */
  readonly maxShrink?: number | undefined;
}

/** The effect of a replacement on the existing rules. */
export interface Shrinkage {
  readonly added: number;
  readonly updated: number;
  readonly removed: number;
  readonly unchanged: number;
}

/** Why a replacement is rejected. */
export interface ShrinkRejection extends Shrinkage {
  readonly totalRules: number;
  /** The share of the rules that would be removed, in percent, rounded up: the smallest `maxShrink` that allows it. */
  readonly removedPercent: number;
  readonly maxShrink: number;
  /** What is wrong, and how to fix it. */
  readonly message: string;
}

const DEFAULT_SHARE = 50;
/** A shorter list is usually kept by hand and may change completely. */
const FEWEST_GUARDED = 20;

/**
 * Decides whether a replacement may remove as much as it would: an accidental replacement by an empty or incomplete
 * list would leave a network unprotected.
 */
export class ShrinkGuard {
  readonly #total: number;
  readonly #limits: ShrinkLimits;
  /** The maximum number of rules that may be removed. */
  readonly maxRemoved: number;

  /** `remaining`: how many rules the list has. */
  constructor(total: number, remaining: number, limits: ShrinkLimits) {
    this.#total = total;
    this.#limits = limits;
    this.maxRemoved =
      remaining === 0 ? (limits.allowEmpty === true ? total : 0) : Math.floor((total * shareOf(total, limits)) / 100);
  }

  /** Undefined if the replacement is allowed. */
  rejectionOf(shrinkage: Shrinkage): ShrinkRejection | undefined {
    const { added, updated, removed, unchanged } = shrinkage;
    if (removed <= this.maxRemoved) return undefined;
    const [totalRules, maxShrink] = [this.#total, shareOf(this.#total, this.#limits)];
    const removedPercent = Math.ceil((100 * removed) / totalRules);
    const isEmptied = added + updated + unchanged === 0;
    const message = isEmptied
      ? `the list has no rules, and would remove all ${totalRules} of the ruleset: check it, and send allow_empty=true if the ruleset is to be emptied`
      : `the list would remove ${removed} of ${totalRules} rules (${removedPercent} %), and at most ${maxShrink} % may be removed: check it, and send max_shrink=${removedPercent} if it is right`;
    return { added, updated, removed, unchanged, totalRules, removedPercent, maxShrink, message };
  }
}

function shareOf(total: number, { maxShrink }: ShrinkLimits): number {
  return maxShrink ?? (total < FEWEST_GUARDED ? 100 : DEFAULT_SHARE);
}
