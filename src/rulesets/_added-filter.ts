import { maskOf } from "./_rule-slots.ts";
import type { Prefix } from "../address/address.ts";

/** 128 KiB: they stay in the second-level cache, and thousands of prefixes leave nearly all of them 0. */
const BITS = 20;
const BYTES = 1 << (BITS - 3);
const GOLDEN = 0x9e37_79b1;

/**
 * Which addresses may have a rule among those that were added since the last freeze: for nearly all others a read of one
 * bit says that they have none. Bits are only ever set.
 *
 * IPv4: the bit of an address is that of its first 20 bits. IPv6: a rule sets the bit of a hash of the first 64 bits of
 * its prefix, or of the first 32 where it has fewer than 64; and an address looks at both. A rule of fewer than 32 bits
 * concerns too many addresses: from then on every address may have one.
 */
export class AddedFilter {
  /** None until a rule is added: what is read of them is 0. */
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

  /** A rule for the prefix was added. */
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
