import type { FieldSyntax } from "../../identify-options.ts";

/** Where each line has its address: a column from 0, or the property of a JSON object. Crosses threads. */
export type FieldSpec =
  | { readonly syntax: Exclude<FieldSyntax, "jsonl">; readonly column: number }
  | { readonly syntax: "jsonl"; readonly member: string };

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
