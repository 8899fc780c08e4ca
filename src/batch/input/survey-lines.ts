import { endOfRecord } from "../lines/csv-records.ts";
import { skipMark } from "../lines/byte-order-mark.ts";
import { withoutCarriageReturn } from "../lines/end-of-line.ts";
import type { OpenInput } from "./input.ts";
import { createFound, findAddress } from "../lines/find-address.ts";
import { BatchError } from "../batch-error.ts";
import { hasKey } from "../lines/fields/_keyed-value.ts";
import type { FieldSpec } from "../lines/fields/field-spec.ts";
import {
  columnNamed,
  columnNames,
  detectSyntax,
  resolveField,
  type FieldSyntax,
} from "../lines/fields/resolve-field.ts";
import type { IdentifyOptions } from "../identify-options.ts";
import { type JsonLayout, jsonLayout, showsJsonLayout } from "./json-records.ts";
import { repeatedAddress } from "./repeated-address.ts";
import { type LineShape, TEXT_LINES } from "../lines/line-shape.ts";

const LF = 0x0a;
const CR = 0x0d;
const HASH = 0x23;

/** What the beginning of an input reveals about its lines. */
export interface LineSurvey {
  readonly shape: LineShape;
  /**
   * The header as it is in the input, without its line break, and with what precedes it; null: the first line is an
   * ordinary one.
   */
  readonly header: Buffer | null;
  /** Where the first line begins: after the header, and after a byte order mark. */
  readonly from: number;
  /** The number of lines of the header. */
  readonly headerLines: number;
  /** Null: lines are records. */
  readonly json: JsonLayout | null;
  /** See `repeatedAddress`; null if a field is given. */
  readonly repeated: string | null;
  /** There is not a byte in it, except perhaps a byte order mark. */
  readonly isEmpty: boolean;
}

/**
 * Examines the beginning of an input: whether its lines are text, JSON, or a table with a header, and where the field
 * is. Lines that begin with `#` come before the header of a table, and name the columns of W3C and Zeek logs. An input
 * without lines is text. Throws BatchError for a field that does not exist.
 */
export async function surveyLines(input: OpenInput, options: IdentifyOptions): Promise<LineSurvey> {
  const { field, fieldSyntax } = options;
  let head = await input.peek(firstLineSearch());
  checkText(head, input.name);
  const from = skipMark(head, 0, head.length);
  const isEmpty = from === head.length;
  const whole: LineSurvey = {
    shape: TEXT_LINES,
    header: null,
    from: 0,
    headerLines: 0,
    json: null,
    repeated: null,
    isEmpty,
  };
  const text = { ...whole, from };
  let { start, end } = firstLineIn(head);
  let comments: Comments | null = null;
  if (head[start] === HASH && isTable(input.name, options)) {
    head = await input.peek(firstLineSearch(true));
    comments = commentsIn(head, start);
    ({ start, end } = firstLineIn(head, comments.end));
    const named = typeof field === "string" ? namedColumn(field, comments, textOf(head, start, end), input.name) : null;
    if (named !== null) return { ...text, shape: { ...TEXT_LINES, field: named } };
  }
  const line = textOf(head, start, end);
  if (line === "") return whole;
  const syntax = fieldSyntax ?? detectedSyntax(head, start, line, field, input.name);
  if (syntax === "jsonl") return surveyJson(input, head, text, start, end, options);
  if (syntax === "space" || syntax === "keys") {
    if (field === undefined)
      return options.address === undefined || options.address === "first"
        ? { ...whole, repeated: repeatedAddress(head) }
        : whole;
    const names = syntax === "space" && typeof field === "string" ? line.trim().split(/[ \t]+/) : [];
    if (names.includes(field as string) && !hasAddress(line)) {
      // As in VPC flow logs: the names are separated as the columns are.
      const column = columnNamed(field as string, names, { file: input.name, line: linesIn(head, start) });
      const header = Buffer.from(head.subarray(0, withoutCarriageReturn(head, 0, end)));
      const shape: LineShape = { ...TEXT_LINES, field: { syntax: "space", column, columns: names.length } };
      return { ...text, shape, header, from: Math.min(end + 1, head.length), headerLines: linesIn(head, end) };
    }
    const spec = resolveField(field, syntax, line, input.name);
    return { ...text, shape: { ...TEXT_LINES, field: spec } };
  }
  return surveyTable(input, head, text, { start, end }, syntax, comments, options);
}

