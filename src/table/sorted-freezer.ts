import type { Family } from "../address/address.ts";
import { assembling } from "./_assemble.ts";
import { headerOf } from "./_header.ts";
import { buildingIndex } from "./_node-builder.ts";
import { Sweep } from "./_segments.ts";
import type { MatchId } from "./match-id.ts";
import type { PrefixTable } from "./prefix-table.ts";

/** What a table made by `SortedFreezer` gets besides its prefixes. */
export interface FreezingOptions {
  /**
   * When each match expires, by match id, in milliseconds since the Unix epoch, Infinity for never; index 0 is
   * unused. A table without expiries unless given.
   */
  readonly expiresAt?: Float64Array;
  /** Makes the buffer for the table's bytes, zeroed; a plain `ArrayBuffer` by default. */
  readonly allocate?: (byteLength: number) => ArrayBufferLike;
}

/**
 * Freezes prefixes that come in order, with one value each, without a trie: `add` each, then `freezing`. The match ids
 * are the numbers of the prefixes, from 1 on; equal matches are not shared, as values that are all different make no
 * equal ones. O(n), in steps that take less than a millisecond or so.
 *
 *     order     10.0.0.0/8   10.1.0.0/16   11.0.0.0/8   2001:db8::/32
 *     match     1            2             3            4              a parent comes before its children, so its id
 *     parent    0            1             0            0              is the smaller one, as `PrefixTable` demands
 */
export class SortedFreezer {
  readonly #sweeps: { readonly 4: Sweep; readonly 6: Sweep };
  readonly #values: Int32Array;
  readonly #parents: Int32Array;
  readonly #lengths: Uint8Array;
  readonly #counts = { 4: 0, 6: 0 };
  #isNested = false;

  /** For at most this many prefixes of each family. */
  constructor(most4: number, most6: number) {
    this.#sweeps = { 4: new Sweep(4, most4), 6: new Sweep(6, most6) };
    this.#values = new Int32Array(most4 + most6 + 1);
    this.#parents = new Int32Array(most4 + most6 + 1);
    this.#lengths = new Uint8Array(most4 + most6 + 1);
  }

  /** The number of prefixes so far. */
  get count(): number {
    return this.#counts[4] + this.#counts[6];
  }

  /** Adds a prefix, which follows all before it, and returns its match. `value`: from 1 to 2^31 - 1. O(1) amortised. */
  add(family: Family, w0: number, w1: number, w2: number, w3: number, length: number, value: number): MatchId {
    const sweep = this.#sweeps[family];
    this.#counts[family]++;
    const match = this.count;
    const parent = sweep.closeBefore(w0, w1, w2, w3);
    sweep.open(length, match);
    this.#values[match] = value;
    this.#parents[match] = parent;
    this.#lengths[match] = length;
    if (parent !== 0) this.#isNested = true;
    return match as MatchId;
  }

  /** The table of all that was added. Nothing can be added afterwards. */
  *freezing({ expiresAt, allocate }: FreezingOptions = {}): Generator<undefined, PrefixTable, undefined> {
    const index4 = yield* this.#building(4);
    const index6 = yield* this.#building(6);
    const end = this.count + 1;
    const header = headerOf({
      root4: index4.root.length,
      root6: index6.root.length,
      prefixes4: this.#counts[4],
      prefixes6: this.#counts[6],
      matches: this.count,
      hosts: index4.hosts,
    });
    const contents = {
      header,
      root4: index4.root,
      nodes4: index4.nodes,
      root6: index6.root,
      nodes6: index6.nodes,
      matchValue: this.#values.subarray(0, end),
      // Where nothing is nested every parent is 0: the section is left empty.
      matchParent: this.#isNested ? this.#parents.subarray(0, end) : new Int32Array(0),
      matchLength: this.#lengths.subarray(0, end),
      valueLists: new Int32Array(0),
      expiresAt: expiresAt?.subarray(0, end) ?? new Float64Array(0),
    };
    return yield* assembling(contents, allocate ?? ((byteLength) => new ArrayBuffer(byteLength)));
  }

  *#building(family: Family): ReturnType<typeof buildingIndex> {
    return yield* buildingIndex(this.#sweeps[family].finish(family));
  }
}
