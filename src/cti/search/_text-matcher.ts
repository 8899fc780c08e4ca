import type { TextMatcher } from "../_texts.ts";
import { folded, type SearchField, wordsOf } from "./search-fields.ts";

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
  const between = stored.slice(1, -1).filter((part) => part.length > 0);
  const fold = field.ignoresCase ? LOWER : SAME;
  const fitsBytes: TextMatcher = (bytes, from, to) => {
    const end = to - last.length;
    let at = from + first.length;
    if (end < at || !isAt(bytes, from, first, fold) || !isAt(bytes, end, last, fold)) return false;
    for (const part of between) {
      at = indexIn(bytes, at, end, part, fold);
      if (at < 0) return false;
      at += part.length;
    }
    return true;
  };
  if (!field.ignoresCase) return fitsBytes;
  return (bytes, from, to) => {
    if (isAscii(bytes, from, to)) return fitsBytes(bytes, from, to);
    const text = encoder.encode(folded(textOf(bytes, from, to), field));
    return fitsBytes(text, 0, text.length);
  };
}

/** What has all words of a text. */
export function wordsMatcher(text: string): TextMatcher {
  const words = wordsOf(text);
  const stored = words.map((word) => encoder.encode(word));
  return (bytes, from, to) => {
    if (isAscii(bytes, from, to)) return stored.every((word) => hasWord(bytes, from, to, word));
    const own = new Set(wordsOf(textOf(bytes, from, to)));
    return words.every((word) => own.has(word));
  };
}

function hasWord(bytes: Uint8Array, from: number, to: number, word: Uint8Array): boolean {
  for (let start = from; ;) {
    const at = indexIn(bytes, start, to, word, LOWER);
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

function isAscii(bytes: Uint8Array, from: number, to: number): boolean {
  let all = 0;
  for (let at = from; at < to; at++) all |= bytes[at]!;
  return all < 0x80;
}

function isAt(bytes: Uint8Array, at: number, part: Uint8Array, fold: Uint8Array): boolean {
  for (let i = 0; i < part.length; i++) if (fold[bytes[at + i]!] !== part[i]) return false;
  return true;
}

/** The first offset of `part` in the bytes from `from` to before `end`, or -1. `part` is not empty. */
function indexIn(bytes: Uint8Array, from: number, end: number, part: Uint8Array, fold: Uint8Array): number {
  const first = part[0]!;
  const last = end - part.length;
  for (let at = from; at <= last; at++) if (fold[bytes[at]!] === first && isAt(bytes, at, part, fold)) return at;
  return -1;
}
