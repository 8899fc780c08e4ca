/** Offsets of Arrow's strings and lists are signed 32-bit numbers. */
const MAX_OFFSET = 0x7fff_ffff;

/** Texts that are appended together: their bytes, and where in them each text ends. */
export interface TextBlock {
  readonly bytes: Uint8Array;
  readonly ends: readonly number[];
}

export function textBlock(texts: readonly string[]): TextBlock {
  const bytes = Buffer.from(texts.join(""));
  let end = 0;
  return { bytes, ends: texts.map((text) => (end += Buffer.byteLength(text))) };
}

/**
 * The texts of a column that is being made, one after the other, with where each of them ends. Its memory serves one
 * batch after the other: what a batch was given is overwritten by the next.
 */
export class TextBuilder {
  bytes = new Uint8Array(64);
  length = 0;
  #offsets = new Int32Array(1);
  #count = 0;

  clear(): void {
    this.length = 0;
    this.#count = 0;
  }

  /** Makes room for so many more bytes; they are written to `bytes` from `length` on. */
  reserve(more: number): void {
    const needed = this.length + more;
    if (needed > MAX_OFFSET)
      throw new RangeError("a batch has more than 2 GiB of text in a column; write smaller batches");
    if (needed <= this.bytes.length) return;
    const larger = new Uint8Array(Math.min(MAX_OFFSET, 2 * needed));
    larger.set(this.bytes.subarray(0, this.length));
    this.bytes = larger;
  }

  append({ bytes, ends }: TextBlock): void {
    this.reserve(bytes.length);
    const start = this.length;
    if (bytes.length > 48) this.bytes.set(bytes, start);
    else for (let at = 0; at < bytes.length; at++) this.bytes[start + at] = bytes[at]!;
    for (const end of ends) {
      this.length = start + end;
      this.end();
    }
  }

  /** Ends a text at `length`. */
  end(): void {
    if (++this.#count === this.#offsets.length) {
      const larger = new Int32Array(2 * this.#offsets.length);
      larger.set(this.#offsets);
      this.#offsets = larger;
    }
    this.#offsets[this.#count] = this.length;
  }

  get count(): number {
    return this.#count;
  }

  get offsets(): Int32Array {
    return this.#offsets.subarray(0, this.#count + 1);
  }
}
