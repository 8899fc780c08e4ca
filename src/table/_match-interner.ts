import { GrowingWords } from "./growing-words.ts";
import { hashKey } from "./hash-key.ts";
import { VALUE_LIST_FLAG } from "./layout.ts";

function mix(hash: number, word: number, key: number): number {
  // An odd factor permutes the 32-bit words, so that no two become one; its product spreads a bit upwards only, and the
  // shift brings the upper ones down to where the mask of the table looks.
  const mixed = Math.imul(hash ^ word, key);
  return mixed ^ (mixed >>> 15);
}

/**
 * An open-addressing hash set of ids (1, 2, ...; 0 marks a free slot) whose owner knows how to compare and to hash
 * them.
 */
class IdSet {
  slots: Int32Array = new Int32Array(1 << 10);
  count = 0;

  /** Whether one more id would pass a load of one half, the point from which linear probing gets slow. */
  get isFull(): boolean {
    return this.count * 2 >= this.slots.length;
  }

  /** Doubles the table; `hashOf` gives the hash of an id that is already in it. */
  grow(hashOf: (id: number) => number): void {
    // Twice the slots for the same ids: less than half of them are taken, so every search for a free one ends.
    const old = this.slots;
    this.slots = new Int32Array(old.length * 2);
    const mask = this.slots.length - 1;
    for (const id of old) {
      if (id === 0) continue;
      let slot = hashOf(id) & mask;
      while (this.slots[slot] !== 0) slot = (slot + 1) & mask;
      this.slots[slot] = id;
    }
  }
}

/**
 * Gives equal matches one id. A match is (values, prefix length, parent match); since a parent is interned before its
 * children, a parent's id is always the smaller one, which rules out cycles and bounds every chain.
 *
 *     id          0          1                2            ...
 *     values      0          value or list    ...               the same id in each of the three arrays: the sections
 *     lengths     0          prefix length    ...               `matchValue`, `matchLength` and `matchParent`
 *     parents     0          an id < 1: 0     an id < 2
 *
 * The hash set holds ids alone, at most half full: a free slot ends every search. Slots are masked to its length and
 * ids are below the arrays' (`!`).
 */
export class MatchInterner {
  readonly values = new GrowingWords(1 << 10);
  readonly parents = new GrowingWords(1 << 10);
  readonly lengths = new GrowingWords(1 << 10);
  readonly lists = new GrowingWords(16);
  readonly #matches = new IdSet();
  readonly #keys = [hashKey(), hashKey(), hashKey()] as const;
  readonly #listsSeen = new Map<string, number>();

  constructor() {
    // Match 0 is "no match".
    this.values.push(0);
    this.parents.push(0);
    this.lengths.push(0);
  }

  get count(): number {
    return this.values.length - 1;
  }

  /** The id of the match; O(1) expected. */
  intern(valueWord: number, length: number, parent: number): number {
    if (this.#matches.isFull) this.#matches.grow((id) => this.#hashOf(id));
    const { slots } = this.#matches;
    const mask = slots.length - 1;
    // Linear probing: an id is in the first free slot at or after its hash. Ids are never removed, so the first free slot
    // met here proves that the match is new. At a load of at most one half, a search takes 2.5 probes on average (Knuth,
    // volume 3, section 6.4: (1 + 1 / (1 - 1/2)^2) / 2).
    let slot = this.#hash(valueWord, length, parent) & mask;
    for (;;) {
      const id = slots[slot]!;
      if (id === 0) return (slots[slot] = this.#append(valueWord, length, parent));
      if (
        this.values.words[id] === (valueWord | 0) &&
        this.parents.words[id] === parent &&
        this.lengths.words[id] === length
      )
        return id;
      slot = (slot + 1) & mask;
    }
  }

  /**
   * The value word of several values: a flagged offset into `lists`, where the count and the ascending ids are stored.
   */
  listWord(values: readonly number[]): number {
    const key = values.join();
    let offset = this.#listsSeen.get(key);
    if (offset === undefined) {
      offset = this.lists.length;
      this.#listsSeen.set(key, offset);
      this.lists.push(values.length);
      for (const value of values) this.lists.push(value);
    }
    return VALUE_LIST_FLAG | offset;
  }

  #append(valueWord: number, length: number, parent: number): number {
    this.values.push(valueWord);
    this.lengths.push(length);
    this.parents.push(parent);
    this.#matches.count++;
    return this.count;
  }

  #hash(valueWord: number, length: number, parent: number): number {
    // Values, such as AS numbers, and prefix lengths are chosen outside.
    return mix(mix(mix(0, valueWord, this.#keys[0]), length, this.#keys[1]), parent, this.#keys[2]);
  }

  #hashOf(id: number): number {
    return this.#hash(this.values.words[id]!, this.lengths.words[id]!, this.parents.words[id]!);
  }
}
