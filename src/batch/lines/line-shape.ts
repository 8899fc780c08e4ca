import type { FieldSpec } from "./fields/field-spec.ts";

/** How the lines of one input are read, and how `append` adds to them. Crosses threads. */
export interface LineShape {
  /** Where the address stands; null: anywhere in the line. */
  readonly field: FieldSpec | null;
  /** "csv": a quoted field may hold newlines, so that a line of the input is a record. */
  readonly records: "lines" | "csv";
  readonly append: "append" | "append-csv" | "append-jsonl";
  /** The columns of the header, which records of CSV are filled up to before one is appended; 0: there is none. */
  readonly columns: number;
}

/** Lines of text: what an input is that shows nothing else. */
export const TEXT_LINES: LineShape = { field: null, records: "lines", append: "append", columns: 0 };
