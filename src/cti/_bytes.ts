import { CtiError } from "./cti-error.ts";

/**
 * Grows as needed. A number is written in groups of 7 bits, low ones first; all bytes but the last have the top bit set
 * (LEB128).
 */
export class ByteWriter {
  #bytes = new Uint8Array(256);
  #length = 0;

  get length(): number {
    return this.#length;
  }

  /** A whole number from 0 to 2^32 - 1. */
  number(value: number): void {
    this.#reserve(5);
    let rest = value;
    for (; rest > 0x7f; rest >>>= 7) this.#bytes[this.#length++] = (rest & 0x7f) | 0x80;
    this.#bytes[this.#length++] = rest;
  }

  /** A number of 32 bits, the low byte first. */
  word(value: number): void {
    this.#reserve(4);
    for (let shift = 0; shift < 32; shift += 8) this.#bytes[this.#length++] = value >>> shift;
  }

  append(bytes: Uint8Array): void {
    this.#reserve(bytes.length);
    this.#bytes.set(bytes, this.#length);
    this.#length += bytes.length;
  }

  /** What was written; valid until the next write. */
  written(): Uint8Array {
    return this.#bytes.subarray(0, this.#length);
  }

  clear(): void {
    this.#length = 0;
  }

  #reserve(more: number): void {
    if (this.#length + more <= this.#bytes.length) return;
    const larger = new Uint8Array(Math.max(this.#bytes.length * 2, this.#length + more));
    larger.set(this.written());
    this.#bytes = larger;
  }
}

/** Reads what a `ByteWriter` has written, from untrusted bytes. */
export class ByteReader {
  readonly #bytes: Uint8Array;
  #at = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  get isAtEnd(): boolean {
    return this.#at === this.#bytes.length;
  }

  /**
   * The maximum number of numbers that can follow: counts are checked against it before anything of that size is
   * allocated.
   */
  get left(): number {
    return this.#bytes.length - this.#at;
  }

  /** @throws CtiError "bad-document" */
  number(): number {
    let value = 0;
    for (let scale = 1; ; scale *= 0x80) {
      if (this.isAtEnd) throw badDocument("it ends inside a number");
      const byte = this.#bytes[this.#at++]!;
      value += (byte & 0x7f) * scale;
      if (value > 0xffff_ffff || scale > 2 ** 28) throw badDocument("a number is greater than 2^32 - 1");
      if (byte < 0x80) return value;
    }
  }
}

export function badDocument(what: string): CtiError {
  return new CtiError(
    "bad-document",
    what,
    `a document of the dataset cannot be read: ${what}; import its feeds again`,
  );
}