/** Throws BatchError for text whose lines do not end with LF. `head` has the first line, or all there is. */
function checkText(head: Buffer, file: string): void {
  if (isUtf16(head.subarray(0, 64)))
    throw new BatchError("input-encoding", "this is UTF-16 text; pipe it through `iconv -f UTF-16LE -t UTF-8`", {
      file,
    });
  const isOneLine = !head.includes(LF);
  if (isOneLine && head.subarray(0, -1).includes(CR))
    throw new BatchError("input-encoding", "its lines end with CR alone; pipe it through `tr '\\r' '\\n'`", { file });
}

/** Whether every other byte is NUL, and no other is. */
function isUtf16(head: Buffer): boolean {
  const nuls = [0, 1].map((parity) => head.filter((byte, at) => at % 2 === parity && byte === 0).length);
  const most = Math.max(...nuls);
  return head.length >= 8 && Math.min(...nuls) === 0 && most >= Math.floor(head.length / 2) - 2;
}

/** A table, or text in which a field is: then comments come before it. */
function isTable(name: string, { field, fieldSyntax }: IdentifyOptions): boolean {
  return (
    field !== undefined || (fieldSyntax ?? tableNamed(name)) === "csv" || (fieldSyntax ?? tableNamed(name)) === "tsv"
  );
}

async function surveyJson(
  input: OpenInput,
  head: Buffer,
  text: LineSurvey,
  start: number,
  end: number,
  { field }: IdentifyOptions,
): Promise<LineSurvey> {
  const spec = field === undefined ? null : resolveField(field, "jsonl", "", input.name);
  const shape: LineShape = { ...TEXT_LINES, field: spec, append: "append-jsonl" };
  const more = await input.peek(showsJsonLayout(start));
  return { ...text, shape, json: jsonLayout(more.length > head.length ? more : head, start, end, spec) };
}

async function surveyTable(
  input: OpenInput,
  head: Buffer,
  text: LineSurvey,
  { start, end }: { start: number; end: number },
  syntax: "csv" | "tsv",
  comments: Comments | null,
  { field, header: wanted }: IdentifyOptions,
): Promise<LineSurvey> {
  if (syntax === "csv") {
    head = await input.peek((bytes) => recordEnd(bytes, start) >= 0);
    const found = recordEnd(head, start);
    if (found >= 0) end = found;
    else if (head.subarray(start).includes(LF)) end = firstLineIn(head, start).end; // an unclosed quote is reported later
    else end = head.length;
  }
  const record = textOf(head, start, end);
  const commented = typeof field === "string" && commentedHeader(field, comments, record, syntax);
  const spec = field === undefined ? null : resolveField(field, syntax, commented || record, input.name);
  const shape: LineShape = {
    ...TEXT_LINES,
    field: spec,
    ...(syntax === "csv" && { records: "csv", append: "append-csv" }),
  };
  if (commented !== false) end = start - 1; // the header ends with the comments
  else if (!(wanted ?? (typeof field === "string" || isHeader(record, syntax)))) return { ...text, shape };
  const header = Buffer.from(head.subarray(0, withoutCarriageReturn(head, 0, end)));
  const columns = columnNames(commented || record, syntax).length;
  return {
    ...text,
    shape: { ...shape, columns },
    header,
    from: Math.min(end + 1, head.length),
    headerLines: linesIn(head, end),
  };
}

function textOf(head: Buffer, start: number, end: number): string {
  return head.toString("utf8", start, withoutCarriageReturn(head, start, end));
}

/**
 * Returns, for a growing beginning, whether it contains the first non-empty line, or the first that is no comment.
 * Examines each byte once.
 */
function firstLineSearch(isPastComments = false): (head: Buffer) => boolean {
  let start = 0; // everything before belongs to no line
  let searched = 0; // no LF between start and here
  return (head) => {
    start = Math.max(start, skipMark(head, 0, head.length));
    for (;;) {
      while (head[start] === LF || head[start] === CR) start++;
      const found = head.indexOf(LF, Math.max(start, searched));
      searched = found < 0 ? head.length : found + 1;
      if (found < 0 || !isPastComments || head[start] !== HASH) return found >= 0;
      start = found + 1;
    }
  };
}

/** The comments before the first other line. */
interface Comments {
  /** Where that line begins. */
  readonly end: number;
  /** The last `#Fields` or `#fields`, with the number of its line. */
  readonly fields: { readonly text: string; readonly line: number } | null;
  /** What separates the columns of Zeek, by `#separator`. */
  readonly separator: string;
  readonly last: string;
}

