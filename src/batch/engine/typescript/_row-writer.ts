import type { Family } from "../../../address/address.ts";
import { formatAddressInto } from "../../../address/format-address.ts";
import { ADDRESS_HOLE, LINE_HOLE, OWN_PREFIX_HOLE, TEXT_HOLE } from "../../../rows/holes.ts";
import type { JsonText } from "./_json-text.ts";
import type { RowSpace } from "../line-engine.ts";
import type { RowTemplates } from "../row-templates.ts";
import { TemplateCache } from "./_template-cache.ts";
import type { TemplateFormat } from "../../../rows/row-format.ts";
import type { MatchId } from "../../../table/match-id.ts";
import type { PrefixTable } from "../../../table/prefix-table.ts";

const SLASH = 0x2f;
const ZERO = 0x30;
/** Below this length, a copying loop is faster than a native call. */
const NATIVE_COPY_FROM = 48;

/**
 * Writes rows into a buffer by copying the bytes that depend on the match and filling in those that depend on the line.
 * Call `reserve` before writing; nothing is allocated per row.
 */
export class RowWriter {
  /** Fills the holes for line numbers. */
  lineNumber = 0;
  text: JsonText | null = null;
  #rows: RowSpace = {
    block: { buffer: new SharedArrayBuffer(0), at: 0, byteLength: 0 },
    bytes: Buffer.alloc(0),
    filled: 0,
  };
  readonly #table: PrefixTable;
  readonly #matchCount: number;
  readonly #makeTemplates: RowTemplates;
  readonly #templateBytes: number;
  readonly #caches = new Map<TemplateFormat, TemplateCache>();
  /** Of the current format. */
  #templates!: TemplateCache;
  #template = 0;
  #match = 0;
  readonly #masked = new Uint32Array(4);

  /** When templates take more than `templateBytes`, all are forgotten. */
  constructor(table: PrefixTable, matchCount: number, templates: RowTemplates, templateBytes: number) {
    this.#table = table;
    this.#matchCount = matchCount;
    this.#templateBytes = templateBytes;
    this.#makeTemplates = templates;
  }

  /** Continues in this buffer with templates of this format, and returns the writer. */
  into(rows: RowSpace, format: TemplateFormat): this {
    this.#rows = rows;
    this.#templates = this.#caches.get(format) ?? this.#newCache(format);
    return this;
  }

  /** Forgets all templates: match ids have a new meaning from now on. */
  forget(): void {
    for (const cache of this.#caches.values()) cache.clear();
  }

  #newCache(format: TemplateFormat): TemplateCache {
    const cache = new TemplateCache(this.#makeTemplates(format), this.#matchCount, this.#templateBytes);
    this.#caches.set(format, cache);
    return cache;
  }

  /**
   * Prepares a row with the template of a match id (-1: no address) and this many other bytes. Returns false if it may
   * not fit after the existing rows; a first row that may not fit gets a buffer of its size.
   */
  reserve(match: number, otherBytes: number): boolean {
    this.#match = match;
    this.#template = this.#templates.find(match);
    const most = this.#templates.cuts[this.#template]! + otherBytes;
    const rows = this.#rows;
    if (rows.filled + most <= rows.bytes.length) return true;
    if (rows.filled > 0) return false;
    rows.block = { buffer: new SharedArrayBuffer(most), at: 0, byteLength: most };
    rows.bytes = Buffer.from(rows.block.buffer!);
    return true;
  }

  /** Writes bytes unchanged. */
  copy(bytes: Buffer, start: number, end: number): void {
    this.#rows.filled = copy(bytes, start, end, this.#rows.bytes, this.#rows.filled);
  }

  byte(byte: number): void {
    this.#rows.bytes[this.#rows.filled++] = byte;
  }

  jsonText(text: JsonText): void {
    this.#rows.filled = text.writeTo(this.#rows.bytes, this.#rows.filled);
  }

  /** Writes the template, filled in for an address. */
  fill(family: Family | 0, words: Uint32Array): void {
    const out = this.#rows.bytes;
    const parts = this.#templates.bytes;
    const cuts = this.#templates.cuts;
    let at = this.#rows.filled;
    let cut = this.#template + 2;
    let from = cuts[cut++]!;
    for (let holes = cuts[this.#template + 1]!; holes > 0; holes--) {
      const to = cuts[cut++]!;
      const hole = cuts[cut++]!;
      at = copy(parts, from, to, out, at);
      at =
        hole === ADDRESS_HOLE
          ? formatAddressInto(family as Family, words, out, at)
          : this.#fillHole(family as Family, words, hole, at);
      from = to;
    }
    this.#rows.filled = copy(parts, from, cuts[cut]!, out, at);
  }

  #fillHole(family: Family, words: Uint32Array, hole: number, at: number): number {
    if (hole === LINE_HOLE) return writeNumber(this.#rows.bytes, at, this.lineNumber);
    if (hole === TEXT_HOLE) return this.text!.writeTo(this.#rows.bytes, at);
    const length = hole === OWN_PREFIX_HOLE ? this.#table.prefixLength(this.#match as MatchId) : hole;
    return this.#writePrefix(family, words, length, at);
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
    return writeNumber(out, at, length);
  }
}

function writeNumber(out: Buffer, at: number, value: number): number {
  let end = at + 1;
  for (let most = 10; value >= most; most *= 10) end++;
  for (let digit = end - 1; digit >= at; digit--) {
    const rest = Math.floor(value / 10);
    out[digit] = ZERO + value - 10 * rest;
    value = rest;
  }
  return end;
}

/** Copies `from[start, end)` to `to[at]` and returns the position after it. */
function copy(from: Buffer, start: number, end: number, to: Buffer, at: number): number {
  if (end - start >= NATIVE_COPY_FROM) return at + from.copy(to, at, start, end);
  while (start < end) to[at++] = from[start++]!;
  return at;
}
