/** Whether this machine stores the lowest byte of a word first. */
const IS_LITTLE_ENDIAN = new Uint8Array(Uint32Array.of(1).buffer)[0] === 1;

/**
 * 32-bit words, in the machine's order unless another is given, read where they are: they may begin at any byte, where a
 * `Uint32Array` would need a copy.
 */
export class StoredWords {
  readonly length: number;
  readonly #view: DataView;
  readonly #isLittleEndian: boolean;

  /** The number of bytes is a multiple of 4. */
  constructor({ buffer, byteOffset, byteLength }: Uint8Array, isLittleEndian: boolean = IS_LITTLE_ENDIAN) {
    this.length = byteLength / Uint32Array.BYTES_PER_ELEMENT;
    this.#view = new DataView(buffer, byteOffset, byteLength);
    this.#isLittleEndian = isLittleEndian;
  }

  /** @throws RangeError for an index that is not below the length */
  at(index: number): number {
    return this.#view.getUint32(index * Uint32Array.BYTES_PER_ELEMENT, this.#isLittleEndian);
  }
}
