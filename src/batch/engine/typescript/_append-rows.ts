import { countFields, countTabs, fieldStart } from "../../lines/csv-records.ts";
import { JsonText } from "./_json-text.ts";
import type { LineCounts } from "../line-engine.ts";
import type { RowWriter } from "./_row-writer.ts";
import { ObjectReader } from "./_json-object.ts";
import { skipMark } from "../../lines/byte-order-mark.ts";
import type { LineShape } from "../../lines/line-shape.ts";

const LF = 0x0a;
const COMMA = 0x2c;
const TAB = 0x09;
const CLOSE_OBJECT = 0x7d;

/** The line whose row is to be written. */
export interface AppendedLine {
  readonly bytes: Buffer;
  readonly start: number;
  /** Without its line break. */
  readonly end: number;
  readonly match: number;
  readonly family: 0 | 4 | 6;
  readonly words: Uint32Array;
}

/**
 * Rows of the format "append": the line itself and what its match adds: text, a further column of a record, or a
 * further property of an object. A blank line stays as it is if a record or an object is expected. Each method returns
 * false if the row does not fit after the existing ones, or must not be written (`counts.failure`).
 */
export class AppendRows {
  readonly #writer: RowWriter;
  readonly #objects: ObjectReader;
  /** `"name":`, as in an object. */
  readonly #member: Buffer;

  constructor(writer: RowWriter, appendAs: string) {
    this.#writer = writer;
    this.#objects = new ObjectReader(appendAs);
    this.#member = Buffer.from(`${JSON.stringify(appendAs)}:`);
  }

  write(line: AppendedLine, shape: LineShape, counts: LineCounts): boolean {
    if (shape.append === "append" && shape.columns === 0) return this.#appendText(line, 0, TAB);
    if (shape.append !== "append-jsonl") return this.#appendCell(line, shape, counts);
    return isBlank(line) ? this.#keep(line) : this.#appendMember(line, counts);
  }

  /** Below its name in the header: what is missing before it is filled up, and a record with more is reported. */
  #appendCell(line: AppendedLine, { append, columns }: LineShape, counts: LineCounts): boolean {
    const { bytes, start, end } = line;
    const isCsv = append === "append-csv";
    const fields = isCsv ? countFields(bytes, start, end) : countTabs(bytes, start, end) + 1;
    if (fields === 1 && isBlank(line)) return this.#keep(line);
    const missing = Math.max(0, columns - fields);
    if (!this.#appendText(line, missing, isCsv ? COMMA : TAB)) return false;
    if (columns > 0 && fields > columns) {
      const excess = fieldStart(bytes, start, end, columns, isCsv ? "csv" : "tsv");
      counts.addMalformed(counts.textLines, excess - start + 1, "too-many-fields");
    }
    return true;
  }

  /** The line, delimiters for missing columns, and the template. */
  #appendText({ bytes, start, end, match, family, words }: AppendedLine, missing: number, delimiter: number): boolean {
    const writer = this.#writer;
    if (!writer.reserve(match, end - start + missing + 1)) return false;
    writer.copy(bytes, start, end);
    for (let column = 0; column < missing; column++) writer.byte(delimiter);
    writer.fill(family, words);
    writer.byte(LF);
    return true;
  }

  #keep({ bytes, start, end, match }: AppendedLine): boolean {
    if (!this.#writer.reserve(match, end - start + 1)) return false;
    this.#writer.copy(bytes, start, end);
    this.#writer.byte(LF);
    return true;
  }

  #appendMember(line: AppendedLine, counts: LineCounts): boolean {
    const { bytes, start, end, match, family, words } = line;
    const objects = this.#objects;
    const writer = this.#writer;
    if (!objects.read(bytes, skipMark(bytes, start, end), end)) return this.#wrap(line, counts);
    if (objects.hasName) {
      counts.failure = "member-exists";
      return false;
    }
    if (!writer.reserve(match, end - start + this.#member.length + 2)) return false;
    writer.copy(bytes, start, objects.end);
    if (objects.hasMembers) writer.byte(COMMA);
    writer.copy(this.#member, 0, this.#member.length);
    writer.fill(family, words);
    writer.copy(bytes, objects.end, end);
    writer.byte(LF);
    return true;
  }

  /**
   * A line that is not an object becomes one that holds the line as text, so that every row is JSON and nothing is
   * lost.
   */
  #wrap({ bytes, start, end, match, family, words }: AppendedLine, counts: LineCounts): boolean {
    const column = this.#objects.end - start + 1;
    const text = new JsonText(bytes, start, end);
    const writer = this.#writer;
    if (!writer.reserve(match, text.length + this.#member.length + TEXT_MEMBER.length + 3)) return false;
    writer.copy(TEXT_MEMBER, 0, TEXT_MEMBER.length);
    writer.jsonText(text);
    writer.byte(COMMA);
    writer.copy(this.#member, 0, this.#member.length);
    writer.fill(family, words);
    writer.byte(CLOSE_OBJECT);
    writer.byte(LF);
    counts.addMalformed(counts.textLines, column, "not-an-object");
    return true;
  }
}

/** The property of rows that holds a line as text. */
export const TEXT_NAME = "text";
const TEXT_MEMBER = Buffer.from(`{"${TEXT_NAME}":`);

function isBlank({ bytes, start, end }: AppendedLine): boolean {
  for (let at = start; at < end; at++) if (bytes[at] !== 0x20 && bytes[at] !== 0x09 && bytes[at] !== 0x0d) return false;
  return true;
}
