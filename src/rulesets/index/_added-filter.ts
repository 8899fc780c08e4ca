import { maskOf } from "./_rule-slots.ts";
import type { Prefix } from "../../address/address.ts";

/** 128 KiB: they stay in the second-level cache, and thousands of prefixes leave nearly all of them 0. */
const BITS = 20;
const BYTES = 1 << (BITS - 3);
const GOLDEN = 0x9e37_79b1;

/**
 * Which addresses may have a rule among those added since the last freeze: for nearly all others, reading one bit shows
 * that they have none. Bits are only ever set.
 *
 * IPv4: the bit of an address is indexed by its first 20 bits. IPv6: a rule sets the bit of a hash of the first 64 bits
 * of its prefix, or of the first 32 if it has fewer than 64; an address checks both. A rule of fewer than 32 bits
 * concerns too many addresses: from then on every address may have one.
 */
export class AddedFilter {
  /** Empty until a rule is added: reads then yield undefined, which bit operations take as 0. */
  #bits = new Int32Array(0);
  #all = false;

  copy(): AddedFilter {
    const copy = new AddedFilter();
    copy.#bits = this.#bits.slice();
    copy.#all = this.#all;
    return copy;
  }

  get byteLength(): number {
    return this.#bits.byteLength;
  }

  /**
   * Records that a rule for the prefix was added. No rule is missed: an address below an IPv4 prefix has a bit from
   * `first` to `last`, and one below an IPv6 prefix of 32 bits or more shares its first 32 bits, or its first 64 if the
   * prefix has them.
   *
   *     10.1.0.0/18     first 20 bits 0a010 to 0a013: four bits        10.1.2.3: one bit
   *     10.0.0.0/8      4,096 bits                                        0.0.0.0/0: all 2^20
   */
  add({ family, w0, w1, length }: Prefix): void {
    if (this.#bits.length === 0) this.#bits = new Int32Array(BYTES / 4);
    if (family === 6) {
      if (length < 32) this.#all = true;
      else this.#set(length < 64 ? hash(w0, 0) : hash(w0, w1));
      return;
    }
    const first = w0 >>> (32 - BITS);
    const last = (w0 | ~maskOf(length)) >>> (32 - BITS);
    for (let at = first; at <= last; at++) this.#set(at);
  }

  mayHave4(word: number): boolean {
    return this.#has(word >>> (32 - BITS));
  }

  mayHave6(w0: number, w1: number): boolean {
    return this.#all || this.#has(hash(w0, w1)) || this.#has(hash(w0, 0));
  }

  #set(at: number): void {
    this.#bits[at >>> 5]! |= 1 << (at & 31);
  }

  #has(at: number): boolean {
    return (this.#bits[at >>> 5]! & (1 << (at & 31))) !== 0;
  }
}

/** The upper bits of a product depend on all bits of its factors. */
function hash(w0: number, w1: number): number {
  return Math.imul(Math.imul(w0, GOLDEN) ^ w1 ^ (w0 >>> 15), GOLDEN) >>> (32 - BITS);
}
