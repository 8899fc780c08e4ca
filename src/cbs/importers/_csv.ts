import { quoted } from "../../address/address-error.ts";
import { ImportError } from "./import-error.ts";

/** A row of CSV and the line on which it begins. */
export interface CsvRow {
  readonly line: number;
  readonly fields: readonly string[];
}

/**
 * Reads CSV by RFC 4180: fields in double quotes may hold commas, line breaks and doubled quotes; lines end in CRLF, LF
 * or CR. As RFC 8805 has it, text from a `#` outside quotes to the end of the line is a comment; lines without a field
 * are left out, and so is white space around fields without quotes. @throws ImportError "bad-csv"
 */
export function* csvRows(text: string): Generator<CsvRow> {
  let line = 1;
  let at = 0;
  while (at < text.length) {
    const start = line;
    const fields: string[] = [];
    let isQuoted = false;
    for (let delimiter = ","; delimiter === ",";) {
      const opening = afterBlanks(text, at);
      let field: string;
      if (text[opening] === '"') {
        isQuoted = true;
        const closing = closingQuote(text, opening, line);
        field = text.slice(opening + 1, closing).replaceAll('""', '"');
        line += (field.match(LINE_BREAK) ?? []).length;
        at = afterBlanks(text, closing + 1);
        if (at < text.length && !/[,\r\n#]/.test(text[at]!)) {
          throw new ImportError(
            "bad-csv",
            `line ${line}`,
            `${quoted(text[at]!)} follows a closing quote; a comma or the end of the line must`,
          );
        }
      } else {
        END_OF_FIELD.lastIndex = at;
        const end = END_OF_FIELD.exec(text)?.index ?? text.length;
        field = text.slice(at, end).trim();
        at = end;
        if (field.includes('"'))
          throw new ImportError(
            "bad-csv",
            `line ${line}`,
            `a double quote stands inside the field ${quoted(field)}; enclose the whole field`,
          );
      }
      fields.push(field);
      if (text[at] === "#") at = endOfLine(text, at);
      delimiter = text[at] ?? "";
      if (delimiter === "\r" && text[at + 1] === "\n") at++;
      at++;
    }
    line++;
    if (isQuoted || fields.some((field) => field !== "")) yield { line: start, fields };
  }
}

const LINE_BREAK = /\r\n|\n|\r/g;
const END_OF_FIELD = /[,\r\n#]/g;

function afterBlanks(text: string, at: number): number {
  while (text[at] === " " || text[at] === "\t") at++;
  return at;
}

function endOfLine(text: string, at: number): number {
  while (at < text.length && text[at] !== "\n" && text[at] !== "\r") at++;
  return at;
}

function closingQuote(text: string, opening: number, line: number): number {
  for (let at = opening + 1; ; at += 2) {
    at = text.indexOf('"', at);
    if (at < 0) throw new ImportError("bad-csv", `line ${line}`, "a double quote opens a field and nothing closes it");
    if (text[at + 1] !== '"') return at;
  }
}
