import type { Family } from "../../../address/address.ts";
import type { PrefixTable } from "../../../table/prefix-table.ts";
import type { AddressCounter } from "../address-counter.ts";
import { AppendRows } from "./_append-rows.ts";
import { endOfRecord, excessStart, textAfterQuotes } from "../../lines/csv-records.ts";
import { endOfLine, withoutCarriageReturn } from "../../lines/end-of-line.ts";
import { endOfObject, hasPairs, notAnObject } from "../../lines/json-line.ts";
import { JsonText } from "./_json-text.ts";
import { LineCounts, type LineEngine, type Lines, type RowSpace } from "../line-engine.ts";
import type { MatchJoiner } from "../match-joiner.ts";
import { RowWriter } from "./_row-writer.ts";
import type { RowTemplates } from "../row-templates.ts";
import type { TimeCount } from "../time-counter.ts";
import { fieldAddress } from "../../lines/fields/field-address.ts";
import type { FieldSpan, LocateField } from "../../lines/fields/field-spec.ts";
import { locateField } from "../../lines/fields/locate-field.ts";
import { createFound, endOfToken, findAddress, findNextAddress, NO_ADDRESS, STOP } from "../../lines/find-address.ts";
import type { RowFormat } from "../../../rows/row-format.ts";
import { type LineShape, TEXT_LINES } from "../../lines/line-shape.ts";
import type { ShardWork } from "../messages.ts";
import { isPublicAddress } from "../../lines/public-address.ts";

const LF = 0x0a;

/** Addresses looked up together when only counting; they and their matches stay in the first-level cache. */
const GATHERED = 512;

/** The engine for every kind of line, in any memory, with fields: the reference for the kernel's. */
export class TypeScriptEngine implements LineEngine {
  readonly #table: PrefixTable;
  readonly #active: Uint32Array | null;
  readonly #work: ShardWork;
  readonly #writer: RowWriter | null;
  readonly #appends: AppendRows | null;
  readonly #perMatch: Float64Array | null;
  readonly #counter: AddressCounter | null;
  readonly #joiner: MatchJoiner | null;
  /** Ids up to this are of lines without a match. */
  readonly #lastUnmatched: number;
  readonly #one = new Uint32Array(1);
  readonly #found = createFound();
  readonly #span: FieldSpan = { bytes: Buffer.alloc(0), start: 0, end: 0 };
  readonly #gathered4 = new Uint32Array(GATHERED);
  readonly #gathered6 = new Uint32Array(GATHERED * 4);
  readonly #matches = new Uint32Array(GATHERED);
  /** The counts of the lines of the gathered addresses, if lines are counted by their times. */
  readonly #times4: TimeCount[] = [];
  readonly #times6: TimeCount[] = [];
  readonly #lastFound = createFound();
  #shape = TEXT_LINES;
  #locate: LocateField | null = null;
  /** Lines end with LF and their first address counts, as in most runs. */
  #isSimple = false;
  /** Whether lines should be JSON objects; whether there may be several on a line; where the next line or object is. */
  #areObjects = false;
  #hasPairs = false;
  #next = 0;
  /** The most fields that a record may have; 0: any number. */
  #columns = 0;
  /** Where a record of CSV has text behind a closing quote; -1: nowhere. */
  #broken = -1;
  #counts = new LineCounts();

  /**
   * `active` is the match that decides instead of each match (`ActiveMatches`), null if each decides itself.
   * `templates` are for rows, `perMatch` counts lines by match id, `counter` by address, `joiner` looks up in further
   * snapshots; each may be missing.
   */
  constructor(
    table: PrefixTable,
    active: Uint32Array | null,
    work: ShardWork,
    templates: RowTemplates | null,
    perMatch: Float64Array | null,
    counter: AddressCounter | null,
    joiner: MatchJoiner | null,
  ) {
    this.#table = table;
    this.#active = active;
    this.#work = work;
    const maxId = joiner?.maxId ?? table.matchCount;
    this.#writer = templates && new RowWriter(table, maxId, templates, work.templateBytes);
    this.#joiner = joiner;
    this.#lastUnmatched = joiner?.lastUnmatched ?? 0;
    joiner?.onForget(() => this.#writer?.forget());
    this.#appends = this.#writer && new AppendRows(this.#writer, work.appendAs);
    this.#perMatch = perMatch;
    this.#counter = counter;
  }

  run(lines: Lines, shape: LineShape, rows: RowSpace | null, counts: LineCounts): number {
    this.#counts = counts;
    this.#hasPairs = shape.field?.syntax === "jsonl" && hasPairs(lines.bytes, lines.start, lines.end);
    this.#useShape(shape);
    if (rows !== null) {
      const format =
        this.#work.format === "append" ? shape.append : (this.#work.format as Exclude<RowFormat, "append">);
      return this.#writeRows(this.#writer!.into(rows, format), lines);
    }
    this.#count(lines.bytes, lines.start, lines.end);
    return lines.end;
  }

  #useShape(shape: LineShape): void {
    // "append" reports lines that are no objects, and records that are too long, by itself.
    const isAppend = this.#work.format === "append";
    this.#areObjects = shape.append === "append-jsonl" && !isAppend;
    this.#columns = isAppend ? 0 : shape.columns;
    const isPlain = shape.records === "lines" && !this.#areObjects && !this.#hasPairs && this.#columns === 0;
    this.#isSimple = shape.field === null && isPlain && this.#work.address === "first";
    const { field } = shape;
    const known = this.#shape.field;
    this.#shape = shape;
    if (field === known || (field !== null && JSON.stringify(field) === JSON.stringify(known))) return;
    this.#locate = field === null ? null : locateField(field);
  }

