/** What a replacement may remove. */
export interface ShrinkLimits {
  /** Whether it may leave no rule. */
  readonly allowEmpty?: boolean | undefined;
  /**
   * The largest share of the rules that may go, in per cent. By default half of 20 rules and more, and any share of
   * fewer.
   */
  readonly maxShrink?: number | undefined;
}

/** What a replacement would do to the rules that are there. */
export interface Shrinkage {
  readonly added: number;
  readonly updated: number;
  readonly removed: number;
  readonly unchanged: number;
}

/** Why a replacement is rejected. */
export interface ShrinkRejection extends Shrinkage {
  readonly totalRules: number;
  /** The share of the rules that would go, in per cent, rounded up: the least `maxShrink` that lets it pass. */
  readonly removedPercent: number;
  readonly maxShrink: number;
  /** What is wrong, and how to fix it. */
  readonly message: string;
}

const DEFAULT_SHARE = 50;
/** A list of fewer rules is one that someone keeps by hand, and may become another one. */
const FEWEST_GUARDED = 20;

/**
 * Decides whether a replacement may remove what it would: one that goes wrong, with an empty list or half of one, would
 * leave a network open.
 */
export class ShrinkGuard {
  readonly #total: number;
  readonly #limits: ShrinkLimits;
  /** More rules than so many must not be removed. */
  readonly maxRemoved: number;

  /** `remaining`: how many rules the list has. */
  constructor(total: number, remaining: number, limits: ShrinkLimits) {
    this.#total = total;
    this.#limits = limits;
    this.maxRemoved =
      remaining === 0 ? (limits.allowEmpty === true ? total : 0) : Math.floor((total * shareOf(total, limits)) / 100);
  }

  /** Undefined where nothing is wrong. */
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
