import { addressBits, notAnAddress } from "../address/address.ts";
import type { Address, Family, Prefix } from "../address/address.ts";
import { Cursor } from "./_cursor.ts";
import { KEY, LENGTH, RadixArena, VALUE } from "./_radix-arena.ts";
import { MAX_VALUE, ValueSets } from "./_value-sets.ts";
import type { PrefixSource, PrefixVisitor } from "./prefix-source.ts";

/** A prefix and the value ids that it maps to, ascending and without duplicates. */
export interface PrefixEntry {
  readonly prefix: Prefix;
  readonly values: readonly number[];
}

/** The arrays inside a trie. */
export interface TrieParts {
  arena4: RadixArena;
  arena6: RadixArena;
  sets: ValueSets;
}

/** For the checker of the invariants (test/trie/check-invariants.ts) alone: the arrays inside a trie. */
export let partsOf: (trie: PrefixTrie) => TrieParts;
/** For the negative controls of that checker alone: puts broken arrays into a trie. */
export let replaceParts: (trie: PrefixTrie, parts: Partial<TrieParts>) => void;

/**
 * The mutable form: IPv4 and IPv6 prefixes, each with one or more value ids (1 to 2^31 - 1), which can be
 * inserted, deleted and queried at any time. `freeze` makes the immutable, much faster and smaller form of it.
 *
 * With n prefixes of a family, W = 32 or 128 bits per address and k values at one prefix:
 *
 * | operation                                         | steps                    | allocates             |
 * |---------------------------------------------------|--------------------------|-----------------------|
 * | `insert`, `delete`                                | O(min(W, n))             | nothing (amortised)   |
 * | `add`, `remove`                                   | O(min(W, n) + k)         | nothing (amortised)   |
 * | `get`, `has`, `lookup`                            | O(min(W, n))             | nothing               |
 * | `values`, `lookupPrefix`                          | O(min(W, n) + k)         | the answer            |
 * | `covering`                                        | O(min(W, n) + answer)    | an entry per prefix   |
 * | `covered`, iteration                              | O(min(W, n) + answer)    | an entry per prefix   |
 * | `forEach`                                         | O(n)                     | a list where k > 1    |
 * | `size`, `sizeOf`, `byteLength`                    | O(1)                     | nothing               |
 *
 * Memory: at most 2n - 1 records of 20 bytes (IPv4) or 32 bytes (IPv6), up to twice that while the arrays have
 * grown in advance; it depends on the greatest number of prefixes held since `clear`, never on how many came and went.
 *
 * Every method that takes a prefix ignores its host bits and throws a RangeError for a length beyond the family's.
 * The trie may be changed while it is being iterated: as with a `Map`, what is inserted after the current position is
 * visited.
 */
export class PrefixTrie implements PrefixSource {
  // Records that the arenas return are 0 or in use, and the cells of both exist: the `!` after reads of them assert that.
  #arena4 = new RadixArena(1);
  #arena6 = new RadixArena(4);
  #sets = new ValueSets();

