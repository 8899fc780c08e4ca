import { folded, type SearchField, wordsOf } from "./search-fields.ts";

/** Decides about the bytes of a text between two offsets: of texts of ASCII, and of others. */
export interface TextMatcher {
  readonly ascii: ByteMatcher;
  readonly other: ByteMatcher;
}

export type ByteMatcher = (bytes: Uint8Array, from: number, to: number) => boolean;

const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
const encoder = new TextEncoder();
const SAME = Uint8Array.from({ length: 256 }, (_, byte) => byte);
/** Lower case for ASCII. */
const LOWER = Uint8Array.from({ length: 256 }, (_, byte) => (byte >= 0x41 && byte <= 0x5a ? byte + 0x20 : byte));
const IS_WORD = Uint8Array.from({ length: 256 }, (_, byte) => (/^[a-z0-9]$/i.test(String.fromCharCode(byte)) ? 1 : 0));

/**
 * What fits a pattern, whose stars stand for any characters, none among them. Bytes are compared where they are stored,
 * as that takes a tenth of the time of decoding them; where case is ignored, texts with letters beyond ASCII are decoded.
 */
export function patternMatcher(pattern: string, field: SearchField): TextMatcher {
  const parts = folded(pattern, field).split("*");
  const stored = parts.map((part) => encoder.encode(part));
  const [first, last] = [stored[0]!, stored.at(-1)!];
  const fold = field.ignoresCase ? LOWER : SAME;
  const between = stored
    .slice(1, -1)
    .filter((part) => part.length > 0)
    .map((part) => new Finder(part, fold));
  const fitsBytes: ByteMatcher = (bytes, from, to) => {
    const end = to - last.length;
    let at = from + first.length;
    if (end < at || !isAt(bytes, from, first, fold) || !isAt(bytes, end, last, fold)) return false;
    for (const part of between) {
      at = part.indexIn(bytes, at, end);
      if (at < 0) return false;
      at += part.length;
    }
    return true;
  };
  if (!field.ignoresCase) return { ascii: fitsBytes, other: fitsBytes };
  return {
    ascii: fitsBytes,
    other: (bytes, from, to) => {
      const text = encoder.encode(folded(textOf(bytes, from, to), field));
      return fitsBytes(text, 0, text.length);
    },
  };
}

/** What has all words of a text. */
export function wordsMatcher(text: string): TextMatcher {
  const words = wordsOf(text);
  const finders = words.map((word) => new Finder(encoder.encode(word), LOWER));
  return {
    ascii: (bytes, from, to) => finders.every((word) => hasWord(bytes, from, to, word)),
    other: (bytes, from, to) => {
      const own = new Set(wordsOf(textOf(bytes, from, to)));
      return words.every((word) => own.has(word));
    },
  };
}

/** Whether a text fits. */
export function fitsText({ ascii, other }: TextMatcher, text: string): boolean {
  const bytes = encoder.encode(text);
  return (isAscii(bytes, 0, bytes.length) ? ascii : other)(bytes, 0, bytes.length);
}

function hasWord(bytes: Uint8Array, from: number, to: number, word: Finder): boolean {
  for (let start = from; ;) {
    const at = word.indexIn(bytes, start, to);
    if (at < 0) return false;
    const end = at + word.length;
    if ((at === from || IS_WORD[bytes[at - 1]!] === 0) && (end === to || IS_WORD[bytes[end]!] === 0)) return true;
    start = at + 1;
  }
}

/** A copy, as the decoder takes no shared memory. */
function textOf(bytes: Uint8Array, from: number, to: number): string {
  return decoder.decode(bytes.slice(from, to));
}

export function isAscii(bytes: Uint8Array, from: number, to: number): boolean {
  let all = 0;
  for (let at = from; at < to; at++) all |= bytes[at]!;
  return all < 0x80;
}

function isAt(bytes: Uint8Array, at: number, part: Uint8Array, fold: Uint8Array): boolean {
  for (let i = 0; i < part.length; i++) if (fold[bytes[at + i]!] !== part[i]) return false;
  return true;
}

/**
 * Finds bytes in others. By the byte at the end of where they could be, they could begin so many bytes later (Horspool 1980):
 * most bytes are not looked at.
 */
class Finder {
  readonly length: number;
  readonly #part: Uint8Array;
  readonly #fold: Uint8Array;
  readonly #steps: Uint32Array;

  /** `part` is not empty, and folded. */
  constructor(part: Uint8Array, fold: Uint8Array) {
    this.length = part.length;
    this.#part = part;
    this.#fold = fold;
    const last = part.length - 1;
    this.#steps = Uint32Array.from(fold, (byte) => last - part.subarray(0, last).lastIndexOf(byte));
    // Where the byte does not occur, `lastIndexOf` is -1: the part can begin behind it.
  }

  /** The first offset in the bytes from `from` to before `end`, or -1. */
  indexIn(bytes: Uint8Array, from: number, end: number): number {
    const [part, fold, steps] = [this.#part, this.#fold, this.#steps];
    const last = part.length - 1;
    for (let at = from; at + last < end; at += steps[bytes[at + last]!]!)
      if (fold[bytes[at + last]!] === part[last] && isAt(bytes, at, part, fold)) return at;
    return -1;
  }
}
