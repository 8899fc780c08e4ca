/** A field of a row of CSV. */
export interface Cell {
  readonly text: string;
  /** Where the text begins in the row, from 0: after an opening quote. */
  readonly at: number;
  readonly isQuoted: boolean;
}

export type CellErrorCode = "quote-inside" | "text-after-quote" | "unclosed-quote";

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
 * may contain commas and doubled quotes. With `trims`, white space around cells and quotes is removed. @throws
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
      if (text.includes('"')) throw new CellError("quote-inside", start + text.indexOf('"'), at);
      cells.push({ text: trims ? text.trimEnd() : text, at: start, isQuoted: false });
    }
    if (end === row.length) return cells;
    at = end;
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
  for (let at = opening + 1; ; at += 2) {
    at = row.indexOf('"', at);
    if (at < 0) throw new CellError("unclosed-quote", opening, cellAt);
    if (row[at + 1] !== '"') return at;
  }
}
