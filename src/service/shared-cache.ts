interface Entry<Value> {
  readonly value: Promise<Value>;
  /** Bytes; 0 until it is made. */
  size: number;
}

/**
 * A cache for values that are expensive to compute and requested by several clients at a time: each is computed once,
 * and calls made meanwhile wait for the same result. Values are kept by last use, up to a total number of bytes.
 */
export class SharedCache<Value extends { readonly byteLength: number }> {
  readonly #maxBytes: number;
  readonly #entries = new Map<string, Entry<Value>>();
  #bytes = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /** Bytes of the values that are kept. */
  get byteLength(): number {
    return this.#bytes;
  }

  /** The value of the key, which contains everything it depends on. Failures are not kept. */
  get(key: string, make: () => Promise<Value>): Promise<Value> {
    const known = this.#entries.get(key);
    const entry = known ?? { value: make(), size: 0 };
    this.#entries.delete(key);
    this.#entries.set(key, entry);
    if (known === undefined)
      entry.value.then(
        ({ byteLength }) => this.#keep(entry, byteLength),
        () => this.#entries.delete(key),
      );
    return entry.value;
  }

  #keep(entry: Entry<Value>, size: number): void {
    entry.size = size;
    this.#bytes += size;
    for (const [oldest, { size: freed }] of this.#entries) {
      if (this.#bytes <= this.#maxBytes) return;
      if (freed === 0) continue;
      this.#bytes -= freed;
      this.#entries.delete(oldest);
    }
  }
}
