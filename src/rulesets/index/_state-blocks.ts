import type { Prefix } from "../../address/address.ts";
import { RuleWalk } from "./_rule-walk.ts";
import type { RuleTree } from "./_rule-tree.ts";

/** Rules of a full block: counting them takes tens of microseconds. */
const BLOCK = 1024;
/** Blocks that are kept even if the rules would fill fewer. */
const SPARE_BLOCKS = 8;

/*
 *     rules, in order   r1 r2 r3 ... | r1025 ... | ...
 *     blocks            after: -      | after: r1024 | ...      a block's rules: after < rule <= next block's after
 *
 * Invariants: the `after` of blocks ascends, the first has none, so each prefix belongs to exactly one block, whether
 * its rule is there or not; `after` need not be a rule any more. If since <= now < until, `active` and `expired` are
 * those of the block at `now`: no rule of it has an expiry in (since, until), and each that changes calls `touch`,
 * which empties the interval. With e the expiries of the block, and counted at t:
 *
 *     since = the greatest e <= t           until = the least e > t
 *     ----- expired ------|------- t -------|----- active ----->
 *
 * Why the first block, and any that is read, is there (`!`): `#blocks` is never empty, and indices stay below its length,
 * which only grows while blocks are gone through.
 */
/** A run of neighbouring rules: those after `after`, or from the first on, to where the next block begins. */
interface Block {
  readonly after: Prefix | undefined;
  active: number;
  expired: number;
  /** The counts hold from `since` on and before `until`, unless a rule of the block changes. */
  since: number;
  until: number;
}

/**
 * Finds the active, or the expired, rules at any offset. The rules are divided, in order, into blocks of about a
 * thousand at most; each block counts its active rules and knows between which two expiries the count is valid. So the
 * passing of an expiry costs a recount of only those blocks that contain it, and queries may be about any times in any
 * order. Nothing is counted before the first query.
 */
export class StateBlocks {
  readonly #tree: RuleTree;
  readonly #size: number;
  #blocks: Block[] = [newBlock(undefined)];

  constructor(tree: RuleTree, size = BLOCK) {
    this.#tree = tree;
    this.#size = size;
  }

  /** A copy over a copy of the tree, with the existing counts. */
  copy(tree: RuleTree): StateBlocks {
    const copy = new StateBlocks(tree, this.#size);
    copy.#blocks = this.#blocks.map((block) => ({ ...block }));
    return copy;
  }

  /** Must be called when the rule of this slot is new, has changed, or is about to be removed. O(log n). */
  touch(slot: number): void {
    this.#blocks[this.#blockOf(slot)]!.until = Number.NEGATIVE_INFINITY;
  }

  /**
   * Counts every block for a time, one at a time. Counts are kept, so this may be abandoned and restarted, and rules
   * may change meanwhile.
   */
  *counting(now: number): Generator<undefined, void, undefined> {
    // Blocks whose rules have gone are not merged one by one.
    if (this.#blocks.length > SPARE_BLOCKS + 4 * (this.#tree.total / this.#size)) this.#blocks = [newBlock(undefined)];
    for (let at = 0; at < this.#blocks.length; at++) {
      if (this.#holds(at, now)) continue;
      this.#count(at, now);
      yield;
    }
  }

  /** The slots of up to `limit` rules that are active, or expired, at a time, from the one with `offset` before it. */
  page(
    which: "active" | "expired",
    { offset, limit }: { readonly offset: number; readonly limit: number },
    now: number,
  ): number[] {
    const page: number[] = [];
    let skip = offset;
    for (let at = 0; at < this.#blocks.length && page.length < limit; at++) {
      if (!this.#holds(at, now)) this.#count(at, now);
      const count = this.#blocks[at]![which];
      if (skip < count)
        this.#collect(this.#blocks[at]!, which, now, skip, Math.min(count - skip, limit - page.length), page);
      skip = Math.max(0, skip - count);
    }
    return page;
  }

  #holds(at: number, now: number): boolean {
    const { since, until } = this.#blocks[at]!;
    return since <= now && now < until;
  }

  /** Counts a block's rules. A block that is too large is cut where it is full. */
  #count(at: number, now: number): void {
    const { slots } = this.#tree;
    const block = this.#blocks[at]!;
    // A block that was cut is counted up to the cut; the rest is a block of its own, whose empty interval causes a
    // count at its first use. So no count looks at more than #size + 1 rules.
    const next = this.#blocks[at + 1]?.after;
    const walk = this.#walk(block);
    let [active, expired, since, until] = [0, 0, Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY];
    for (let slot = walk.next(), last = 0; slot !== 0; last = slot, slot = walk.next()) {
      if (next !== undefined && slots.compare(slot, next) > 0) break;
      if (active + expired === this.#size) {
        this.#blocks.splice(at + 1, 0, newBlock(slots.prefixAt(last)));
        break;
      }
      // The counts hold from the last expiry that has passed to the first that has not:
      //     expiries   e1   e2        e3   e4
      //     now                  ^              since = e2, until = e3
      const expiry = slots.expiresAt[slot]!;
      const isActive = now < expiry;
      if (isActive) active++;
      else expired++;
      if (isActive) until = Math.min(until, expiry);
      else since = Math.max(since, expiry);
    }
    Object.assign(block, { active, expired, since, until });
  }

  /** Adds `count` of a block's active, or expired, rules to the page, after `skip` of them; there are as many. */
  #collect(block: Block, which: "active" | "expired", now: number, skip: number, count: number, page: number[]): void {
    const { expiresAt } = this.#tree.slots;
    const walk = this.#walk(block);
    for (let passed = 0; passed < skip + count;) {
      const slot = walk.next();
      const isActive = now < expiresAt[slot]!;
      if (isActive !== (which === "active")) continue;
      if (passed++ >= skip) page.push(slot);
    }
  }

  #walk({ after }: Block): RuleWalk {
    const walk = new RuleWalk(this.#tree);
    return after === undefined ? walk.startAt(0) : walk.startAfter(after);
  }

  /** The last block that begins before the rule. */
  #blockOf(slot: number): number {
    const { slots } = this.#tree;
    // Invariant: the block is one of low..high. Blocks ascend by `after`, and the first begins before every rule, so it is
    // never compared: `middle` is at least low + 1.
    let low = 0;
    let high = this.#blocks.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >>> 1;
      if (slots.compare(slot, this.#blocks[middle]!.after!) > 0) low = middle;
      else high = middle - 1;
    }
    return low;
  }
}

/** A block that has yet to be counted. */
function newBlock(after: Prefix | undefined): Block {
  return { after, active: 0, expired: 0, since: Number.POSITIVE_INFINITY, until: Number.NEGATIVE_INFINITY };
}
