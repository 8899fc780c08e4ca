import { CsvError, parse } from "csv-parse/sync";
import { quoted } from "../../address/address-error.ts";
import { ImportError } from "./import-error.ts";

/** A row of CSV and the line on which it begins. */
export interface CsvRow {
  readonly line: number;
  readonly fields: readonly string[];
}

/**
 * Reads CSV by RFC 4180: fields in double quotes may hold commas, line breaks (which become LF) and doubled quotes; lines
 * end in CRLF, LF or CR. As RFC 8805 has it, text from a `#` outside quotes to the end of the line is a comment; rows
 * without a field that says anything are left out, and so is white space around fields. @throws ImportError "bad-csv"
 */
export function csvRows(text: string): CsvRow[] {
  const rows: CsvRow[] = [];
  let lastLine = 0;
  // csv-parse counts CRLF in quotes as two lines.
  const lines = text.replace(/\r\n?/g, "\n");
  try {
    parse(lines, {
      comment: "#",
      record_delimiter: "\n",
      relax_column_count: true,
      skip_empty_lines: true,
      trim: true,
      on_record: (fields: string[], { lines: end }) => {
        lastLine = end;
        if (fields.some((field) => field !== "")) rows.push({ line: end - countBreaks(fields), fields });
      },
    });
  } catch (error) {
    throw error instanceof CsvError ? importError(error, lines, lastLine) : error;
  }
  return rows;
}

function countBreaks(fields: readonly string[]): number {
  return fields.join("").split("\n").length - 1;
}

/** `lastLine` is the one on which the last row that could be read ends. */
function importError(error: CsvError, text: string, lastLine: number): ImportError {
  // A quote that nothing closes takes all lines to the end: csv-parse names the last.
  const line = error.code === "CSV_QUOTE_NOT_CLOSED" ? nextRow(text, lastLine) : Number(error["lines"]);
  return new ImportError("bad-csv", `line ${line}`, problemOf(error), { cause: error });
}

/** The line on which the first row after this line begins. */
function nextRow(text: string, line: number): number {
  const lines = text.split("\n");
  while (/^\s*(?:#|$)/.test(lines[line] ?? ".")) line++;
  return line + 1;
}

function problemOf(error: CsvError): string {
  switch (error.code) {
    case "CSV_QUOTE_NOT_CLOSED":
      return "a double quote opens a field and nothing closes it";
    case "INVALID_OPENING_QUOTE":
      return `a double quote is inside the field that begins with ${quoted(String(error["field"]))}; enclose the whole field`;
    case "CSV_INVALID_CLOSING_QUOTE":
    case "CSV_NON_TRIMABLE_CHAR_AFTER_CLOSING_QUOTE":
      return "a closing quote must be followed by a comma or the end of the line";
    default:
      return error.message;
  }
}
