import { quoted } from "../../address/address-error.ts";
import { isPrefix } from "../../address/prefix.ts";
import { type Cell, CellError, isOpenAfter, readCells } from "../../csv/read-cells.ts";
import { FieldProblem } from "../_field-kinds.ts";
import { type CtiRecord, type Field, FIELDS, NOTHING_KNOWN } from "../fields.ts";
import type { Feed, FeedReader } from "./feed.ts";
import { FeedError } from "./feed-error.ts";

/** Possible names of the column of addresses and prefixes. */
const ADDRESS_COLUMNS: readonly string[] = ["ip", "cidr", "prefix", "network", "address", "ip_address", "dst_ip"];

/** The names that abuse.ch uses. */
const OTHER_NAMES: Readonly<Record<string, string>> = {
  first_seen_utc: "first_seen",
  last_online: "last_seen",
  malware: "tags",
};

const MAX_ROW_LENGTH = 1 << 20;

interface Columns {
  readonly address: number;
  /** -1 if there is none. */
  readonly seen: number;
  /** By column; undefined for those that are not read. */
  readonly fields: readonly (Field | undefined)[];
}

/** Whether a line is the header of a table that has a column for addresses. */
export function isHeader(line: string): boolean {
  return line.split(",").some((name) => ADDRESS_COLUMNS.includes(columnName(name.trim().replace(/^"(.*)"$/, "$1"))));
}

/**
 * CSV (RFC 4180): the first line names the columns, `ip` (or `cidr`) and fields of a lookup's extended document by
 * their paths, such as `src.asn.number`. List items are separated by `|`, or written as JSON arrays. Empty cells say
 * nothing; lines that begin with `#` are comments.
 */
export function csv(feed: Feed): FeedReader {
  let columns: Columns | undefined;
  let row: string[] = [];
  let rowLine = 0;
  let rowLength = 0;
  /** Whether a quote is open at the end of the last line: the row continues on the next one. */
  let isOpen = false;
  const endRow = (): void => {
    const text = row.join("\n");
    const cells = cellsOf(feed, text, rowLine);
    if (cells !== undefined && columns !== undefined) addRow(feed, columns, cells, text, rowLine);
    else if (cells !== undefined) columns = columnsInHeader(feed, cells, rowLine);
    row = [];
    rowLength = 0;
  };
  return {
    line(text, number) {
      if (!isOpen && (text.trim() === "" || text.startsWith("#"))) return;
      if (!isOpen) rowLine = number;
      row.push(text);
      rowLength += text.length + 1;
      if (rowLength > MAX_ROW_LENGTH)
        throw new FeedError(
          "line-too-long",
          rowLine,
          "the row that begins here has more than a million characters; is its last quote closed?",
        );
      isOpen = isOpenAfter(text, isOpen);
      if (!isOpen) endRow();
    },
    end() {
      if (isOpen)
        throw new FeedError(
          "unclosed-quote",
          rowLine,
          "a double quote in the row that begins here is never closed; the feed may be truncated",
        );
    },
  };
}

/** The cells of a row; undefined if it has misplaced quotes, which is reported. */
function cellsOf(feed: Feed, row: string, line: number): Cell[] | undefined {
  try {
    return readCells(row, { trims: true });
  } catch (error) {
    if (!(error instanceof CellError)) throw error;
    const lines = row.split("\n").length;
    const where = lines === 1 ? "" : `, on line ${line + lines - 1}`;
    const cure = `text follows the quote that closes this cell${where}; double the quotes inside it, or write it without quotes`;
    skip(feed, row, line, error.cellAt, cure);
    return undefined;
  }
}

function skip(feed: Feed, row: string, line: number, at: number, message: string): void {
  const position = positionOf(row, line, at);
  feed.skip(position.line, position.column, message, row.split("\n").length);
}

/** The line and column of an offset in a row, which begins on this line and may have several. */
function positionOf(row: string, line: number, at: number): { line: number; column: number } {
  const before = row.slice(0, at).split("\n");
  return { line: line + before.length - 1, column: before.at(-1)!.length + 1 };
}

function columnName(written: string): string {
  const name = written.toLowerCase().replaceAll(" ", "_");
  return Object.hasOwn(OTHER_NAMES, name) ? OTHER_NAMES[name]! : name;
}

/** @throws FeedError "bad-header" */
function columnsInHeader(feed: Feed, header: readonly Cell[], line: number): Columns {
  const names = header.map(({ text }) => columnName(text));
  const address = names.findIndex((name) => ADDRESS_COLUMNS.includes(name));
  if (address < 0) {
    const cure = isPrefix(header[0]!.text)
      ? "the first line names the columns; without columns, give --format list"
      : `one of them is called ${ADDRESS_COLUMNS.join(", ")}`;
    throw new FeedError("bad-header", line, `no column of ${quoted(names.join(","))} holds addresses; ${cure}`);
  }
  const twice = names.find((name, i) => name !== "" && names.indexOf(name) !== i);
  if (twice !== undefined) throw new FeedError("bad-header", line, `duplicate column ${quoted(twice)}; rename one`);
  const fields = names.map((name) => FIELDS.find(({ path }) => path === name));
  const seen = names.indexOf("seen");
  for (const [i, name] of names.entries()) {
    if (i !== address && i !== seen && fields[i] === undefined)
      feed.warn(`${quoted(name)} is an unknown column and is ignored`, line);
  }
  return { address, seen, fields };
}

function addRow(
  feed: Feed,
  { address, seen, fields }: Columns,
  cells: readonly Cell[],
  row: string,
  line: number,
): void {
  if (cells.length !== fields.length) {
    return skip(
      feed,
      row,
      line,
      0,
      `there ${cells.length === 1 ? "is 1 cell" : `are ${cells.length} cells`}, and ${fields.length} columns; enclose text that contains a comma in double quotes`,
    );
  }
  const record: Partial<Record<keyof CtiRecord, unknown>> = { ...NOTHING_KNOWN };
  for (const [i, { text, at }] of cells.entries()) {
    const field = fields[i];
    if (field === undefined || text === "") continue;
    try {
      record[field.member] = field.kind.fromCell(text);
    } catch (error) {
      if (!(error instanceof FieldProblem)) throw error;
      return skip(feed, row, line, at, `${field.path}: ${error.message}`);
    }
  }
  const wasSeen = cells[seen];
  if (wasSeen !== undefined && !["", "true", "false"].includes(wasSeen.text))
    return skip(
      feed,
      row,
      line,
      wasSeen.at,
      `seen: ${quoted(wasSeen.text)} is neither true nor false; correct it or leave the cell empty`,
    );
  if (wasSeen?.text === "false") return feed.warn("a row says that its address was not seen, and is left out", line);
  const { text, at } = cells[address]!;
  const position = positionOf(row, line, at);
  feed.add(text, feed.complete(record as unknown as CtiRecord), position.line, () => position.column);
}
