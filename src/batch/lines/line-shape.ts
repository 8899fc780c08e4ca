import type { FieldSpec } from "./fields/field-spec.ts";

/** How the lines of one input are read, and how `append` adds to them. Crosses threads. */
export interface LineShape {
  /** Where the address is; null: anywhere in the line. */
  readonly field: FieldSpec | null;
  /** "csv": a quoted field may contain newlines, so that a line of the input is a record. */
  readonly records: "lines" | "csv";
  readonly append: "append" | "append-csv" | "append-jsonl";
  /**
   * The number of columns of the header, to which records are filled up before one is appended; 0: there is no header.
   */
  readonly columns: number;
}

/** Lines of text: the default for an input without other signs. */
export const TEXT_LINES: LineShape = { field: null, records: "lines", append: "append", columns: 0 };
