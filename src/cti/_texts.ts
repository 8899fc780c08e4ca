import { badDocument } from "./_bytes.ts";
import type { CtiError } from "./cti-error.ts";
import { type BlobTable, BlobWriter, type StoredBlobs } from "./_blobs.ts";

/** What the text numbers in documents stand for. */
export interface Texts {
  textAt(number: number): string;
}

/** The texts of all documents, each once: documents refer to them by number, from 0. */
export class TextPool implements Texts {
  readonly #numbers = new Map<string, number>();
  readonly #texts: string[] = [];

  numberOf(text: string): number {
    const known = this.#numbers.get(text);
    if (known !== undefined) return known;
    this.#numbers.set(text, this.#texts.length);
    return this.#texts.push(text) - 1;
  }

  textAt(number: number): string {
    return this.#texts[number]!;
  }

  stored(): StoredBlobs {
    const encoder = new TextEncoder();
    const blobs = new BlobWriter();
    for (const text of this.#texts) blobs.append(encoder.encode(text));
    return blobs.stored();
  }
}

/** Decoded texts that are cached: decoding one takes half a microsecond, and documents share most of theirs. */
const MAX_KEPT = 1 << 16;

/** The same, read from a file. */
export class TextTable implements Texts {
  readonly #blobs: BlobTable;
  readonly #kept = new Map<number, string>();
  readonly #decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

  constructor(blobs: BlobTable) {
    this.#blobs = blobs;
  }

  /** @throws CtiError "bad-document", "bad-metadata" */
  textAt(number: number): string {
    const kept = this.#kept.get(number);
    if (kept !== undefined) return kept;
    const text = this.#decode(number);
    if (this.#kept.size === MAX_KEPT) this.#kept.clear();
    this.#kept.set(number, text);
    return text;
  }

  /** How many there are. */
  get count(): number {
    return this.#blobs.count;
  }

  /** The bytes of all texts, in UTF-8. */
  get bytes(): Uint8Array {
    return this.#blobs.bytes;
  }

  /** Where a text begins in the bytes. */
  startOf(number: number): number {
    return this.#blobs.startOf(number);
  }

  /** Where it ends. @throws CtiError "bad-document", "bad-metadata" */
  endOf(number: number): number {
    if (number >= this.#blobs.count) throw this.#unknown(number);
    return this.#blobs.endOf(number);
  }

  #decode(number: number): string {
    if (number >= this.#blobs.count) throw this.#unknown(number);
    const bytes = this.#blobs.at(number);
    try {
      return this.#decoder.decode(bytes);
    } catch {
      throw badDocument(`text ${number} is not UTF-8`);
    }
  }
  #unknown(number: number): CtiError {
    return badDocument(`it names text ${number} of ${this.#blobs.count}`);
  }
}