  static {
    partsOf = (trie) => ({ arena4: trie.#arena4, arena6: trie.#arena6, sets: trie.#sets });
    replaceParts = (trie, { arena4, arena6, sets }) => {
      trie.#arena4 = arena4 ?? trie.#arena4;
      trie.#arena6 = arena6 ?? trie.#arena6;
      trie.#sets = sets ?? trie.#sets;
    };
  }

  /** The number of prefixes of both families. */
  get size(): number {
    return this.#arena4.size + this.#arena6.size;
  }

  /** The number of prefixes of one family. */
  sizeOf(family: Family): number {
    return this.#arena(family).size;
  }

  /** The bytes of all arrays, spare capacity included. */
  get byteLength(): number {
    return this.#arena4.cells.byteLength + this.#arena6.cells.byteLength + this.#sets.cells.byteLength;
  }

  /**
   * Makes a prefix map to this one value, whatever it mapped to before.
   * Returns the smallest previous value id, 0 if the prefix is new.
   * @throws RangeError if the value is not an integer from 1 to 2^31 - 1.
   */
  insert(prefix: Prefix, value: number): number {
    checkValue(value);
    const arena = this.#arenaOf(prefix);
    const at = arena.findOrCreate(prefix.w0, prefix.w1, prefix.w2, prefix.w3, prefix.length);
    const before = arena.cells[at + VALUE]!;
    arena.setValue(at, value);
    if (before <= MAX_VALUE) return before;
    const first = this.#sets.first(before);
    this.#sets.release(before);
    return first;
  }

  /**
   * Adds a value to those of a prefix, which is inserted if need be. True if the prefix did not have it.
   * @throws RangeError if the value is not an integer from 1 to 2^31 - 1.
   */
  add(prefix: Prefix, value: number): boolean {
    checkValue(value);
    const arena = this.#arenaOf(prefix);
    const at = arena.findOrCreate(prefix.w0, prefix.w1, prefix.w2, prefix.w3, prefix.length);
    const set = arena.cells[at + VALUE]!;
    if (this.#sets.has(set, value)) return false;
    arena.setValue(at, this.#sets.with(set, value));
    return true;
  }

  /** The smallest value id of exactly this prefix, 0 if it is absent. */
  get(prefix: Prefix): number {
    return this.#sets.first(this.#setOf(prefix));
  }

  /** Whether exactly this prefix is present. */
  has(prefix: Prefix): boolean {
    return this.#setOf(prefix) !== 0;
  }

  /** The value ids of exactly this prefix, ascending; empty if it is absent. */
  values(prefix: Prefix): number[] {
    return this.#sets.toArray(this.#setOf(prefix));
  }

  /** Removes exactly this prefix, with all its values. True if it was present. */
  delete(prefix: Prefix): boolean {
    const set = this.#arenaOf(prefix).remove(prefix.w0, prefix.w1, prefix.w2, prefix.w3, prefix.length);
    this.#sets.release(set);
    return set !== 0;
  }

  /** Removes one value of exactly this prefix, and the prefix with its last one. True if it had the value. */
  remove(prefix: Prefix, value: number): boolean {
    const arena = this.#arenaOf(prefix);
    const at = arena.find(prefix.w0, prefix.w1, prefix.w2, prefix.w3, prefix.length);
    const set = arena.cells[at + VALUE]!;
    if (set === 0 || !this.#sets.has(set, value)) return false;
    const remaining = this.#sets.without(set, value);
    if (remaining === 0) arena.remove(prefix.w0, prefix.w1, prefix.w2, prefix.w3, prefix.length);
    else arena.setValue(at, remaining);
    return true;
  }

  /**
   * Longest-prefix match: the smallest value id of the most specific prefix that covers the address, 0 if none does.
   */
  lookup(address: Address): number {
    const arena = this.#arena(address.family);
    const at = arena.match(address.w0, address.w1, address.w2, address.w3);
    return this.#sets.first(arena.cells[at + VALUE]!);
  }

  /** Longest-prefix match: the most specific prefix that covers the address, `undefined` if none does. */
  lookupPrefix(address: Address): Prefix | undefined {
    const at = this.#arena(address.family).match(address.w0, address.w1, address.w2, address.w3);
    return at === 0 ? undefined : this.#prefixAt(address.family, at);
  }

  /** The prefixes that cover the given one, itself included, least specific first. */
  *covering(prefix: Prefix): Generator<PrefixEntry, undefined> {
    const { family, w0, w1, w2, w3, length } = prefix;
    const arena = this.#arenaOf(prefix);
    let at = arena.nextCovering(0, -1, w0, w1, w2, w3, length);
    while (at !== 0) {
      // The caller may change the trie while it has the entry. If records were made or freed, `at` may be another one by
      // then: the search starts over at the root, for prefixes longer than the one just given.
      const { changes } = arena;
      const entry = this.#entryAt(family, at);
      yield entry;
      at = arena.nextCovering(arena.changes === changes ? at : 0, entry.prefix.length, w0, w1, w2, w3, length);
    }
  }

  /** The prefixes that the given one covers, itself included, by address and less specific first. */
  *covered(prefix: Prefix): Generator<PrefixEntry, undefined> {
    const { family, w0, w1, w2, w3, length } = prefix;
    const cursor = new Cursor(this.#arenaOf(prefix), w0, w1, w2, w3, length);
    for (let at = cursor.next(); at !== 0; at = cursor.next()) yield this.#entryAt(family, at);
  }

  /** All prefixes: IPv4 before IPv6, by address, the less specific first. */
  *[Symbol.iterator](): Generator<PrefixEntry, undefined> {
    for (const family of [4, 6] as const) {
      const cursor = new Cursor(this.#arena(family), 0, 0, 0, 0, 0);
      for (let at = cursor.next(); at !== 0; at = cursor.next()) yield this.#entryAt(family, at);
    }
  }

  /** Calls `visit` for every prefix of a family, in the order of the iterator. */
  forEach(family: Family, visit: PrefixVisitor): void {
    const arena = this.#arena(family);
    const cursor = new Cursor(arena, 0, 0, 0, 0, 0);
    for (let at = cursor.next(); at !== 0; at = cursor.next()) {
      const cells = arena.cells;
      const set = cells[at + VALUE]!;
      const more = set > MAX_VALUE ? this.#sets.toArray(set) : null;
      const value = more === null ? set : more[0]!; // a block holds at least two values
      const length = cells[at + LENGTH]!;
      const w0 = cells[at + KEY]!;
      if (family === 4) visit(w0, 0, 0, 0, length, value, more);
      else visit(w0, cells[at + KEY + 1]!, cells[at + KEY + 2]!, cells[at + KEY + 3]!, length, value, more);
    }
  }

  /** Removes everything and gives the memory back. */
  clear(): void {
    this.#arena4.clear();
    this.#arena6.clear();
    this.#sets.clear();
  }

  #arena(family: Family): RadixArena {
    return family === 4 ? this.#arena4 : this.#arena6;
  }

  #arenaOf(prefix: Prefix): RadixArena {
    const { family, length } = prefix;
    if (family !== 4 && family !== 6) throw notAnAddress(prefix);
    if (length >>> 0 !== length || length > addressBits(family)) {
      throw new RangeError(
        `An IPv${family} prefix length must be an integer from 0 to ${addressBits(family)}, not ${length}`,
      );
    }
    return this.#arena(family);
  }

  /** The value set of exactly this prefix. Record 0, for "absent", maps to the empty one. */
  #setOf(prefix: Prefix): number {
    const arena = this.#arenaOf(prefix);
    return arena.cells[arena.find(prefix.w0, prefix.w1, prefix.w2, prefix.w3, prefix.length) + VALUE]!;
  }

  #entryAt(family: Family, at: number): PrefixEntry {
    return { prefix: this.#prefixAt(family, at), values: this.#sets.toArray(this.#arena(family).cells[at + VALUE]!) };
  }

  #prefixAt(family: Family, at: number): Prefix {
    const { cells } = this.#arena(family);
    const length = cells[at + LENGTH]!;
    const w0 = cells[at + KEY]!;
    if (family === 4) return { family, w0, w1: 0, w2: 0, w3: 0, length };
    return { family, w0, w1: cells[at + KEY + 1]!, w2: cells[at + KEY + 2]!, w3: cells[at + KEY + 3]!, length };
  }
}

function checkValue(value: number): void {
  if (value >>> 0 === value && value >= 1 && value <= MAX_VALUE) return;
  throw new RangeError(`A value id must be an integer from 1 to ${MAX_VALUE}, not ${value}`);
}
