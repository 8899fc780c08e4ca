import type { Kernel } from "../../../kernel/kernel.ts";
import { type CutRecords, excessStart } from "../../lines/csv-records.ts";
import { withoutCarriageReturn } from "../../lines/end-of-line.ts";
import type { FieldSpec } from "../../lines/fields/field-spec.ts";
import { notAnObject } from "../../lines/json-line.ts";
import type { AddressCounter } from "../address-counter.ts";
import { FieldScan, isScannedField } from "./field-scan.ts";
import type { KernelTemplates } from "./kernel-templates.ts";
import type { LineCounts, LineEngine, Lines, RowSpace } from "../line-engine.ts";
import type { MatchJoiner } from "../match-joiner.ts";
import type { RowTails } from "./row-tails.ts";
import { SLACK } from "../thread-sizes.ts";
import type { TimeCounter } from "../time-counter.ts";
import type { LineShape } from "../../lines/line-shape.ts";

const TAB = 0x09;
const QUOTE = 0x22;
const COMMA = 0x2c;

/** This thread's counters by match id: their address in the memory, and a view of them. */
export interface MatchCounters {
  readonly address: number;
  readonly counts: Float64Array;
}

/**
 * The engine for whole lines of text in the memory of the snapshot: native code does everything except creating
 * templates, counting by address, and reading fields that hold more than an address.
 */
export class KernelEngine implements LineEngine {
  readonly #kernel: Kernel;
  readonly #perMatch: MatchCounters | null;
  /** Those of "append", and of "append-csv" once they are needed; or of another format. */
  readonly #templates: KernelTemplates | null;
  #recordTemplates: KernelTemplates | null = null;
  readonly #makeRecordTemplates: () => KernelTemplates | null;
  /** The ones that the kernel writes with. */
  #current: KernelTemplates | null;
  readonly #counter: AddressCounter | null;
  readonly #joiner: MatchJoiner | null;
  readonly #checksColumns: boolean;
  readonly #tails: RowTails | null;
  /** The field that has the addresses; null: the whole line. */
  #field: FieldScan | null = null;
  /** Whether the lines should be JSON objects. */
  #areObjects = false;
  /** If records should have no more fields than the header: how they are cut, and the number of its columns. */
  #table: { readonly syntax: "csv" | "tsv"; readonly columns: number } | null = null;

