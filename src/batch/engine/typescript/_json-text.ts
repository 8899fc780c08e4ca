import { isUtf8 } from "node:buffer";

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const HEX = Buffer.from("0123456789abcdef");

/** By byte: the letter of its short escape, 1 for an escape of six characters, 0 for none. */
const ESCAPE = new Uint8Array(256).fill(1, 0, 0x20);
for (const [letter, byte] of Object.entries({
  b: 0x08,
  t: 0x09,
  n: 0x0a,
  f: 0x0c,
  r: 0x0d,
  '"': QUOTE,
  "\\": BACKSLASH,
}))
  ESCAPE[byte] = letter.charCodeAt(0);
/** The same for bytes that are not UTF-8: they are read as Latin-1, so that no byte is lost. */
const LATIN1_ESCAPE = Uint8Array.from(ESCAPE).fill(1, 0x80);

/** `bytes[start, end)` as the text of a JSON string: its length, and writing it. */
export class JsonText {
  readonly #bytes: Buffer;
  readonly #start: number;
  readonly #end: number;
  readonly #escape: Uint8Array;
  /** Bytes, including the quotes. */
  readonly length: number;

  constructor(bytes: Buffer, start: number, end: number) {
    this.#bytes = bytes;
    this.#start = start;
    this.#end = end;
    const escape = (this.#escape = isUtf8(bytes.subarray(start, end)) ? ESCAPE : LATIN1_ESCAPE);
    let length = end - start + 2;
    for (let at = start; at < end; at++) {
      const kind = escape[bytes[at]!]!;
      if (kind !== 0) length += kind === 1 ? 5 : 1;
    }
    this.length = length;
  }

  /** Returns the position after it. */
  writeTo(out: Buffer, at: number): number {
    out[at++] = QUOTE;
    for (let from = this.#start; from < this.#end; from++) {
      const byte = this.#bytes[from]!;
      const kind = this.#escape[byte]!;
      if (kind === 0) {
        out[at++] = byte;
        continue;
      }
      out[at++] = BACKSLASH;
      if (kind === 1) at = writeCode(out, at, byte);
      else out[at++] = kind;
    }
    out[at++] = QUOTE;
    return at;
  }
}

function writeCode(out: Buffer, at: number, byte: number): number {
  out[at++] = 0x75;
  out[at++] = 0x30;
  out[at++] = 0x30;
  out[at++] = HEX[byte >> 4]!;
  out[at++] = HEX[byte & 15]!;
  return at;
}
