/**
 * The ids of a catalogue's nodes, as bytes where they stand in its metadata: node i (value i + 1) is
 * `bytes[starts[i], ends[i])`.
 */
export interface NodeIds {
  readonly bytes: Uint8Array;
  readonly count: number;
  readonly starts: Uint32Array;
  readonly ends: Uint32Array;
}

const COMMA = 0x2c;
const SLASH = 0x2f;
const SPACE = 0x20;
const DELETE = 0x7f;
/** As in `_node-id.ts`. */
const MOST_PARTS = 16;

const NODES = ascii("nodes");
const ID = ascii("id");
/** A catalogue's metadata is flat: an object of texts, numbers, and arrays of objects of texts. */
const MOST_DEPTH = 4;

/**
 * Finds the ids in metadata as it is stored (MessagePack), without decoding it: 91,000 nodes take 3 ms instead of 150, and
 * that much is needed before the first row. Returns null for anything but the plain case, ids of printable ASCII in maps of
 * their own; `Catalogue` then decodes all, or says what is wrong. O(bytes).
 */
export function readNodeIds(bytes: Uint8Array): NodeIds | null {
  const reader = new Reader(bytes);
  for (let members = reader.mapSize(); members > 0; members--) {
    if (!reader.isText(NODES)) {
      if (!reader.skip(0) || !reader.skip(0)) return null;
      continue;
    }
    reader.skip(0);
    return reader.nodes();
  }
  return null;
}

/** Walks MessagePack. Behind the end of the bytes it finds `undefined`, which is nothing that it takes. */
class Reader {
  readonly #bytes: Uint8Array;
  #at = 0;
  /** Where the last text lies. */
  #start = 0;
  #end = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  /** The members of the map that begins here, -1 if none does. */
  mapSize(): number {
    return this.#size(0x80, 0x0f, 0xde);
  }

  #arraySize(): number {
    return this.#size(0x90, 0x0f, 0xdc);
  }

  /** The size of a collection whose short form begins at `short`, and whose forms of 2 and 4 bytes are `long` and `long + 1`. */
  #size(short: number, most: number, long: number): number {
    const token = this.#bytes[this.#at++]!;
    if (token >= short && token <= short + most) return token - short;
    if (token === long) return this.#number(2);
    return token === long + 1 ? this.#number(4) : -1;
  }

  #number(width: number): number {
    let value = 0;
    for (let byte = 0; byte < width; byte++) value = value * 256 + this.#bytes[this.#at++]!;
    return Number.isNaN(value) ? -1 : value;
  }

  /** Reads a text and keeps where it lies. */
  #text(): boolean {
    const token = this.#bytes[this.#at]!;
    let length: number;
    if (token >= 0xa0 && token < 0xc0) {
      length = token & 0x1f;
      this.#at++;
    } else if (token >= 0xd9 && token <= 0xdb) {
      this.#at++;
      length = this.#number(1 << (token - 0xd9));
    } else {
      return false;
    }
    this.#start = this.#at;
    this.#end = this.#at + length;
    if (length < 0 || this.#end > this.#bytes.length) return false;
    this.#at = this.#end;
    return true;
  }

  /** Whether this text begins here; stays where it is. */
  isText(text: Uint8Array): boolean {
    const before = this.#at;
    let is = this.#text() && this.#end - this.#start === text.length;
    for (let at = 0; is && at < text.length; at++) is = text[at] === this.#bytes[this.#start + at];
    this.#at = before;
    return is;
  }

  /** Passes over one value. False for what metadata of a catalogue has not. */
  skip(depth: number): boolean {
    const token = this.#bytes[this.#at]!;
    if (depth > MOST_DEPTH || token === undefined) return false;
    if (token < 0x80 || token === 0xc0) return ++this.#at > 0;
    if (this.#text()) return true;
    let values = -1;
    if ((token >= 0x90 && token < 0xa0) || token === 0xdc || token === 0xdd) values = this.#arraySize();
    else if (token < 0x90 || token === 0xde || token === 0xdf) values = 2 * this.mapSize();
    for (let value = 0; value < values; value++) if (!this.skip(depth + 1)) return false;
    return values >= 0;
  }

  nodes(): NodeIds | null {
    const count = this.#arraySize();
    if (count < 0 || count > this.#bytes.length) return null;
    const ids: NodeIds = { bytes: this.#bytes, count, starts: new Uint32Array(count), ends: new Uint32Array(count) };
    for (let node = 0; node < count; node++) {
      let hasId = false;
      for (let members = this.mapSize(); members > 0; members--) {
        const isId = this.isText(ID);
        if (!this.#text() || !this.#text()) return null;
        if (!isId) continue;
        if (!isPlainId(this.#bytes, this.#start, this.#end)) return null;
        hasId = true;
        ids.starts[node] = this.#start;
        ids.ends[node] = this.#end;
      }
      if (!hasId) return null;
    }
    return ids;
  }
}

/** Whether `placeOf` takes it, and it is printable ASCII, so that the order of bytes is that of texts. */
function isPlainId(bytes: Uint8Array, start: number, end: number): boolean {
  const isPath = bytes[start] === SLASH;
  let before = 0;
  let slashes = 0;
  for (let at = start; at < end; at++) {
    const byte = bytes[at]!;
    if (byte < SPACE || byte >= DELETE || byte === COMMA) return false;
    if (byte === SLASH) {
      if (isPath && before === SLASH) return false;
      slashes++;
    }
    before = byte;
  }
  if (end === start || bytes[start] === SPACE || before === SPACE) return false;
  return !isPath || (before !== SLASH && slashes <= MOST_PARTS);
}

function ascii(text: string): Uint8Array {
  return Uint8Array.from(text, (character) => character.charCodeAt(0));
}
