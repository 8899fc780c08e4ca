/** Columns count from 1 to this, so that counting them fits an integer of the kernel. */
export const COLUMN_MAX = 1_000_000;

/**
 * Where each line has its address: a column from 0, the property of a JSON object, or the value of a key. `header`: the
 * `#Fields` or `#fields` of a log whose further ones must name the same columns. `columns`: how many columns a header
 * names, where values may stand in quotes (W3C logs); 0 or absent: none does. Crosses threads.
 */
export type FieldSpec =
  | { readonly syntax: "csv"; readonly column: number; readonly header?: string }
  | { readonly syntax: "tsv"; readonly column: number; readonly columns?: number; readonly header?: string }
  | { readonly syntax: "space"; readonly column: number; readonly columns: number; readonly header?: string }
  | { readonly syntax: "jsonl"; readonly member: string }
  | { readonly syntax: "keys"; readonly key: string };

/** The position of a field: `bytes[start, end)`. `bytes[end]` exists and is a delimiter. */
export interface FieldSpan {
  bytes: Buffer;
  start: number;
  end: number;
}

/**
 * Sets `span` to the field of the line `bytes[start, end)` and returns true, or returns false if the line has no such
 * field.
 */
export type LocateField = (bytes: Buffer, start: number, end: number, span: FieldSpan) => boolean;
