import { LEFT, LENGTH, KEY, RIGHT, VALUE, bitAt } from "./_radix-arena.ts";
import type { RadixArena } from "./_radix-arena.ts";

/**
 * A walk over the prefixes at or below one prefix, in order: by address, the less specific first. The trie may
 * change between two steps: what is inserted behind the walk's place is not seen, what is inserted ahead of it is.
 */
export class Cursor {
  readonly #arena: RadixArena;
  readonly #within: readonly [number, number, number, number, number];
  /** Records still to come with all below them, the next one last. One per bit at most, and the one in hand. */
  readonly #pending = new Uint32Array(130);
  #height = 0;
  /** The prefix of the last step: the words and the length, to find the place again by. */
  readonly #last = new Uint32Array(5);
  #started = false;
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
      const at = pending[--height];
      const right = cells[at + RIGHT];
      if (right !== 0) pending[height++] = right;
      const left = cells[at + LEFT];
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
    const last = this.#last;
    for (let word = 0; word < words; word++) last[word] = cells[at + KEY + word];
    last[4] = cells[at + LENGTH];
    this.#started = true;
  }

  /** Fills the pending records with what follows the last step in the trie as it is now. */
  #seek(): void {
    const arena = this.#arena;
    const cells = arena.cells;
    const [w0, w1, w2, w3, length] = this.#last;
    this.#changes = arena.changes;
    this.#height = 0;
    let at = arena.subtree(...this.#within);
    while (at !== 0) {
      const depth = cells[at + LENGTH];
      const shared = this.#started ? Math.min(arena.sharedBits(at, w0, w1, w2, w3), length) : -1;
      if (shared < depth) {
        // The last step's prefix is not in this subtree; all of it follows if it lies below or to the right of it.
        const follows = shared === -1 || shared === length || arena.keyBit(at, shared) === 1;
        if (follows) this.#push(at);
        return;
      }
      const side = depth === length ? -1 : bitAt(w0, w1, w2, w3, depth);
      if (side !== 1) this.#push(cells[at + RIGHT]);
      if (side === -1) this.#push(cells[at + LEFT]);
      at = side === -1 ? 0 : cells[at + LEFT + side];
    }
  }

  #push(at: number): void {
    if (at !== 0) this.#pending[this.#height++] = at;
  }
}
