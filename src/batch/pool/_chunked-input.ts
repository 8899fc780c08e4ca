import type { Family } from "../../address/address.ts";
import { parseAddressInto, parseTextInto } from "../../address/parse-address.ts";
import type { BufferMatches, Matcher } from "../engine/matcher.ts";
import { AddressGroup } from "./_address-group.ts";
import type { ChunkKind, ChunkMatches } from "./messages.ts";

const LF = 0x0a;

/** The size of a slot. A chunk takes some tenths of a millisecond: passing one to a worker takes hundredths. */
export const SLOT_BYTES = 384 * 1024;
const WORD_BYTES = 256 * 1024;
const TEXTS = 8192;
const LINE_BYTES = 256 * 1024;

/** An input in chunks, each of which this thread can look up itself or prepare for a worker. */
export interface ChunkedInput {
  readonly kind: ChunkKind;
  readonly chunks: number;
  /** The results of chunks, if their sizes are known. */
  readonly out: SharedArrayBuffer | null;
  /** Copies a chunk for a worker; null: it has to be looked up here. */
  copy(chunk: number, to: Buffer): { readonly byteLength: number; readonly count: number } | null;
  lookUpHere(chunk: number): void;
}

/** Addresses of one family as words. */
export class WordChunks implements ChunkedInput {
  readonly kind: ChunkKind;
  readonly chunks: number;
  readonly out: SharedArrayBuffer;
  readonly matches: Uint32Array;
  readonly #family: Family;
  readonly #words: Uint32Array;
  readonly #width: number;
  readonly #matcher: Matcher;
  readonly #now: number;

  constructor(family: Family, words: Uint32Array, matcher: Matcher, now: number) {
    this.#family = family;
    this.#words = words;
    this.#matcher = matcher;
    this.#now = now;
    this.#width = family === 4 ? 1 : 4;
    this.kind = { words: family };
    this.chunks = Math.ceil(words.byteLength / WORD_BYTES);
    this.out = new SharedArrayBuffer(words.byteLength / this.#width);
    this.matches = new Uint32Array(this.out);
  }

  copy(chunk: number, to: Buffer): { byteLength: number; count: number } {
    const { buffer, byteOffset, byteLength } = this.#chunk(chunk);
    Buffer.from(buffer, byteOffset, byteLength).copy(to);
    return { byteLength, count: byteLength / (4 * this.#width) };
  }

  lookUpHere(chunk: number): void {
    const words = this.#chunk(chunk);
    const out = this.matches.subarray(firstWord(chunk, this.#family));
    this.#matcher.lookupBatchInto(this.#family, words, out, words.length / this.#width, this.#now);
  }

  #chunk(chunk: number): Uint32Array {
    const from = (chunk * WORD_BYTES) / 4;
    return this.#words.subarray(from, from + WORD_BYTES / 4);
  }
}

/** How many addresses precede a chunk of words. */
export function firstWord(chunk: number, family: Family): number {
  return chunk * (WORD_BYTES / (family === 4 ? 4 : 16));
}

/** Addresses as strings. A malformed one ends the lookup with its error. */
export class TextChunks implements ChunkedInput {
  readonly kind: ChunkKind = { texts: true };
  readonly chunks: number;
  readonly out: SharedArrayBuffer;
  readonly matches: Uint32Array;
  readonly #texts: readonly string[];
  readonly #group: AddressGroup;
  readonly #words = new Uint32Array(4);

  constructor(texts: readonly string[], matcher: Matcher, now: number) {
    this.#texts = texts;
    this.chunks = Math.ceil(texts.length / TEXTS);
    this.out = new SharedArrayBuffer(4 * texts.length);
    this.matches = new Uint32Array(this.out);
    this.#group = new AddressGroup(matcher, this.matches, now);
  }

  /**
   * As lines of UTF-8: a character outside ASCII becomes bytes that are part of no address, an LF in a text makes one
   * text more.
   */
  copy(chunk: number, to: Buffer): { byteLength: number; count: number } | null {
    const texts = this.#texts.slice(firstText(chunk), firstText(chunk + 1));
    for (const text of texts) if (typeof text !== "string") return null;
    const joined = texts.join("\n");
    if (joined.length >= to.length) return null;
    const written = to.write(joined, 0, to.length - 1);
    to[written] = LF;
    return { byteLength: written + 1, count: texts.length };
  }

  /** @throws AddressError, TypeError */
  lookUpHere(chunk: number): void {
    const texts = this.#texts;
    const end = Math.min(firstText(chunk + 1), texts.length);
    for (let at = firstText(chunk); at < end; at++) {
      const text = texts[at]!;
      const family = typeof text === "string" ? parseTextInto(text, this.#words) : -1;
      if (family < 0) this.throwFirst();
      this.#group.add(family, this.#words, at);
    }
    this.#group.flush();
  }

  /** Throws the error of the first malformed text, whichever thread found one, with its `index`. */
  throwFirst(): void {
    for (const [index, text] of this.#texts.entries()) {
      try {
        parseAddressInto(text, this.#words);
      } catch (error) {
        const { message } = error as Error;
        throw Object.assign(error as Error, { index, message: `texts[${index}]: ${message}` });
      }
    }
  }
}

/** How many texts precede a chunk. */
export function firstText(chunk: number): number {
  return chunk * TEXTS;
}

/** Lines of text, cut after line breaks: a chunk has the lines that begin in its range of bytes. */
export class LineChunks implements ChunkedInput {
  readonly kind: ChunkKind = { lines: true };
  readonly chunks: number;
  readonly out = null;
  readonly parts: ChunkMatches[] = [];
  readonly #bytes: Buffer;
  readonly #matcher: Matcher;
  readonly #now: number;

  constructor(bytes: Uint8Array, matcher: Matcher, now: number) {
    this.#bytes = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    this.#matcher = matcher;
    this.#now = now;
    this.chunks = Math.ceil(bytes.length / LINE_BYTES);
  }

  copy(chunk: number, to: Buffer): { byteLength: number; count: number } | null {
    const lines = this.#chunk(chunk);
    return lines.length > to.length ? null : { byteLength: lines.copy(to), count: 0 };
  }

  lookUpHere(chunk: number): void {
    this.parts.push({ chunk, ...this.#matcher.identifyBuffer(this.#chunk(chunk), this.#now) });
  }

  /** The results of all chunks, in order. */
  joined(): BufferMatches {
    const parts = this.parts.toSorted((a, b) => a.chunk - b.chunk);
    const total = { lines: 0, addresses: 0, matched: 0 };
    const matches = new Int32Array(parts.reduce((lines, part) => lines + part.lines, 0));
    for (const part of parts) {
      matches.set(part.matches, total.lines);
      total.lines += part.lines;
      total.addresses += part.addresses;
      total.matched += part.matched;
    }
    return { ...total, matches };
  }

  #chunk(chunk: number): Buffer {
    return this.#bytes.subarray(this.#start(chunk), this.#start(chunk + 1));
  }

  /** The first line that begins at the position or after it. */
  #start(chunk: number): number {
    const position = chunk * LINE_BYTES;
    if (position === 0 || position >= this.#bytes.length) return Math.min(position, this.#bytes.length);
    const end = this.#bytes.indexOf(LF, position - 1);
    return end < 0 ? this.#bytes.length : end + 1;
  }
}
