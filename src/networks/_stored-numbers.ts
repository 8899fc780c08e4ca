import { StoredWords } from "../table/stored-words.ts";

/** Ascending 32-bit numbers, little-endian. */
export class StoredNumbers extends StoredWords {
  /** The number of bytes is a multiple of 4. */
  constructor(bytes: Uint8Array) {
    super(bytes, true);
  }

  /** The index of the last number that is not above this one; -1 if all are. O(log n), whatever the bytes say. */
  lastNotAbove(number: number): number {
    let [from, to] = [0, this.length];
    while (from < to) {
      const middle = (from + to) >>> 1;
      if (this.at(middle) <= number) from = middle + 1;
      else to = middle;
    }
    return from - 1;
  }

  /** The bytes of such numbers. */
  static bytesOf(numbers: readonly number[]): Uint8Array {
    const bytes = new Uint8Array(numbers.length * Uint32Array.BYTES_PER_ELEMENT);
    const view = new DataView(bytes.buffer);
    numbers.forEach((number, index) => view.setUint32(index * Uint32Array.BYTES_PER_ELEMENT, number, true));
    return bytes;
  }
}
