/**
 * An `Int32Array` that doubles when it is full, so that n words are copied fewer than 2n times in all. `words` is another
 * array after growth: read it again after `reserve`. Words below `length` exist, which is what a `!` after a read asserts.
 */
export class GrowingWords {
  words: Int32Array<ArrayBuffer>;
  length = 0;

  constructor(capacity: number) {
    this.words = new Int32Array(Math.max(capacity, 16));
  }

  /** Makes room for `count` more words, zeroed, and returns the offset of the first. Amortised O(count). */
  reserve(count: number): number {
    const offset = this.length;
    const needed = offset + count;
    // Lengths at least double, so the copies of all growths together are at most the last length: 1 + 2 + ... + n/2 < n.
    if (needed > this.words.length) {
      const grown = new Int32Array(Math.max(needed, this.words.length * 2));
      grown.set(this.words.subarray(0, offset));
      this.words = grown;
    }
    this.length = needed;
    return offset;
  }

  push(word: number): void {
    const offset = this.reserve(1);
    this.words[offset] = word;
  }

  /** The words written so far, without copying. */
  written(): Int32Array {
    return this.words.subarray(0, this.length);
  }

  /** The same as numbers from 0 to 2^32 - 1. */
  unsigned(): Uint32Array {
    return new Uint32Array(this.words.buffer, 0, this.length);
  }
}
