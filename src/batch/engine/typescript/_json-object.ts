const QUOTE = 0x22;
const COMMA = 0x2c;
const MINUS = 0x2d;
const DOT = 0x2e;
const ZERO = 0x30;
const COLON = 0x3a;
const OPEN_ARRAY = 0x5b;
const BACKSLASH = 0x5c;
const CLOSE_ARRAY = 0x5d;
const LOWER_E = 0x65;
const LOWER_U = 0x75;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;

const LITERALS = ["true", "false", "null"].map((word) => Buffer.from(word));
/** The bytes that may follow a backslash, except `u`. */
const ESCAPES = new Uint8Array(256);
for (const byte of Buffer.from('"\\/bfnrt')) ESCAPES[byte] = 1;

/** What the reader expects next. */
const VALUE = 0; // a value
const FIRST_VALUE = 1; // a value, or the end of an empty array
const FIRST_KEY = 2; // a key, or the end of an empty object
const KEY = 3;
const AFTER = 4; // a comma or a closing bracket

/**
 * Reads lines that should each be one JSON object (RFC 8259, with white space around it), and looks for a property of
 * that object by name. Bytes from 0x80 on in strings are not checked. Linear and without recursion: a line may have any
 * length and depth.
 */
export class ObjectReader {
  /** For the last line that was read: the position of its last brace, or where it stops being an object. */
  end = 0;
  /** Whether that object has any property, and one with the name. */
  hasMembers = false;
  hasName = false;
  readonly #name: Buffer;
  /** By depth: whether the open bracket is a brace. */
  #braces = new Uint8Array(64);

  constructor(name: string) {
    this.#name = Buffer.from(name, "utf8");
  }

  /** Whether the line `bytes[start, end)` is an object; `end` is where it ends. */
  read(bytes: Buffer, start: number, end: number): boolean {
    this.hasMembers = this.hasName = false;
    let at = skipBlanks(bytes, start, end);
    if (at === end || bytes[at] !== OPEN_OBJECT) return this.#stop(at);
    let depth = 1;
    this.#braces[1] = 1;
    let step = FIRST_KEY;
    at++;
    while (depth > 0) {
      at = skipBlanks(bytes, at, end);
      if (at >= end) return this.#stop(end);
      const byte = bytes[at]!;
      if (
        step === AFTER ||
        ((step === FIRST_KEY || step === FIRST_VALUE) && (byte === CLOSE_OBJECT || byte === CLOSE_ARRAY))
      ) {
        const isBrace = this.#braces[depth] === 1;
        if (byte === (isBrace ? CLOSE_OBJECT : CLOSE_ARRAY)) {
          depth--;
          step = AFTER;
        } else if (byte === COMMA && step === AFTER) step = isBrace ? KEY : VALUE;
        else return this.#stop(at);
        at++;
      } else if (step === KEY || step === FIRST_KEY) {
        const keyEnd = byte === QUOTE ? textEnd(bytes, at + 1, end) : -at - 1;
        if (keyEnd < 0) return this.#stop(-keyEnd - 1);
        if (depth === 1) this.#sawKey(bytes, at, keyEnd);
        at = skipBlanks(bytes, keyEnd, end);
        if (at >= end || bytes[at] !== COLON) return this.#stop(at);
        at++;
        step = VALUE;
      } else if (byte === OPEN_OBJECT || byte === OPEN_ARRAY) {
        if (++depth === this.#braces.length) this.#braces = Buffer.concat([this.#braces], 2 * depth);
        this.#braces[depth] = byte === OPEN_OBJECT ? 1 : 0;
        step = byte === OPEN_OBJECT ? FIRST_KEY : FIRST_VALUE;
        at++;
      } else {
        const valueEnd = byte === QUOTE ? textEnd(bytes, at + 1, end) : scalarEnd(bytes, at, end);
        if (valueEnd < 0) return this.#stop(-valueEnd - 1);
        at = valueEnd;
        step = AFTER;
      }
    }
    const after = skipBlanks(bytes, at, end);
    if (after < end) return this.#stop(after);
    this.end = at - 1;
    return true;
  }

  #stop(at: number): false {
    this.end = at;
    return false;
  }

  /** A key of the outermost object, with its quotes. */
  #sawKey(bytes: Buffer, start: number, end: number): void {
    this.hasMembers = true;
    if (this.hasName) return;
    const name = this.#name;
    if (hasEscape(bytes, start, end))
      this.hasName = (JSON.parse(bytes.toString("utf8", start, end)) as string) === name.toString();
    else this.hasName = name.length === end - start - 2 && name.compare(bytes, start + 1, end - 1) === 0;
  }
}

function hasEscape(bytes: Buffer, start: number, end: number): boolean {
  for (let at = start; at < end; at++) if (bytes[at] === BACKSLASH) return true;
  return false;
}

/** The position after the quote that closes a string; if it is malformed, the complement of the position. */
function textEnd(bytes: Buffer, at: number, end: number): number {
  for (; at < end; at++) {
    const byte = bytes[at]!;
    if (byte === QUOTE) return at + 1;
    if (byte < 0x20) return -at - 1;
    if (byte !== BACKSLASH) continue;
    at++;
    if (at >= end) break;
    if (ESCAPES[bytes[at]!] === 1) continue;
    if (bytes[at] !== LOWER_U) return -at - 1;
    for (let digits = 0; digits < 4; digits++) {
      if (++at >= end) return -end - 1;
      if (!isHex(bytes[at]!)) return -at - 1;
    }
  }
  return -end - 1;
}

/** The position after a number, true, false or null; the complement of the position where it is malformed. */
function scalarEnd(bytes: Buffer, at: number, end: number): number {
  const start = at;
  for (const word of LITERALS) {
    if (bytes[at] === word[0])
      return end - at >= word.length && word.compare(bytes, at, at + word.length) === 0 ? at + word.length : -start - 1;
  }
  if (bytes[at] === MINUS) at++;
  if (bytes[at] === ZERO) at++;
  else if ((at = digitsEnd(bytes, at, end)) < 0) return at;
  if (at < end && bytes[at] === DOT && (at = digitsEnd(bytes, at + 1, end)) < 0) return at;
  if (at < end && (bytes[at]! | 0x20) === LOWER_E) {
    const sign = bytes[at + 1];
    if ((at = digitsEnd(bytes, sign === 0x2b || sign === MINUS ? at + 2 : at + 1, end)) < 0) return at;
  }
  return at;
}

/** The position after one or more digits; the complement of the position if there are none. */
function digitsEnd(bytes: Buffer, at: number, end: number): number {
  const start = at;
  while (at < end && bytes[at]! >= ZERO && bytes[at]! <= 0x39) at++;
  return at > start ? at : -Math.min(start, end) - 1;
}

function isHex(byte: number): boolean {
  const letter = byte | 0x20;
  return (byte >= ZERO && byte <= 0x39) || (letter >= 0x61 && letter <= 0x66);
}

function skipBlanks(bytes: Buffer, at: number, end: number): number {
  while (at < end && (bytes[at] === 0x20 || bytes[at] === 0x09 || bytes[at] === 0x0d)) at++;
  return at;
}
