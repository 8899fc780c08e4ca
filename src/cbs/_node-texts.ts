import { hashKey } from "../table/hash-key.ts";
import { badMetadata } from "./catalogue-error.ts";

const LF = 0x0a;
const SPACE = 0x20;
const COMMA = 0x2c;
const SLASH = 0x2f;
const LAST_PRINTABLE = 0x7e;
const encoder = new TextEncoder();
/** Not known in advance, so that no file can be made whose texts all have the same hash. */
const [SEED, FACTOR] = [hashKey(), hashKey()];

/**
 * The distinct texts of a catalogue's nodes, as bytes: reading and comparing bytes takes a fraction of what strings
 * take, and most texts are never needed as strings.
 */
export class NodeTexts {
  readonly count: number;
  /** All texts in UTF-8, an LF after each: text i is `bytes[starts[i], starts[i + 1] - 1)`. */
  readonly bytes: Uint8Array;
  readonly starts: Uint32Array;
  readonly #text: string;
  /** Null where bytes and units of the text are the same. */
  readonly #lines: readonly string[] | null;
  /** By text: 1 if it is valid as a label and as a part of a path, apart from its length; many others are, too. */
  readonly isPlain: Uint8Array;

  /** @throws CatalogueError "bad-metadata" unless each text ends with an LF and is there once */
  constructor(text: string) {
    this.bytes = encoder.encode(text);
    if (text !== "" && !text.endsWith("\n")) throw badMetadata("nodes", "its texts do not end with a line feed");
    this.#text = text;
    this.#lines = this.isAscii ? null : text.split("\n");
    // As long as if all texts were empty: the system provides memory when it is written to.
    const { length } = this.bytes;
    const [starts, hashes, isPlain] = [new Uint32Array(length + 1), new Int32Array(length), new Uint8Array(length)];
    this.count = this.#readAll(starts, hashes, isPlain);
    this.starts = starts.subarray(0, this.count + 1);
    this.isPlain = isPlain.subarray(0, this.count);
    this.#checkDistinct(hashes);
  }

  get isAscii(): boolean {
    return this.bytes.length === this.#text.length;
  }

  at(index: number): string {
    return this.#lines === null
      ? this.#text.slice(this.starts[index], this.starts[index + 1]! - 1)
      : this.#lines[index]!;
  }

  /** In UTF-16 code units. */
  lengthOf(index: number): number {
    return this.#lines === null ? this.starts[index + 1]! - 1 - this.starts[index]! : this.#lines[index]!.length;
  }

  /** All of it in one pass: the code of a short loop would still be slow when it ends. Returns how many there are. */
  #readAll(starts: Uint32Array, hashes: Int32Array, isPlain: Uint8Array): number {
    const { bytes } = this;
    let index = 0;
    for (let at = 0; at < bytes.length; index++) {
      const start = at;
      let hash = SEED;
      let isPrintable = true;
      for (let byte = bytes[at]!; byte !== LF; byte = bytes[++at]!) {
        hash = Math.imul(hash ^ byte, FACTOR) ^ (hash >>> 15);
        if (byte < SPACE || byte > LAST_PRINTABLE || byte === COMMA || byte === SLASH) isPrintable = false;
      }
      if (isPrintable && at > start && bytes[start] !== SPACE && bytes[at - 1] !== SPACE) isPlain[index] = 1;
      hashes[index] = hash ^ (hash >>> 16);
      starts[index + 1] = ++at;
    }
    return index;
  }

  /** Puts each text into a hash table, at least half of which stays empty. */
  #checkDistinct(hashes: Int32Array): void {
    const places = new Uint32Array(2 ** Math.ceil(Math.log2(2 * this.count + 1)));
    const mask = places.length - 1;
    for (let index = 0; index < this.count; index++) {
      const hash = hashes[index]!;
      let place = hash & mask;
      for (; places[place] !== 0; place = (place + 1) & mask) {
        const other = places[place]! - 1;
        if (hashes[other] === hash && this.#isSame(other, index))
          throw badMetadata("nodes", "a text is there more than once");
      }
      places[place] = index + 1;
    }
  }

  #isSame(one: number, other: number): boolean {
    const { bytes } = this;
    let atOther = this.starts[other]!;
    for (let at = this.starts[one]!; ; at++, atOther++) {
      if (bytes[at] !== bytes[atOther]) return false;
      if (bytes[at] === LF) return true;
    }
  }
}
