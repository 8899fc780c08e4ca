import { hashKey } from "../table/hash-key.ts";
import { ByteWriter } from "./_bytes.ts";
import { CtiError } from "./cti-error.ts";

/**
 * Many byte strings, one after the other, as they are stored: `ends` holds their end offsets as little-endian 32-bit
 * words.
 */
export interface StoredBlobs {
  readonly bytes: Uint8Array;
  readonly ends: Uint8Array;
}

/** Byte strings by number, from 0, read in place. Creating a table costs nothing, whatever its size. */
export class BlobTable {
  readonly count: number;
  readonly #name: string;
  readonly #bytes: Uint8Array;
  readonly #ends: DataView;

  /** @throws CtiError "bad-metadata" */
  constructor(name: string, { bytes, ends }: StoredBlobs) {
    if (!(bytes instanceof Uint8Array && ends instanceof Uint8Array && ends.length % 4 === 0)) {
      throw new CtiError(
        "bad-metadata",
        name,
        `the dataset's ${name} are not byte strings with their ends; import its feeds again`,
      );
    }
    this.#name = name;
    this.#bytes = bytes;
    this.#ends = new DataView(ends.buffer, ends.byteOffset, ends.byteLength);
    this.count = ends.length / 4;
  }

  /** All bytes, of which `startOf` and `endOf` say where each string is: for reading many without a view of each. */
  get bytes(): Uint8Array {
    return this.#bytes;
  }

  startOf(index: number): number {
    return index === 0 ? 0 : this.#end(index - 1);
  }

  /** @throws CtiError "bad-metadata" if it lies before the start or after the bytes */
  endOf(index: number): number {
    const end = this.#end(index);
    if (this.startOf(index) <= end && end <= this.#bytes.length) return end;
    throw this.#badEnd(index);
  }

  /** @throws CtiError "bad-metadata" if the ends do not ascend or exceed the bytes */
  at(index: number): Uint8Array {
    return this.#bytes.subarray(this.startOf(index), this.endOf(index));
  }

  #badEnd(index: number): CtiError {
    const [start, end] = [this.startOf(index), this.#end(index)];
    return new CtiError(
      "bad-metadata",
      this.#name,
      `number ${index} of the dataset's ${this.#name} ends at byte ${end} and begins at ${start} of ${this.#bytes.length}; import its feeds again`,
    );
  }

  #end(index: number): number {
    return this.#ends.getUint32(index * 4, true);
  }
}

/** Collects byte strings. */
export class BlobWriter {
  readonly #bytes = new ByteWriter();
  readonly #ends: number[] = [];

  append(bytes: Uint8Array): void {
    this.#bytes.append(bytes);
    if (this.#bytes.length > 0xffff_ffff)
      throw new RangeError("the dataset's documents have more than 4 GiB; import fewer feeds into one file");
    this.#ends.push(this.#bytes.length);
  }

  stored(): StoredBlobs {
    const ends = new Uint8Array(this.#ends.length * 4);
    const view = new DataView(ends.buffer);
    this.#ends.forEach((end, i) => view.setUint32(i * 4, end, true));
    return { bytes: this.#bytes.written().slice(), ends };
  }
}

/** Byte strings, each kept once: a hash table over one array of bytes. Numbers count from 1. */
export class BlobSet {
  readonly #bytes = new ByteWriter();
  /** End offsets; number i is from ends[i - 1] to ends[i]. */
  readonly #ends: number[] = [0];
  #slots = new Uint32Array(1024);
  readonly #key = hashKey();

  get count(): number {
    return this.#ends.length - 1;
  }

  /** The number of these bytes, which are added if they are new. */
  add(bytes: Uint8Array): number {
    if (this.count * 2 >= this.#slots.length) this.#grow();
    const slot = this.#slotOf(bytes);
    if (this.#slots[slot] !== 0) return this.#slots[slot]!;
    this.#bytes.append(bytes);
    this.#ends.push(this.#bytes.length);
    return (this.#slots[slot] = this.count);
  }

  /** Valid until the next `add`. */
  at(number: number): Uint8Array {
    return this.#bytes.written().subarray(this.#ends[number - 1], this.#ends[number]);
  }

  /** The slot that holds these bytes, or the free one for them. */
  #slotOf(bytes: Uint8Array): number {
    const mask = this.#slots.length - 1;
    for (let slot = hashOf(bytes, this.#key) & mask; ; slot = (slot + 1) & mask) {
      const number = this.#slots[slot]!;
      if (number === 0 || isSame(this.at(number), bytes)) return slot;
    }
  }

  #grow(): void {
    this.#slots = new Uint32Array(this.#slots.length * 2);
    for (let number = 1; number <= this.count; number++) this.#slots[this.#slotOf(this.at(number))] = number;
  }
}

/** As FNV-1a with a factor of its own; the upper bits are folded into the lower ones, which are used. */
function hashOf(bytes: Uint8Array, key: number): number {
  let hash = key;
  for (const byte of bytes) hash = Math.imul(hash ^ byte, key) ^ (hash >>> 15);
  return hash ^ (hash >>> 16);
}

function isSame(a: Uint8Array, b: Uint8Array): boolean {
  if (a.length !== b.length) return false;
  for (let i = 0; i < a.length; i++) if (a[i] !== b[i]) return false;
  return true;
}
