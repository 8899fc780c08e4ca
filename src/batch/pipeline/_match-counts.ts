import type { RunMemory, SharedBuffer } from "./_run-memory.ts";
import type { SharedBytes } from "../engine/messages.ts";

/**
 * Lines by match id, counted by all threads at the same time. Each has a row of its own, so that none waits for
 * another:
 *
 *     thread 0: id 0 | id 1 | ... | id n     64-bit floats, which hold every count exactly
 *     thread 1: id 0 | id 1 | ... | id n
 */
export class MatchCounts {
  readonly #rows: SharedBuffer;
  readonly #ids: number;
  #final: Float64Array | null = null;

  /** Of ids from 0 to `maxId`. */
  constructor(memory: RunMemory, maxId: number, threads: number) {
    this.#ids = maxId + 1;
    this.#rows = memory.take(threads * this.#ids * Float64Array.BYTES_PER_ELEMENT);
    this.#rows.bytes.fill(0);
  }

  get maxId(): number {
    return this.#ids - 1;
  }

  /** All rows. */
  get block(): SharedBytes {
    return this.#rows.block;
  }

  /**
   * By match id; index 0 is addresses without a match. While threads are counting, some lines may or may not be
   * included.
   */
  sums(): Float64Array {
    if (this.#final !== null) return this.#final;
    const { buffer, byteOffset, byteLength } = this.#rows.bytes;
    const all = new Float64Array(buffer, byteOffset, byteLength / Float64Array.BYTES_PER_ELEMENT);
    const sums = Float64Array.from(all.subarray(0, this.#ids));
    for (let at = this.#ids; at < all.length; at++) sums[at % this.#ids]! += all[at]!;
    return sums;
  }

  /** Keeps the current sums: the memory may be reused afterwards. */
  freeze(): void {
    this.#final = this.sums();
  }
}

/** The row of one thread, of all rows at `block`. */
export function rowOfThread(block: SharedBytes, thread: number, maxId: number): SharedBytes {
  const byteLength = (maxId + 1) * Float64Array.BYTES_PER_ELEMENT;
  return { buffer: block.buffer, at: block.at + thread * byteLength, byteLength };
}