function commentsIn(head: Buffer, start: number): Comments {
  let fields: Comments["fields"] = null;
  let separator = "\t";
  let last = "";
  let at = start;
  while (head[at] === HASH || head[at] === LF || head[at] === CR) {
    const end = head.indexOf(LF, at);
    last = textOf(head, at, end < 0 ? head.length : end) || last;
    const [, code] = /^#separator \\x([0-9a-f]{2})$/i.exec(last) ?? [];
    if (code !== undefined) separator = String.fromCharCode(parseInt(code, 16));
    if (/^#fields:/i.test(last) || last.startsWith(`#fields${separator}`))
      fields = { text: last, line: linesIn(head, at) };
    if (end < 0) return { end: head.length, fields, separator, last };
    at = end + 1;
  }
  return { end: at, fields, separator, last };
}

/**
 * The column that W3C's `#Fields:` or Zeek's `#fields` names, for lines such as `line`; null if there is neither. Throws
 * BatchError if it is not among them.
 */
function namedColumn(name: string, { fields, separator }: Comments, line: string, file: string): FieldSpec | null {
  if (fields === null) return null;
  const isZeek = fields.text[7] !== ":";
  const names = isZeek ? fields.text.split(separator).slice(1) : fields.text.slice(8).trim().split(/\s+/);
  const location = { file, line: fields.line };
  const column = columnNamed(name, names, location, fields.text.slice(0, 7));
  const header = fields.text;
  if (!isZeek && line.replace(QUOTED, "").includes("\t"))
    return { syntax: "tsv", column, columns: names.length, header };
  if (!isZeek) return { syntax: "space", column, columns: names.length, header };
  const syntax = SEPARATED[separator];
  if (syntax === undefined)
    throw new BatchError(
      "field-unusable",
      `${JSON.stringify(separator)} separates its columns, which cannot be read`,
      location,
    );
  return syntax === "space" ? { syntax, column, columns: 0, header } : { syntax, column, header };
}

/** A value in quotes, at the start of a column. */
const QUOTED = /(?<![^ \t])"(?:[^"]|"")*"/g;

const SEPARATED: Readonly<Record<string, "tsv" | "csv" | "space">> = { "\t": "tsv", ",": "csv", " ": "space" };

/** The last comment without its `#`, if that is the header of a record that does not name the field; or false. */
function commentedHeader(
  field: string,
  comments: Comments | null,
  record: string,
  syntax: "csv" | "tsv",
): string | false {
  if (comments === null || columnNames(record, syntax).includes(field)) return false;
  const header = comments.last.replace(/^#+[ \t]*/, "");
  const names = columnNames(header, syntax);
  return names.includes(field) && names.length === columnNames(record, syntax).length && header;
}

/** Where the first non-empty line from `from` on is; if the head ends within it, its part in the head. */
function firstLineIn(head: Buffer, from: number = skipMark(head, 0, head.length)): { start: number; end: number } {
  let start = from;
  while (head[start] === LF || head[start] === CR) start++;
  const end = head.indexOf(LF, start);
  return { start, end: end < 0 ? head.length : end };
}

/** The position of the LF that ends the record at `start`; -1 if the head ends within it. */
function recordEnd(head: Buffer, start: number): number {
  const end = endOfRecord(head, start, head.length);
  return end < head.length ? end : -1;
}

/** How lines are cut if no option says so. */
function detectedSyntax(
  head: Buffer,
  start: number,
  line: string,
  field: string | number | undefined,
  name: string,
): FieldSyntax {
  if (/^\s*(?:\{|\[\s*\{)/.test(head.toString("latin1", start, start + 256))) return "jsonl";
  if (field === undefined) return detectTable(line, name);
  const syntax = detectColumns(line, name);
  if (typeof field === "number") return syntax;
  const isColumn = (syntax === "csv" || syntax === "tsv") && columnNames(line, syntax).includes(field);
  return !isColumn && hasKey(head.subarray(start), field) ? "keys" : syntax;
}

/** How lines are cut if no field says so: by the name of the input, or by a line that cannot be one of a log. */
function detectTable(line: string, name: string): FieldSyntax {
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
  return names.every((name) => name !== "" && !NO_NAME.test(name)) && !record.split("\n").some(hasAddress);
}

/** What no column is called: numbers, and what is written where there is nothing. */
const NO_NAME = /^(?:[-+.\d]+|unknown|null|none|nil|n\/a|nan|true|false)$/i;

function hasAddress(line: string): boolean {
  const bytes = Buffer.from(`${line}\n`);
  return findAddress(bytes, 0, bytes.length - 1, createFound()) !== 0;
}

function linesIn(head: Buffer, end: number): number {
  return head.toString("latin1", 0, end).split("\n").length;
}
