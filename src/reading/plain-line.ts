import { addressBits, type Family } from "../address/address.ts";
import { parseAddressBytes } from "../address/parse-address.ts";

const CR = 0x0d;
const SPACE = 0x20;
const COLON = 0x3a;
const SLASH = 0x2f;
const ZERO = 0x30;

/**
 * Most lines of most lists are an address or a prefix without host bits, perhaps with white space around it. Such a
 * line is parsed from its bytes, without creating a string or an object, to what `readListLine` would read.
 */
export class PlainLine {
  family: Family = 4;
  length = 0;
  /** The words of the prefix; those after the first are 0 for IPv4. */
  readonly words = new Uint32Array(4);

  /** Reads bytes[from, end); false for every other line, which the general parser has to judge. */
  read(bytes: Uint8Array, from: number, end: number): boolean {
    while (from < end && isSpace(bytes[from]!)) from++;
    if (from < end && bytes[end - 1] === CR) end--;
    while (from < end && isSpace(bytes[end - 1]!)) end--;
    let slash = end - 4 > from ? end - 4 : from;
    while (slash < end && bytes[slash] !== SLASH) slash++;
    const { words } = this;
    const family = parseAddressBytes(bytes, from, slash, words);
    if (family < 0) return false;
    this.family = family as Family;
    if (family === 4) words[1] = words[2] = words[3] = 0;
    this.length = addressBits(this.family);
    return slash === end || (this.#readLength(bytes, from, slash, end) && !this.#coversMapped());
  }

  /** An error, which names both meanings; `::/0` is left to the general parser, too. */
  #coversMapped(): boolean {
    return this.family === 6 && this.length <= 96 && this.words[0] === 0 && this.words[1] === 0;
  }

  #readLength(bytes: Uint8Array, from: number, slash: number, end: number): boolean {
    // An IPv4-mapped prefix counts the bits of IPv6.
    if (this.family === 4 && bytes.subarray(from, slash).includes(COLON)) return false;
    let length = 0;
    for (let at = slash + 1; at < end; at++) {
      const digit = bytes[at]! - ZERO;
      if (!(digit >= 0 && digit <= 9) || (length === 0 && at > slash + 1)) return false; // no leading zeros
      length = length * 10 + digit;
    }
    if (slash + 1 === end || length > this.length) return false;
    this.length = length;
    return this.words.every((word, i) => (word & hostMask(length - 32 * i)) === 0);
  }
}

/** The bits of a word after its first `bits`: all below 1, none from 32 on. */
function hostMask(bits: number): number {
  return bits >= 32 ? 0 : bits <= 0 ? -1 : -1 >>> bits;
}

/** CR is none: alone, it is the end of a line. */
function isSpace(byte: number): boolean {
  return byte === SPACE || (byte >= 0x09 && byte < CR);
}
