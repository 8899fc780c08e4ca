/** Below this length, a copying loop is faster than a native call. */
const NATIVE_COPY_FROM = 48;

/** A row that is put together of bytes, in an array that grows and is used again for the next one. */
export class RowBytes {
  #bytes = new Uint8Array(1024);
  #length = 0;

  clear(): void {
    this.#length = 0;
  }

  /** What has been added since `clear`; good until it is called again. */
  get bytes(): Uint8Array {
    return this.#bytes.subarray(0, this.#length);
  }

  /** Adds bytes[from, to). */
  add(bytes: Uint8Array, from: number = 0, to: number = bytes.length): void {
    const end = this.#length + to - from;
    if (end > this.#bytes.length) this.#grow(2 * end);
    if (to - from >= NATIVE_COPY_FROM) this.#bytes.set(bytes.subarray(from, to), this.#length);
    else for (let at = from, out = this.#length; at < to; at++) this.#bytes[out++] = bytes[at]!;
    this.#length = end;
  }

  #grow(size: number): void {
    const larger = new Uint8Array(size);
    larger.set(this.#bytes);
    this.#bytes = larger;
  }
}
