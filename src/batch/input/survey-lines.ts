import { countFields, countTabs, endOfRecord } from "../lines/csv-records.ts";
import { skipMark } from "../lines/byte-order-mark.ts";
import { withoutCarriageReturn } from "../lines/end-of-line.ts";
import type { OpenInput } from "./input.ts";
import { createFound, findAddress } from "../lines/find-address.ts";
import type { FieldSpec } from "../lines/fields/field-spec.ts";
import { columnNames, detectSyntax, resolveField } from "../lines/fields/resolve-field.ts";
import type { FieldSyntax, IdentifyOptions } from "../identify-options.ts";
import { type LineShape, TEXT_LINES } from "../lines/line-shape.ts";

const LF = 0x0a;
const CR = 0x0d;

/** What the beginning of an input reveals about its lines. */
export interface LineSurvey {
  readonly shape: LineShape;
  /**
   * The header as it is in the input, without its line break, and with what precedes it; null: the first line is an
   * ordinary one.
   */
  readonly header: Buffer | null;
  /** Where the first line begins: after the header. */
  readonly from: number;
  /** The number of lines of the header. */
  readonly headerLines: number;
}

/**
 * Examines the beginning of an input: whether its lines are text, JSON, or a table with a header, and where the field
 * is. An input without lines is text. Throws BatchError for a field that does not exist.
 */
export async function surveyLines(input: OpenInput, options: IdentifyOptions): Promise<LineSurvey> {
  const { field, fieldSyntax, header: wanted } = options;
  const text: LineSurvey = { shape: TEXT_LINES, header: null, from: 0, headerLines: 0 };
  let head = await input.peek(firstLineSearch());
  let { start, end } = firstLineIn(head);
  const line = textOf(head, start, end);
  if (line === "") return text;
  const syntax = fieldSyntax ?? (field === undefined ? detectTable(line, input.name) : detectColumns(line, input.name));
  const spec = (names: string): FieldSpec | null =>
    field === undefined ? null : resolveField(field, syntax, names, input.name);
  if (syntax === "jsonl") return { ...text, shape: { ...TEXT_LINES, field: spec(line), append: "append-jsonl" } };
  if (syntax === "space") return { ...text, shape: { ...TEXT_LINES, field: spec(line) } };

  if (syntax === "csv") {
    head = await input.peek((bytes) => recordEnd(bytes, start) >= 0);
    const found = recordEnd(head, start);
    if (found >= 0) end = found;
    else if (head.subarray(start).includes(LF)) end = firstLineIn(head).end; // an unclosed quote is reported later
    else end = head.length;
  }
  const record = textOf(head, start, end);
  const shape: LineShape = {
    ...TEXT_LINES,
    field: spec(record),
    ...(syntax === "csv" && { records: "csv", append: "append-csv" }),
  };
  const hasHeader = wanted ?? (typeof field === "string" || isHeader(record, syntax));
  // A byte order mark would hide the quote of the first field.
  if (!hasHeader) return { ...text, shape, from: syntax === "csv" ? skipMark(head, 0, head.length) : 0 };
  const header = Buffer.from(head.subarray(0, withoutCarriageReturn(head, start, end)));
  return {
    shape: { ...shape, columns: syntax === "csv" ? countFields(head, start, end) : countTabs(head, start, end) + 1 },
    header,
    from: Math.min(end + 1, head.length),
    headerLines: linesIn(head, end),
  };
}

function textOf(head: Buffer, start: number, end: number): string {
  return head.toString("utf8", start, withoutCarriageReturn(head, start, end));
}

/** Returns, for a growing beginning, whether it contains the first non-empty line. Examines each byte once. */
function firstLineSearch(): (head: Buffer) => boolean {
  let start = 0; // everything before belongs to no line
  let searched = 0; // no LF between start and here
  return (head) => {
    start = Math.max(start, skipMark(head, 0, head.length));
    while (head[start] === LF || head[start] === CR) start++;
    const found = head.indexOf(LF, Math.max(start, searched)) >= 0;
    searched = head.length;
    return found;
  };
}

/** Where the first non-empty line is; if the head ends within it, its part in the head. */
function firstLineIn(head: Buffer): { start: number; end: number } {
  let start = skipMark(head, 0, head.length);
  while (head[start] === LF || head[start] === CR) start++;
  const end = head.indexOf(LF, start);
  return { start, end: end < 0 ? head.length : end };
}

/** The position of the LF that ends the record at `start`; -1 if the head ends within it. */
function recordEnd(head: Buffer, start: number): number {
  const end = endOfRecord(head, start, head.length);
  return end < head.length ? end : -1;
}

/**
 * How lines are cut if neither an option nor a field says so: by the name of the input, or by a line that cannot be one
 * of a log.
 */
function detectTable(line: string, name: string): FieldSyntax {
  if (/^\s*\{/.test(line)) return "jsonl";
  const named = tableNamed(name);
  if (named !== null) return named;
  const [, delimiter] = ROW_OF_NAMES.exec(line) ?? [];
  if (delimiter === undefined || hasAddress(line)) return "space";
  const names = line.split(delimiter);
  return new Set(names).size < names.length ? "space" : delimiter === "," ? "csv" : "tsv";
}

/** How lines are cut in which a field is: by the first one or, if that has no delimiter, by the name of the input. */
function detectColumns(line: string, name: string): FieldSyntax {
  const syntax = detectSyntax(line);
  return syntax === "space" ? (tableNamed(name) ?? syntax) : syntax;
}

function tableNamed(name: string): "csv" | "tsv" | null {
  const [, extension] = /\.(csv|tsv)(?:\.gz|\.zst)?$/i.exec(name) ?? [];
  return extension === undefined ? null : (extension.toLowerCase() as "csv" | "tsv");
}

/** Two names or more, as programs name columns, with or without quotes. */
const ROW_OF_NAMES = /^"?[A-Za-z_@][\w.@-]*"?(?:([,\t])"?[A-Za-z_@][\w.@-]*"?)(?:\1"?[A-Za-z_@][\w.@-]*"?)*$/;

/**
 * Whether a first record looks like a header: every column has a text that is not a number, and nothing in it is an
 * address.
 */
function isHeader(record: string, syntax: "csv" | "tsv"): boolean {
  const names = columnNames(record, syntax);
  return names.every((name) => name !== "" && !/^[-+.\d]+$/.test(name)) && !record.split("\n").some(hasAddress);
}

function hasAddress(line: string): boolean {
  const bytes = Buffer.from(`${line}\n`);
  return findAddress(bytes, 0, bytes.length - 1, createFound()) !== 0;
}

function linesIn(head: Buffer, end: number): number {
  return head.toString("latin1", 0, end).split("\n").length;
}
