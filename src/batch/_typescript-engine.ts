import type { Family } from "../address/address.ts";
import type { PrefixTable } from "../table/prefix-table.ts";
import { endOfLine } from "./_end-of-line.ts";
import type { LineCounts, LineEngine, Lines, RowSpace } from "./_line-engine.ts";
import type { RowWriter } from "./_row-writer.ts";
import type { FieldSpan, FieldSpec, LocateField } from "./fields/field-spec.ts";
import { locateField } from "./fields/locate-field.ts";
import { createFound, findAddress, NO_ADDRESS, STOP } from "./find-address.ts";
import type { RowSelection } from "./identify.ts";

const LF = 0x0a;
const CR = 0x0d;

/** Addresses looked up together when only counting; they and their matches stay in the first-level cache. */
const GATHERED = 512;

/** The engine that takes every line, in memory of any kind, and cuts fields: the reference for the kernel's. */
export class TypeScriptEngine implements LineEngine {
  readonly #table: PrefixTable;
  readonly #selection: RowSelection;
  readonly #writer: RowWriter | null;
  readonly #perMatch: Float64Array | null;
  readonly #found = createFound();
  readonly #span: FieldSpan = { bytes: Buffer.alloc(0), start: 0, end: 0 };
  readonly #gathered4 = new Uint32Array(GATHERED);
  readonly #gathered6 = new Uint32Array(GATHERED * 4);
  readonly #matches = new Uint32Array(GATHERED);
  #fieldSpec: FieldSpec | null = null;
  #locate: LocateField | null = null;
  #counts: LineCounts = { lines: 0, addresses: 0, matched: 0 };

  /** `writer` is for rows, `perMatch` counts lines by match id; both may be missing. */
  constructor(table: PrefixTable, selection: RowSelection, writer: RowWriter | null, perMatch: Float64Array | null) {
    this.#table = table;
    this.#selection = selection;
    this.#writer = writer;
    this.#perMatch = perMatch;
  }

  run(lines: Lines, field: FieldSpec | null, rows: RowSpace | null, counts: LineCounts): number {
    this.#counts = counts;
    this.#useField(field);
    if (rows !== null) return this.#writeRows(this.#writer!.into(rows), lines.bytes, lines.start, lines.end);
    this.#count(lines.bytes, lines.start, lines.end);
    return lines.end;
  }

  #useField(spec: FieldSpec | null): void {
    if (spec === this.#fieldSpec || (spec !== null && JSON.stringify(spec) === JSON.stringify(this.#fieldSpec))) return;
    this.#fieldSpec = spec;
    this.#locate = spec === null ? null : locateField(spec);
  }

  /** The loop without rows: addresses are gathered and looked up together, so that their cache misses overlap. */
  #count(bytes: Buffer, start: number, end: number): void {
    const found = this.#found;
    const gathered4 = this.#gathered4;
    const gathered6 = this.#gathered6;
    let lines = 0;
    let waiting4 = 0;
    let waiting6 = 0;
    for (let at = start; at < end; ) {
      const family = this.#findInLine(bytes, at, end);
      const lineEnd = found[STOP]!;
      lines++;
      at = lineEnd + 1;
      if (family === 4) {
        gathered4[waiting4++] = found[0]!;
        if (waiting4 === GATHERED) {
          this.#countGathered(4, gathered4, waiting4);
          waiting4 = 0;
        }
      } else if (family === 6) {
        for (let word = 0; word < 4; word++) gathered6[waiting6++] = found[word]!;
        if (waiting6 === gathered6.length) {
          this.#countGathered(6, gathered6, GATHERED);
          waiting6 = 0;
        }
      }
    }
    this.#countGathered(4, gathered4, waiting4);
    this.#countGathered(6, gathered6, waiting6 / 4);
    this.#counts.lines += lines;
  }

  #countGathered(family: Family, words: Uint32Array, count: number): void {
    const matches = this.#matches;
    const perMatch = this.#perMatch;
    this.#table.lookupBatchInto(family, words, matches, count);
    let unmatched = 0;
    for (let index = 0; index < count; index++) {
      const match = matches[index]!;
      if (match === 0) unmatched++;
      if (perMatch !== null) perMatch[match]!++;
    }
    this.#counts.addresses += count;
    this.#counts.matched += count - unmatched;
  }

  /** Counts a line with an address. */
  #countMatch(match: number): void {
    this.#counts.addresses++;
    if (match !== 0) this.#counts.matched++;
    if (this.#perMatch !== null) this.#perMatch[match]!++;
  }

  /**
   * The loop with rows. Returns where it stopped: `end`, or the first line whose row does not fit any more (a first row that
   * does not fit gets a buffer of its size). A line is counted when its row is written.
   */
  #writeRows(rows: RowWriter, bytes: Buffer, start: number, end: number): number {
    const table = this.#table;
    const found = this.#found;
    const selection = this.#selection;
    for (let at = start; at < end; ) {
      const family = this.#findInLine(bytes, at, end);
      const lineEnd = found[STOP]!;
      let match = NO_ADDRESS;
      if (family === 4) match = table.lookup4(found[0]!);
      else if (family === 6) match = table.lookup6(found[0]!, found[1]!, found[2]!, found[3]!);

      if (selection === "all" || (selection === "matched") === match > 0) {
        const textEnd = withoutCarriageReturn(bytes, at, lineEnd);
        if (!rows.reserve(match, textEnd - at)) return at;
        rows.write(family, found, bytes, at, textEnd);
      }
      this.#counts.lines++;
      at = lineEnd + 1;
      if (match !== NO_ADDRESS) this.#countMatch(match);
    }
    return end;
  }

  /** The family of the address of the line at `at`, its words in `#found`, and the position of the line's LF in `#found[STOP]`. */
  #findInLine(bytes: Buffer, at: number, end: number): 0 | 4 | 6 {
    const found = this.#found;
    if (this.#locate === null) {
      const family = findAddress(bytes, at, end, found);
      const stop = found[STOP]!;
      if (bytes[stop] !== LF) found[STOP] = endOfLine(bytes, stop);
      return family;
    }
    const lineEnd = endOfLine(bytes, at);
    const family = this.#findInField(this.#locate, bytes, at, lineEnd);
    found[STOP] = lineEnd;
    return family;
  }

  #findInField(locate: LocateField, bytes: Buffer, start: number, lineEnd: number): 0 | 4 | 6 {
    const span = this.#span;
    if (!locate(bytes, start, withoutCarriageReturn(bytes, start, lineEnd), span)) return 0;
    return findAddress(span.bytes, span.start, span.end, this.#found);
  }
}

function withoutCarriageReturn(bytes: Buffer, start: number, lineEnd: number): number {
  return lineEnd > start && bytes[lineEnd - 1] === CR ? lineEnd - 1 : lineEnd;
}