  /** The loop without rows: addresses are gathered and looked up together, so that their cache misses overlap. */
  #count(bytes: Buffer, start: number, end: number): void {
    const found = this.#found;
    const gathered4 = this.#gathered4;
    const gathered6 = this.#gathered6;
    const [times4, times6] = [this.#times4, this.#times6];
    let lines = 0;
    let waiting4 = 0;
    let waiting6 = 0;
    const { textLines, times } = this.#counts;
    for (let at = start; at < end;) {
      const family = this.#findInLine(bytes, at, end);
      const lineEnd = found[STOP]!;
      if (!this.#isSimple) this.#checkRecord(bytes, at, lineEnd);
      lines++;
      const time = times?.countOf(bytes, at, lineEnd);
      at = this.#nextAfter(lineEnd);
      if (family === 4) {
        if (time !== undefined) times4[waiting4] = time;
        gathered4[waiting4++] = found[0]!;
        if (waiting4 === GATHERED) {
          this.#countGathered(4, gathered4, waiting4);
          waiting4 = 0;
        }
      } else if (family === 6) {
        if (time !== undefined) times6[waiting6 / 4] = time;
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
    if (this.#isSimple) this.#counts.textLines = textLines + lines;
  }

  #countGathered(family: Family, words: Uint32Array, count: number): void {
    const matches = this.#matches;
    const perMatch = this.#perMatch;
    const counter = this.#counter;
    this.#table.lookupBatchInto(family, words, matches, count);
    const active = this.#active;
    if (active !== null) for (let index = 0; index < count; index++) matches[index] = active[matches[index]!]!;
    this.#joiner?.join(family, words, matches, count);
    let unmatched = 0;
    for (let index = 0; index < count; index++) {
      const match = matches[index]!;
      if (match <= this.#lastUnmatched) unmatched++;
      if (perMatch !== null) perMatch[match]!++;
      if (counter !== null) counter.add(family, words, family === 4 ? index : 4 * index);
    }
    if (this.#counts.times !== null)
      for (let index = 0; index < count; index++)
        this.#addTo((family === 4 ? this.#times4 : this.#times6)[index]!, matches[index]!);
    this.#counts.addresses += count;
    this.#counts.matched += count - unmatched;
  }

  #addTo(count: TimeCount, match: number): void {
    count.addresses++;
    if (match > this.#lastUnmatched) count.matched++;
  }

  /** Counts a line with an address. */
  #countMatch(match: number, family: Family, time: TimeCount | undefined): void {
    if (time !== undefined) this.#addTo(time, match);
    this.#counts.addresses++;
    if (match > this.#lastUnmatched) this.#counts.matched++;
    if (this.#perMatch !== null) this.#perMatch[match]!++;
    if (this.#counter !== null) this.#counter.add(family, this.#found, 0);
  }

  /**
   * The loop with rows. Returns where it stopped: `end`, or the first line whose row does not fit (a first row that
   * does not fit gets a buffer of its size) or must not be written. A line is counted when its row is written.
   */
  #writeRows(rows: RowWriter, { bytes, start, end, firstLine }: Lines): number {
    const table = this.#table;
    const active = this.#active;
    const found = this.#found;
    const counts = this.#counts;
    const selection = this.#work.rows;
    for (let at = start; at < end;) {
      const family = this.#findInLine(bytes, at, end);
      const lineEnd = found[STOP]!;
      let match: number = NO_ADDRESS;
      if (family === 4) match = table.lookup4(found[0]!);
      else if (family === 6) match = table.lookup6(found[0]!, found[1]!, found[2]!, found[3]!);
      if (active !== null && match > 0) match = active[match]!;
      if (this.#joiner !== null && family !== 0) match = this.#join(this.#joiner, family, match);

      if (selection === "all" || (selection === "matched") === match > this.#lastUnmatched) {
        rows.lineNumber = firstLine + counts.textLines;
        if (!this.#writeRow(rows, bytes, at, withoutCarriageReturn(bytes, at, lineEnd), match, family)) return at;
      }
      counts.lines++;
      if (this.#isSimple) counts.textLines++;
      else this.#checkRecord(bytes, at, lineEnd);
      const time = counts.times?.countOf(bytes, at, lineEnd);
      at = this.#nextAfter(lineEnd);
      if (family !== 0) this.#countMatch(match, family, time);
    }
    return end;
  }

  #join(joiner: MatchJoiner, family: Family, match: number): number {
    const one = this.#one;
    one[0] = match;
    joiner.join(family, this.#found, one, 1);
    return one[0];
  }

  /** Whether the row is written. */
  #writeRow(rows: RowWriter, bytes: Buffer, start: number, end: number, match: number, family: 0 | 4 | 6): boolean {
    const words = this.#found;
    if (this.#work.format === "append")
      return this.#appends!.write({ bytes, start, end, match, family, words }, this.#shape, this.#counts);
    if (this.#work.rowText) rows.text = new JsonText(bytes, start, end);
    if (!rows.reserve(match, this.#work.rowText ? rows.text!.length : 0)) return false;
    rows.fill(family, words);
    return true;
  }

  /**
   * The family of the address of the line at `at`, its words in `#found`, and the position of the line's LF in
   * `#found[STOP]`.
   */
  #findInLine(bytes: Buffer, at: number, end: number): 0 | 4 | 6 {
    const found = this.#found;
    if (this.#isSimple) {
      const family = findAddress(bytes, at, end, found);
      const stop = found[STOP]!;
      if (bytes[stop] !== LF) found[STOP] = endOfLine(bytes, stop);
      return family;
    }
    const isCsv = this.#shape.records === "csv";
    let lineEnd = isCsv ? endOfRecord(bytes, at, end) : endOfLine(bytes, at);
    if (this.#hasPairs) lineEnd = this.#endOfObject(bytes, at, lineEnd);
    this.#broken = isCsv ? textAfterQuotes(bytes, at, withoutCarriageReturn(bytes, at, lineEnd)) : -1;
    const family =
      this.#broken >= 0
        ? 0
        : this.#locate === null
          ? this.#findChosen(bytes, at, lineEnd)
          : this.#findInField(this.#locate, bytes, at, lineEnd);
    found[STOP] = lineEnd;
    return family;
  }

  /** The end of the object at `at`, whose line ends at `lineEnd`; the next one begins at `#next`. */
  #endOfObject(bytes: Buffer, at: number, lineEnd: number): number {
    const end = endOfObject(bytes, at, lineEnd);
    this.#next = end < lineEnd ? end : lineEnd + 1;
    return end;
  }

  /** Where the line, record or object after the one that ends here begins. */
  #nextAfter(lineEnd: number): number {
    return this.#hasPairs ? this.#next : lineEnd + 1;
  }

  /** Counts the lines of the record `bytes[at, end)` and reports it if it is malformed. */
  #checkRecord(bytes: Buffer, at: number, end: number): void {
    const counts = this.#counts;
    if (this.#areObjects) {
      const stop = notAnObject(bytes, at, end);
      if (stop >= 0) counts.addMalformed(counts.textLines, stop - at + 1, "not-an-object");
    } else if (this.#broken >= 0) counts.addMalformed(counts.textLines, this.#broken - at + 1, "text-after-quotes");
    else if (this.#columns > 0) {
      const syntax = this.#shape.records === "csv" ? "csv" : "tsv";
      const excess = excessStart(bytes, at, withoutCarriageReturn(bytes, at, end), this.#columns, syntax);
      if (excess >= 0) counts.addMalformed(counts.textLines, excess - at + 1, "too-many-fields");
    }
    counts.textLines += this.#shape.records === "csv" ? linesIn(bytes, at, end) : bytes[end] === LF ? 1 : 0;
  }

  #findInField(locate: LocateField, bytes: Buffer, start: number, lineEnd: number): 0 | 4 | 6 {
    const span = this.#span;
    if (!locate(bytes, start, withoutCarriageReturn(bytes, start, lineEnd), span)) return 0;
    return fieldAddress(span.bytes, span.start, span.end, this.#work.address, this.#found);
  }

  /** The chosen address of a line, or of a record of several lines. */
  #findChosen(bytes: Buffer, start: number, end: number): 0 | 4 | 6 {
    const found = this.#found;
    const choice = this.#work.address;
    const last = this.#lastFound;
    let lastFamily: 0 | 4 | 6 = 0;
    let family = findAddress(bytes, start, end, found);
    for (let front = start; ;) {
      const stop = found[STOP]!;
      if (family === 0) {
        if (stop >= end) break;
        front = stop + 1; // the next line of the record
        family = findAddress(bytes, front, end, found);
        continue;
      }
      if (choice === "first" || (choice === "first-public" && isPublicAddress(family, found))) return family;
      lastFamily = family;
      last.set(found);
      family = findNextAddress(bytes, front, end, found, endOfToken(bytes, stop));
    }
    if (choice !== "last" || lastFamily === 0) return 0;
    found.set(last);
    return lastFamily;
  }
}

/** The number of lines of the record `bytes[start, end)`. */
function linesIn(bytes: Buffer, start: number, end: number): number {
  let lines = 1;
  for (let at = endOfLine(bytes, start); at < end; at = endOfLine(bytes, at + 1)) lines++;
  return lines;
}
