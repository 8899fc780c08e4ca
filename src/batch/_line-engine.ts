import type { FieldSpec } from "./fields/field-spec.ts";
import type { SharedBytes } from "./messages.ts";

/** Lines that were read: `bytes[start, end)`, an LF at `end - 1` or at `end`, and `SLACK` bytes behind. */
export interface Lines {
  readonly bytes: Buffer;
  readonly start: number;
  readonly end: number;
  /** Where `bytes[0]` lies in the memory of the snapshot; null: elsewhere. */
  readonly address: number | null;
}

/** Where rows go: `bytes[0, filled)` are written. */
export interface RowSpace {
  place: SharedBytes;
  bytes: Buffer;
  filled: number;
}

/** What has been counted; engines add to it. Lines with a match are among those with an address. */
export interface LineCounts {
  lines: number;
  addresses: number;
  matched: number;
}

/**
 * Finds, looks up, counts, and writes as rows the addresses of lines: one per thread. There are two with the same answers:
 * `TypeScriptEngine` takes any lines, `KernelEngine` whole lines in the memory of the snapshot.
 */
export interface LineEngine {
  /**
   * Does the lines from `start` on. Returns the position of the first line that is not done: `end`, or the line whose row
   * does not fit behind those there are. A line is counted when its row is written. `rows` null: count only.
   */
  run(lines: Lines, field: FieldSpec | null, rows: RowSpace | null, counts: LineCounts): number;
}
