/** Deep enough for any document of this package, and far below the limit of recursion. */
const MAX_DEPTH = 64;

const SHORT_TEXT = 64;

/** Decodes all text except short ASCII; throws for bytes that are not UTF-8, and keeps a byte-order mark. */
const UTF8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** Bytes that are not a plain MessagePack document. */
class NotPlainError extends Error {}

/**
 * Decodes untrusted bytes. Throws `NotPlainError` unless they are exactly one value of null, booleans, numbers,
 * well-formed text, bytes, arrays, and maps whose keys are text other than "__proto__", at most 64 deep. Integers of 64
 * bits become BigInt; bytes are copied, or with `bytesInPlace` become views of the input.
 *
 * A decoder of our own, because libraries support too much: extensions that build regular expressions, errors,
 * references and generated functions, and recursion as deep as the bytes demand; and because loading one takes longer
 * than reading a catalogue. O(bytes).
 */
export function decodePlainMessagePack(bytes: Uint8Array, { bytesInPlace = false } = {}): unknown {
  const decoder = new Decoder(bytes, bytesInPlace);
  const document = decoder.value(0);
  decoder.end();
  return document;
}

class Decoder {
  readonly #bytes: Uint8Array;
  readonly #view: DataView;
  readonly #bytesInPlace: boolean;
  #at = 0;

  constructor(bytes: Uint8Array, bytesInPlace: boolean) {
    this.#bytes = bytes;
    this.#bytesInPlace = bytesInPlace;
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }

  /**
   * The next value, whose kind is in its first byte:
   *
   *     00-7f  that number          c0 c2 c3  null, false, true                  d0-d3  signed number of 1, 2, 4, 8 bytes
   *     80-8f  map of 0 to 15       c4-c6     bytes, length in 1, 2, 4 bytes     d9-db  text, length in 1, 2, 4 bytes
   *     90-9f  array of 0 to 15     ca cb     float of 4, 8 bytes                dc dd  array, count in 2, 4 bytes
   *     a0-bf  text of 0 to 31      cc-cf     number of 1, 2, 4, 8 bytes         de df  map, count in 2, 4 bytes
   *     e0-ff  -32 to -1
   *
   * Each call passes at least one byte, and `depth` grows with every collection: so the recursion ends, at most
   * MAX_DEPTH + 1 calls deep.
   */
  value(depth: number): unknown {
    const token = this.#bytes[this.#at++];
    if (token === undefined) throw new NotPlainError("it ends early");
    if (token < 0x80) return token;
    if (token >= 0xe0) return token - 0x100;
    if (token < 0x90) return this.#map(token & 0x0f, depth + 1);
    if (token < 0xa0) return this.#array(token & 0x0f, depth + 1);
    if (token < 0xc0) return this.#text(token & 0x1f);
    switch (token) {
      case 0xc0:
        return null;
      case 0xc2:
        return false;
      case 0xc3:
        return true;
      case 0xc4:
      case 0xc5:
      case 0xc6:
        return this.#binary(this.#number(1 << (token - 0xc4)));
      case 0xca:
        return this.#view.getFloat32(this.#take(4));
      case 0xcb:
        return this.#view.getFloat64(this.#take(8));
      case 0xcc:
      case 0xcd:
      case 0xce:
        return this.#number(1 << (token - 0xcc));
      case 0xcf:
        return this.#view.getBigUint64(this.#take(8));
      case 0xd0:
        return this.#view.getInt8(this.#take(1));
      case 0xd1:
        return this.#view.getInt16(this.#take(2));
      case 0xd2:
        return this.#view.getInt32(this.#take(4));
      case 0xd3:
        return this.#view.getBigInt64(this.#take(8));
      case 0xd9:
      case 0xda:
      case 0xdb:
        return this.#text(this.#number(1 << (token - 0xd9)));
      case 0xdc:
      case 0xdd:
        return this.#array(this.#number(2 << (token - 0xdc)), depth + 1);
      case 0xde:
      case 0xdf:
        return this.#map(this.#number(2 << (token - 0xde)), depth + 1);
      default:
        throw new NotPlainError(
          `byte ${this.#at - 1} begins something else than null, a boolean, number, text, bytes, array or map (a date must be given as text)`,
        );
    }
  }

  /** Throws unless all bytes are read. */
  end(): void {
    if (this.#at !== this.#bytes.length) throw new NotPlainError(`${this.#bytes.length - this.#at} bytes follow it`);
  }

  #array(size: number, depth: number): unknown[] {
    this.#checkCollection(size, depth);
    const values: unknown[] = [];
    for (let left = size; left > 0; left--) values.push(this.value(depth));
    return values;
  }

  #map(size: number, depth: number): Record<string, unknown> {
    this.#checkCollection(2 * size, depth);
    const map: Record<string, unknown> = {};
    for (let left = size; left > 0; left--) {
      const at = this.#at;
      const key = this.value(depth);
      if (typeof key !== "string") throw new NotPlainError(`a key at byte ${at} is not text`);
      if (key === "__proto__") throw new NotPlainError('a key is "__proto__"');
      map[key] = this.value(depth);
    }
    return map;
  }

  /** Every value takes at least a byte, so no count can demand more values than the document has bytes. */
  #checkCollection(values: number, depth: number): void {
    if (values > this.#bytes.length - this.#at) throw new NotPlainError("it ends early");
    if (depth > MAX_DEPTH) throw new NotPlainError(`it is nested more than ${MAX_DEPTH} deep`);
  }

  #text(size: number): string {
    const bytes = this.#bytes;
    const at = this.#at;
    this.#pass(size);
    // Most texts are short ASCII, and calling the platform takes longer than this loop. If the OR of all bytes is below
    // 0x80, none has its highest bit set: all are ASCII.
    let bits = size > SHORT_TEXT ? 0x80 : 0;
    for (let i = at; i < at + size && bits < 0x80; i++) bits |= bytes[i]!;
    const text = bytes.subarray(at, this.#at);
    if (bits < 0x80) return String.fromCharCode(...text);
    try {
      // A copy: browsers do not decode shared memory.
      return UTF8.decode(this.#bytesInPlace ? new Uint8Array(text) : text);
    } catch {
      throw new NotPlainError(`the text at byte ${at} is not UTF-8`);
    }
  }

  /** An unsigned number, most significant byte first. `width` is 1, 2 or 4: at most 2^32 - 1, which is exact. */
  #number(width: number): number {
    let at = this.#at;
    this.#pass(width);
    let value = 0;
    while (at < this.#at) value = value * 256 + this.#bytes[at++]!;
    return value;
  }

  #binary(size: number): Uint8Array {
    const at = this.#take(size);
    const view = this.#bytes.subarray(at, this.#at);
    return this.#bytesInPlace ? view : new Uint8Array(view); // `slice` of a Buffer is no copy
  }

  /** Advances past the next `size` bytes and returns where they begin. */
  #take(size: number): number {
    const at = this.#at;
    this.#pass(size);
    return at;
  }

  #pass(size: number): void {
    if (size > this.#bytes.length - this.#at) throw new NotPlainError("it ends early");
    this.#at += size;
  }
}
