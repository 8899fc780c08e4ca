import type { Family } from "../address/address.ts";
import { formatAddressInto } from "../address/format-address.ts";
import { ADDRESS_HOLE } from "../kernel/workspace.ts";
import { TemplateCache } from "./_template-cache.ts";
import type { RowFormat } from "./identify.ts";
import type { RowSpace } from "./_line-engine.ts";

const LF = 0x0a;
const SLASH = 0x2f;
/** Below this, a copy by hand is faster than the call of a native one. */
const NATIVE_COPY_FROM = 48;

/** The row of a line without an address: empty columns. */
export const NO_ADDRESS_ROWS: Record<RowFormat, string> = {
  tsv: "\t\t\n",
  csv: ",,\n",
  jsonl:
    '{"ip":null,"found":false,"cidr":null,"labels":[],"cbs_ids":[],"providers":[],"types":[],"services":[],"regions":[],"matches":[]}\n',
  append: "\t",
};

/**
 * Writes rows into a buffer by copying the bytes that the match decides and filling in what the address decides.
 * `reserve` before `write`; nothing is allocated per row.
 */
export class RowWriter {
  #rows: RowSpace = { place: { buffer: new SharedArrayBuffer(0), at: 0, byteLength: 0 }, bytes: Buffer.alloc(0), filled: 0 };
  readonly #appends: boolean;
  /** Key 0 is a line without an address, key n + 1 is match id n. */
  readonly #templates: TemplateCache;
  #template = 0;
  readonly #masked = new Uint32Array(4);

  constructor(format: RowFormat, matchCount: number, templates: (match: number) => Uint8Array) {
    this.#appends = format === "append";
    const noAddress = Buffer.from(NO_ADDRESS_ROWS[format]);
    this.#templates = new TemplateCache(matchCount + 2, (key) => (key === 0 ? noAddress : templates(key - 1)));
  }

  /** Goes on in this place, and returns the writer. */
  into(rows: RowSpace): this {
    this.#rows = rows;
    return this;
  }

  /**
   * Prepares the row of a match id (-1: no address) for a line of so many bytes. Returns false if it may not fit behind the
   * rows there are; a first row that may not fit gets a buffer of its size.
   */
  reserve(match: number, lineBytes: number): boolean {
    this.#template = this.#templates.find(match + 1);
    const most = this.#templates.cuts[this.#template]! + (this.#appends ? lineBytes + 1 : 0);
    const rows = this.#rows;
    if (rows.filled + most <= rows.bytes.length) return true;
    if (rows.filled > 0) return false;
    rows.place = { buffer: new SharedArrayBuffer(most), at: 0, byteLength: most };
    rows.bytes = Buffer.from(rows.place.buffer!);
    return true;
  }

  /** Writes the reserved row for the line `bytes[start, end)` and its address. */
  write(family: Family | 0, words: Uint32Array, bytes: Buffer, start: number, end: number): void {
    const out = this.#rows.bytes;
    const parts = this.#templates.bytes;
    const cuts = this.#templates.cuts;
    let at = this.#appends ? copy(bytes, start, end, out, this.#rows.filled) : this.#rows.filled;
    let cut = this.#template + 2;
    let from = cuts[cut++]!;
    for (let holes = cuts[this.#template + 1]!; holes > 0; holes--) {
      const to = cuts[cut++]!;
      const hole = cuts[cut++]!;
      at = copy(parts, from, to, out, at);
      at = hole === ADDRESS_HOLE ? formatAddressInto(family as Family, words, out, at) : this.#writePrefix(family as Family, words, hole, at);
      from = to;
    }
    at = copy(parts, from, cuts[cut]!, out, at);
    if (this.#appends) out[at++] = LF;
    this.#rows.filled = at;
  }

  #writePrefix(family: Family, words: Uint32Array, length: number, at: number): number {
    const out = this.#rows.bytes;
    const masked = this.#masked;
    if (family === 4) {
      masked[0] = length === 0 ? 0 : words[0]! & (-1 << (32 - length));
      at = formatAddressInto(4, masked, out, at);
      if (length === 32) return at;
    } else {
      for (let word = 0; word < 4; word++) {
        const bits = length - 32 * word;
        masked[word] = bits >= 32 ? words[word]! : bits <= 0 ? 0 : words[word]! & (-1 << (32 - bits));
      }
      at = formatAddressInto(6, masked, out, at);
      if (length === 128) return at;
    }
    out[at++] = SLASH;
    if (length > 99) out[at++] = 0x31;
    if (length > 9) out[at++] = 0x30 + (Math.trunc(length / 10) % 10);
    out[at++] = 0x30 + (length % 10);
    return at;
  }
}

/** Copies `from[start, end)` to `to[at]` and returns the position behind it. */
function copy(from: Buffer, start: number, end: number, to: Buffer, at: number): number {
  if (end - start >= NATIVE_COPY_FROM) return at + from.copy(to, at, start, end);
  while (start < end) to[at++] = from[start++]!;
  return at;
}
