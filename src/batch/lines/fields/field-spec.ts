import type { FieldSyntax } from "../../identify-options.ts";

/** Where the address stands in each line: a column from 0, or the member of a JSON object. Crosses threads. */
export type FieldSpec =
  | { readonly syntax: Exclude<FieldSyntax, "jsonl">; readonly column: number }
  | { readonly syntax: "jsonl"; readonly member: string };

/** Where a located field lies: `bytes[start, end)`. `bytes[end]` is there and delimits. */
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