  /**
   * `perMatch` and `counter` are null if nothing is counted by them; `templates` are for rows, `recordTemplates` for what
   * is appended to records of CSV. `checksColumns`: records with more fields than the header are reported here.
   */
  constructor(
    kernel: Kernel,
    perMatch: MatchCounters | null,
    templates: KernelTemplates | null,
    recordTemplates: () => KernelTemplates | null,
    counter: AddressCounter | null,
    joiner: MatchJoiner | null,
    checksColumns: boolean,
    tails: RowTails | null = null,
  ) {
    this.#kernel = kernel;
    this.#perMatch = perMatch;
    this.#templates = this.#current = templates;
    this.#makeRecordTemplates = recordTemplates;
    this.#counter = counter;
    this.#joiner = joiner;
    this.#checksColumns = checksColumns;
    this.#tails = tails;
    kernel.useTails(tails !== null);
    if (templates !== null) joiner?.onForget(() => this.#current!.forget());
    kernel.countMatches(perMatch?.address ?? 0);
    kernel.useUnmatched(joiner?.lastUnmatched ?? 0);
  }

  run(lines: Lines, shape: LineShape, rows: RowSpace | null, counts: LineCounts): number {
    const address = lines.address!;
    this.#useField(shape.field, lines);
    this.#areObjects = shape.append === "append-jsonl";
    this.#table =
      shape.columns === 0 || !this.#checksColumns
        ? null
        : { syntax: shape.append === "append-csv" ? "csv" : "tsv", columns: shape.columns };
    if (rows === null) {
      const next =
        this.#counter !== null || this.#joiner !== null || counts.times !== null
          ? this.#countByAddress(lines, counts)
          : this.#countAll(lines, counts);
      return Math.min(next - address, lines.end);
    }
    if (rows.block.buffer !== null) return lines.start;
    this.#useTemplates(shape);
    return Math.min(this.#writeRows(lines, rows, counts) - address, lines.end);
  }

  #useTemplates({ append }: LineShape): void {
    const isRecord = append === "append-csv";
    const wanted = isRecord
      ? ((this.#recordTemplates ??= this.#makeRecordTemplates()) ?? this.#templates)
      : this.#templates;
    if (wanted === this.#current) return;
    this.#current = wanted;
    wanted!.resume();
  }

  /** Whether each line has as many columns as the header or, without one, more than one: what is appended is a column. */
  haveColumns({ bytes, address, start, end }: Lines, { append, columns }: LineShape): boolean {
    const isCsv = append === "append-csv";
    const isQuoted = isCsv && bytes.subarray(start, end).includes(QUOTE);
    return this.#kernel.haveColumns(address! + start, address! + end, isCsv ? COMMA : TAB, columns, isQuoted);
  }

  #useField(field: FieldSpec | null, lines: Lines): void {
    if (field === null || !isScannedField(field)) this.#field = null;
    else if (JSON.stringify(this.#field?.field) !== JSON.stringify(field))
      this.#field = new FieldScan(this.#kernel, field);
    this.#field?.prepare(lines);
  }

  /**
   * Scans a chunk of the lines from the address `at` on, and returns the address of the line after it: `at` if the line
   * there must be left to the other engine.
   */
  #scan(at: number, end: number, lines: Lines): number {
    return this.#field === null ? this.#kernel.scanChunk(at, end) : this.#field.scan(at, end, lines);
  }

  /** As the other loops below, returns the address of the first line that was not processed. */
  #countAll(lines: Lines, counts: LineCounts): number {
    const kernel = this.#kernel;
    const end = lines.address! + lines.end;
    let at = lines.address! + lines.start;
    if (this.#field === null && !this.#areObjects && this.#table === null) {
      add(counts, kernel.countLines(at, end));
      return end;
    }
    for (let next: number; at < end; at = next) {
      if (this.#field === null && this.#areObjects) {
        next = kernel.countObjects(at, end);
        const taken = kernel.takeCounts();
        counts.textLines += taken.lines - kernel.chunkLines;
        this.#reportMalformed(kernel.chunkLines, lines, counts);
        counts.textLines -= taken.lines - kernel.chunkLines;
        add(counts, taken);
        continue;
      }
      if ((next = this.#scan(at, end, lines)) === at) return at;
      kernel.countChunk();
      this.#reportMalformed(kernel.chunkLines, lines, counts);
      add(counts, kernel.takeCounts());
    }
    return at;
  }

  /** Reports the malformed lines, of the first so many of the chunk. */
  #reportMalformed(written: number, lines: Lines, counts: LineCounts): void {
    this.#reportRecords(written, lines, counts);
    if (!this.#areObjects) return;
    const { bytes, address } = lines;
    const { lineStarts } = this.#kernel;
    for (const line of this.#kernel.irregularObjects(written)) {
      const start = lineStarts[line]! - address!;
      const at = notAnObject(bytes, start, lineStarts[line + 1]! - 1 - address!);
      if (at >= 0) counts.addMalformed(counts.textLines + line, at - start + 1, "not-an-object");
    }
  }

  /** Reports records with text behind a closing quote, or with more fields than the header. */
  #reportRecords(written: number, lines: Lines, counts: LineCounts): void {
    const broken = new Map(this.#field?.broken.map(({ line, column }) => [line, column]));
    if (broken.size === 0 && !this.#mayExceed(written, lines)) return;
    const { lineStarts } = this.#kernel;
    for (let line = 0; line < written; line++) {
      const column = broken.get(line);
      if (column !== undefined) counts.addMalformed(counts.textLines + line, column, "text-after-quotes");
      else if (this.#table !== null) {
        const start = lineStarts[line]! - lines.address!;
        const end = withoutCarriageReturn(lines.bytes, start, lineStarts[line + 1]! - 1 - lines.address!);
        const excess = excessStart(lines.bytes, start, end, this.#table.columns, this.#table.syntax);
        if (excess >= 0) counts.addMalformed(counts.textLines + line, excess - start + 1, "too-many-fields");
      }
    }
  }

  /** Whether not all of the first lines of the chunk have as many fields as the header. */
  #mayExceed(written: number, { bytes, address }: Lines): boolean {
    if (this.#table === null || written === 0) return false;
    const { lineStarts } = this.#kernel;
    const [start, end] = [lineStarts[0]!, lineStarts[written]!];
    const isCsv = this.#table.syntax === "csv";
    const isQuoted = isCsv && bytes.subarray(start - address!, end - address!).includes(QUOTE);
    return !this.#kernel.haveColumns(start, end, isCsv ? COMMA : TAB, this.#table.columns, isQuoted);
  }

  /** The number of LFs in `bytes[start, end)`. */
  countNewlines({ address, start, end }: Lines): number {
    return this.#kernel.countNewlines(address! + start, address! + end);
  }

  /** As `Kernel.cutRecords`. */
  cutRecords(at: number, end: number, state: number): CutRecords {
    return this.#kernel.cutRecords(at, end, state);
  }

  /** Stops where a row does not fit, or its template is too long. */
  #writeRows(lines: Lines, rows: RowSpace, counts: LineCounts): number {
    const kernel = this.#kernel;
    const end = lines.address! + lines.end;
    let at = lines.address! + lines.start;
    const rowsAt = rows.block.at;
    const rowsEnd = rowsAt + rows.block.byteLength - SLACK;
    let number = lines.firstLine;
    while (at < end) {
      const next = this.#scan(at, end, lines);
      if (next === at) return at;
      kernel.lookupChunk();
      this.#joiner?.joinChunk(kernel);
      if (this.#tails?.find(kernel) === false) return at;
      if (!this.#current!.complete()) return at;
      kernel.numberLines(number);
      rows.filled = kernel.writeRows(rowsAt + rows.filled, rowsEnd) - rowsAt;
      const written = kernel.writtenLines;
      this.#reportMalformed(written, lines, counts);
      add(counts, kernel.takeCounts());
      if (counts.times !== null) this.#addTimes(written, lines, counts.times);
      if (this.#counter !== null) this.#addAddresses(written);
      if (written < kernel.chunkLines) return kernel.lineStarts[written]!;
      number += written;
      at = next;
    }
    return at;
  }

  /** Counting without rows, if addresses are counted as well, or their matches in several snapshots. */
  #countByAddress(lines: Lines, counts: LineCounts): number {
    const kernel = this.#kernel;
    const perMatch = this.#perMatch?.counts;
    const lastUnmatched = this.#joiner?.lastUnmatched ?? 0;
    const end = lines.address! + lines.end;
    let at = lines.address! + lines.start;
    for (let next: number; at < end && (next = this.#scan(at, end, lines)) > at; at = next) {
      kernel.lookupChunk();
      this.#joiner?.joinChunk(kernel);
      const { chunkLines } = kernel;
      if (this.#counter !== null) this.#addAddresses(chunkLines);
      for (let line = 0; line < chunkLines; line++) {
        const match = kernel.matches[line]!;
        if (match < 0) continue;
        counts.addresses++;
        if (match > lastUnmatched) counts.matched++;
        if (perMatch !== undefined) perMatch[match]!++;
      }
      if (counts.times !== null) this.#addTimes(chunkLines, lines, counts.times);
      this.#reportMalformed(chunkLines, lines, counts);
      counts.lines += chunkLines;
      counts.textLines += chunkLines;
    }
    return at;
  }

  /** Counts the first lines of the chunk by their times. */
  #addTimes(written: number, { bytes, address }: Lines, times: TimeCounter): void {
    const { lineStarts, matches } = this.#kernel;
    const lastUnmatched = this.#joiner?.lastUnmatched ?? 0;
    for (let line = 0; line < written; line++) {
      const count = times.countOf(bytes, lineStarts[line]! - address!, lineStarts[line + 1]! - 1 - address!);
      if (matches[line]! >= 0) count.addresses++;
      if (matches[line]! > lastUnmatched) count.matched++;
    }
  }

  /** Counts the addresses of the first lines of the chunk. */
  #addAddresses(lines: number): void {
    const { words4, lines4, count4, words6, lines6, count6, chunkLines } = this.#kernel;
    const counter = this.#counter!;
    if (lines === chunkLines) {
      counter.addAll(4, words4, count4);
      counter.addAll(6, words6, count6);
      return;
    }
    for (let index = 0; index < count4; index++) if (lines4[index]! < lines) counter.add(4, words4, index);
    for (let index = 0; index < count6; index++) if (lines6[index]! < lines) counter.add(6, words6, 4 * index);
  }
}

function add(
  counts: LineCounts,
  more: { readonly lines: number; readonly addresses: number; readonly matched: number },
): void {
  counts.lines += more.lines;
  counts.textLines += more.lines;
  counts.addresses += more.addresses;
  counts.matched += more.matched;
}
