import { linesOf } from "./_text.ts";

/** A row of a Markdown table, below its header and the line of dashes. */
export interface TableRow {
  readonly line: number;
  /** The nearest heading above. */
  readonly heading: string;
  /** The cells of the header. */
  readonly header: readonly string[];
  readonly cells: readonly string[];
}

/** The rows of all tables. */
export function* tableRows(text: string): Generator<TableRow> {
  let heading = "";
  let header: readonly string[] | undefined;
  for (const [line, number] of linesOf(text)) {
    const title = headingOf(line);
    if (title !== undefined) heading = title;
    if (!line.trimStart().startsWith("|")) {
      header = undefined;
      continue;
    }
    const cells = cellsOf(line);
    if (header === undefined) header = cells;
    else if (!cells.every((cell) => /^:?-+:?$/.test(cell))) yield { line: number, heading, header, cells };
  }
}

/** `## A title` as `A title`. */
export function headingOf(line: string): string | undefined {
  return /^#{1,6}\s/.test(line) ? line.slice(line.search(/[^#]/)).trim() : undefined;
}

function cellsOf(line: string): string[] {
  return line
    .trim()
    .replace(/^\|/, "")
    .replace(/\|$/, "")
    .split("|")
    .map((cell) => cell.trim());
}

/**
 * The parts of a cell, which stand below each other: between line breaks as HTML has them, or as the two characters
 * `\n`.
 */
export function partsOf(cell: string): string[] {
  return cell
    .split(/\\n|<br\s*\/?>/i)
    .map((part) => part.trim())
    .filter((part) => part !== "");
}
