import type { Style } from "./style.ts";

/**
 * Rows of text in columns that are as narrow as possible; the given columns are right-aligned. The first row is the
 * header.
 */
export function columnLines(rows: readonly (readonly string[])[], right: ReadonlySet<number>, style: Style): string[] {
  const widths = rows[0]!.map((_, column) => Math.max(...rows.map((row) => row[column]!.length)));
  return rows.map((row, i) => {
    const line = row
      .map((text, column) => (right.has(column) ? text.padStart(widths[column]!) : text.padEnd(widths[column]!)))
      .join("  ")
      .trimEnd();
    return `  ${i === 0 ? style("dim", line) : line}`;
  });
}
