import { bitAt, KEY, LEFT, LENGTH, RIGHT, VALUE } from "./_radix-arena.ts";
import type { RadixArena } from "./_radix-arena.ts";

/** The words and the length of a prefix. */
type Key = readonly [w0: number, w1: number, w2: number, w3: number, length: number];

/** Records above one of 128 bits are at most 128, and each leaves at most its other child pending. */
const MAX_PENDING = 130;

/**
 * A walk over the prefixes at or below one prefix, in order: by address, the less specific first. The trie may change
 * between two steps: a prefix inserted before the walk's position is not visited, one inserted after it is.
 *
 * The walk is a pre-order traversal with its stack made explicit. Every record with all below it forms one run of the
 * order, so the pending subtrees, read from the top of the stack down, are the rest of the order:
 *
 *          r            step    visits   pending (next one last)
 *         / \           0                r
 *        a   b          1       r        b a
 *       / \             2       a        b d c
 *      c   d            3       c        b d
 *
 * Only making or freeing a record can invalidate what is pending, and both increase `changes`: then the stack is rebuilt
 * from the last prefix visited, in as many steps as the trie is deep. As long as `changes` stands still, what is pending
 * are records, and their cells exist (see `_radix-arena.ts`): that is what the `!` here assert.
 */
export class Cursor {
  readonly #arena: RadixArena;
  readonly #within: Key;
  readonly #pending = new Uint32Array(MAX_PENDING);
  #height = 0;
  /** The prefix of the last step: its words, and its length, -1 before the first step. */
  readonly #last = new Uint32Array(4);
  #lastLength = -1;
  #changes = -1;

  constructor(arena: RadixArena, w0: number, w1: number, w2: number, w3: number, length: number) {
    this.#arena = arena;
    this.#within = [w0, w1, w2, w3, length];
  }

  /** The next record with a value, 0 at the end. */
  next(): number {
    if (this.#changes !== this.#arena.changes) this.#seek();
    const cells = this.#arena.cells;
    const pending = this.#pending;
    let height = this.#height;
    while (height > 0) {
      const at = pending[--height]!; // below the height every slot has been filled
      const right = cells[at + RIGHT]!;
      if (right !== 0) pending[height++] = right;
      const left = cells[at + LEFT]!;
      if (left !== 0) pending[height++] = left;
      if (cells[at + VALUE] === 0) continue;
      this.#height = height;
      this.#remember(at);
      return at;
    }
    this.#height = 0;
    return 0;
  }

  #remember(at: number): void {
    const { cells, words } = this.#arena;
    for (let word = 0; word < words; word++) this.#last[word] = cells[at + KEY + word]!;
    this.#lastLength = cells[at + LENGTH]!;
  }

  /**
   * Makes the pending records what follows the last step in the trie as it is now: descends towards the last prefix, and
   * leaves pending every right-hand subtree that it passes, the deepest on top, for that one comes first.
   */
  #seek(): void {
    const arena = this.#arena;
    const cells = arena.cells;
    const length = this.#lastLength;
    const [w0, w1, w2, w3] = fourWords(this.#last);
    this.#changes = arena.changes;
    this.#height = 0;
    let at = arena.subtree(...this.#within);
    while (at !== 0) {
      const depth = cells[at + LENGTH]!;
      const shared = length < 0 ? -1 : Math.min(arena.sharedBits(at, w0, w1, w2, w3), length);
      if (shared < depth) {
        // The last prefix is not in this subtree. All of it follows if it lies below that prefix or to its right: at the
        // first bit that differs the record has a 1. Before the first step everything follows.
        const follows = length < 0 || shared === length || arena.keyBit(at, shared) === 1;
        if (follows) this.#push(at);
        return;
      }
      // The record is the last prefix, and both its children follow; or it covers it, and on the way down to the left
      // the right child follows.
      if (depth === length) {
        this.#push(cells[at + RIGHT]!);
        this.#push(cells[at + LEFT]!);
        return;
      }
      const side = bitAt(w0, w1, w2, w3, depth);
      if (side === 0) this.#push(cells[at + RIGHT]!);
      at = cells[at + LEFT + side]!;
    }
  }

  #push(at: number): void {
    if (at !== 0) this.#pending[this.#height++] = at;
  }
}

/** Of an array of four. */
function fourWords(words: Uint32Array): readonly [number, number, number, number] {
  return [words[0]!, words[1]!, words[2]!, words[3]!];
}
