import type { Prefix } from "../address/address.ts";
import { bitOf } from "./_rule-slots.ts";
import { LEFT, LENGTH, RIGHT, ROOT, RULE, type RuleTree } from "./_rule-tree.ts";

/** A walk over the rules of a tree in order. The tree must not change meanwhile. */
export class RuleWalk {
  readonly #tree: RuleTree;
  /** References still to come with all below them, the next one last. One per bit at most, and the one in hand. */
  readonly #pending = new Int32Array(130);
  #height = 0;

  constructor(tree: RuleTree) {
    this.#tree = tree;
  }

  /** Begins at the rule with as many rules before it. O(depth). */
  startAt(rank: number): this {
    const { cells } = this.#tree;
    let at = cells[ROOT]!;
    while (at > 0) {
      const own = cells[at + RULE] === 0 ? 0 : 1;
      // The record's own rule comes first: with nothing to skip the walk begins with it.
      if (rank < own || rank === 0) break;
      rank -= own;
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

  /** Begins behind a prefix, which may be in the tree or not. O(depth). */
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
