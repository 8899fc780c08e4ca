/** A field of a row of CSV. */
export interface Cell {
  readonly text: string;
  /** Where the text begins in the row, from 0: after an opening quote. */
  readonly at: number;
  readonly isQuoted: boolean;
}

export type CellErrorCode = "text-after-quote" | "unclosed-quote";

/** A row that is not CSV. */
export class CellError extends Error {
  readonly code: CellErrorCode;
  /** The offset in the row of the first wrong character; for an unclosed quote, of the quote. */
  readonly at: number;
  /** Where the cell begins. */
  readonly cellAt: number;

  constructor(code: CellErrorCode, at: number, cellAt: number) {
    super(`${code} at ${at}`);
    this.name = "CellError";
    this.code = code;
    this.at = at;
    this.cellAt = cellAt;
  }
}

/**
 * The cells of a row by RFC 4180, each with its position, which packages for CSV do not report. Cells in double quotes
 * may contain commas and doubled quotes; a quote elsewhere than at the start of a cell is a character. With `trims`, white space around cells and quotes is removed. @throws
 * CellError
 */
export function readCells(row: string, { trims = false }: { readonly trims?: boolean } = {}): Cell[] {
  const cells: Cell[] = [];
  for (let at = 0; ; at++) {
    const start = trims ? afterBlanks(row, at) : at;
    let end: number;
    if (row[start] === '"') {
      const closing = closingQuote(row, start, at);
      end = trims ? afterBlanks(row, closing + 1) : closing + 1;
      cells.push({ text: row.slice(start + 1, closing).replaceAll('""', '"'), at: start + 1, isQuoted: true });
      if (end < row.length && row[end] !== ",") throw new CellError("text-after-quote", end, at);
    } else {
      end = endOf(row, start);
      const text = row.slice(start, end);
      cells.push({ text: trims ? text.trimEnd() : text, at: start, isQuoted: false });
    }
    if (end === row.length) return cells;
    at = end;
  }
}

/**
 * Whether a cell in quotes goes on after this line of a table; `isOpen`: one goes on from the line before. White space
 * before a quote is allowed, as with `trims` of `readCells`.
 */
export function isOpenAfter(line: string, isOpen: boolean): boolean {
  let at = 0;
  if (isOpen) {
    const closing = closingAt(line, 0);
    if (closing < 0) return true;
    at = line.indexOf(",", closing) + 1;
    if (at === 0) return false;
  }
  for (;;) {
    const start = afterBlanks(line, at);
    const closing = line[start] === '"' ? closingAt(line, start + 1) : start;
    if (closing < 0) return true;
    at = line.indexOf(",", closing) + 1;
    if (at === 0) return false;
  }
}

function afterBlanks(row: string, at: number): number {
  while (row[at] === " " || row[at] === "\t") at++;
  return at;
}

function endOf(row: string, at: number): number {
  const comma = row.indexOf(",", at);
  return comma < 0 ? row.length : comma;
}

function closingQuote(row: string, opening: number, cellAt: number): number {
  const closing = closingAt(row, opening + 1);
  if (closing < 0) throw new CellError("unclosed-quote", opening, cellAt);
  return closing;
}

/** The first quote from an offset on that is not doubled; -1 without one. */
function closingAt(row: string, from: number): number {
  for (let at = row.indexOf('"', from); at >= 0; at = row.indexOf('"', at + 2)) if (row[at + 1] !== '"') return at;
  return -1;
}
