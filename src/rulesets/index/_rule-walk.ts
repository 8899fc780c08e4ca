import type { Prefix } from "../../address/address.ts";
import { bitOf } from "./_rule-slots.ts";
import { LEFT, LENGTH, RIGHT, ROOT, RULE, type RuleTree } from "./_rule-tree.ts";

/*
 * What `#pending` holds, the next one last: references whose rules are all still to come, each before those under it in
 * the stack. With what was given before, they are all rules of the tree, each once:
 *
 *     given | rules of pending[height - 1] | rules of pending[height - 2] | ... | rules of pending[0]
 *
 * `next` keeps it so: a record is replaced by its children, the right under the left, and its own rule comes first, as
 * in the order of prefixes what covers comes before what is covered.
 *
 * Bound: what is under an entry is the right sibling of a record on the way down to it. LENGTH grows along a way, so
 * there are at most 129 levels, one entry for each, and the one in hand: 130. Why a `!` follows each read: see
 * `RuleTree`.
 */
/** A walk over the rules of a tree in order. The tree must not change meanwhile. */
export class RuleWalk {
  readonly #tree: RuleTree;
  /** References still to come with all below them, the next one last. One per bit at most, and the one in hand. */
  readonly #pending = new Int32Array(130);
  #height = 0;

  constructor(tree: RuleTree) {
    this.#tree = tree;
  }

  /** Begins at the rule that has `rank` rules before it. O(depth). */
  startAt(rank: number): this {
    const { cells } = this.#tree;
    let at = cells[ROOT]!;
    while (at > 0) {
      const own = cells[at + RULE] === 0 ? 0 : 1;
      // The record's own rule comes first: with nothing to skip the walk begins with it.
      if (rank < own || rank === 0) break;
      rank -= own;
      // The rank-th rule is in the left part if that has more rules than are still to skip: the counts make it
      // O(depth).
      const left = this.#tree.totalOf(cells[at + LEFT]!);
      if (rank < left) {
        this.#push(cells[at + RIGHT]!);
        at = cells[at + LEFT]!;
      } else {
        rank -= left;
        at = cells[at + RIGHT]!;
      }
    }
    if (rank < this.#tree.totalOf(at)) this.#push(at);
    return this;
  }

  /** Begins after a prefix, which may be in the tree or not. O(depth). */
  startAfter(prefix: Prefix): this {
    const { cells, slots } = this.#tree;
    const relative = this.#tree.relativeOf(prefix);
    const shared = relative === 0 ? 0 : Math.min(slots.sharedBits(relative, prefix), prefix.length);
    let at = cells[ROOT]!;
    while (at !== 0) {
      const length = this.#tree.lengthOf(at);
      if (shared < length) {
        // The prefix is not in there; all of it follows if it lies below or to the right of it.
        if (shared === prefix.length || slots.keyBit(relative, shared) === 1) this.#push(at);
        break;
      }
      if (at < 0) break;
      // `at` is on the prefix's way, its own rule before the prefix or equal. -1: all below follows; 0: the right
      // follows, and the way goes left; 1: the left came before, and the way goes right.
      const side = length === prefix.length ? -1 : bitOf(prefix, length);
      if (side !== 1) this.#push(cells[at + RIGHT]!);
      if (side === -1) this.#push(cells[at + LEFT]!);
      at = side === -1 ? 0 : cells[at + LEFT + side]!;
    }
    return this;
  }

  /** Walks over the rules that a prefix covers, and no others. O(depth). */
  startWithin(prefix: Prefix): this {
    const { cells, slots } = this.#tree;
    let at = cells[ROOT]!;
    while (at > 0 && cells[at + LENGTH]! < prefix.length) at = cells[at + LEFT + bitOf(prefix, cells[at + LENGTH]!)]!;
    if (at === 0 || this.#tree.lengthOf(at) < prefix.length) return this;
    // All that is in there has as many bits in common as the prefix has: one rule speaks for all.
    let any = at;
    while (any > 0) any = cells[any + RULE] === 0 ? cells[any + LEFT]! : ~cells[any + RULE]!;
    if (slots.sharedBits(~any, prefix) >= prefix.length) this.#push(at);
    return this;
  }

  /** The slot of the next rule, 0 at the end. O(1) amortised. */
  next(): number {
    const { cells } = this.#tree;
    while (this.#height > 0) {
      const at = this.#pending[--this.#height]!;
      if (at < 0) return ~at;
      this.#push(cells[at + RIGHT]!);
      this.#push(cells[at + LEFT]!);
      if (cells[at + RULE] !== 0) return cells[at + RULE]!;
    }
    return 0;
  }

  #push(at: number): void {
    if (at !== 0) this.#pending[this.#height++] = at;
  }
}
