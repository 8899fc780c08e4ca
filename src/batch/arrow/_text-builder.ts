/** Offsets of Arrow's strings and lists are signed 32-bit numbers. */
const MAX_OFFSET = 0x7fff_ffff;

/** The texts of a column that is being made, one after the other, with where each of them ends. */
export class TextBuilder {
  bytes: Uint8Array;
  length = 0;
  #offsets: Int32Array;
  #count = 0;

  constructor(texts: number) {
    this.bytes = new Uint8Array(16 * texts + 64);
    this.#offsets = new Int32Array(texts + 1);
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

  append(text: Uint8Array): void {
    this.reserve(text.length);
    if (text.length > 48) this.bytes.set(text, this.length);
    else for (let at = 0; at < text.length; at++) this.bytes[this.length + at] = text[at]!;
    this.length += text.length;
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
