import type { LineShape } from "../lines/line-shape.ts";
import type { MalformedLine, SharedBytes, ShardFailure } from "../pipeline/messages.ts";

/** Lines that were read: `bytes[start, end)`, an LF at `end - 1` or at `end`, and `SLACK` bytes after. */
export interface Lines {
  readonly bytes: Buffer;
  readonly start: number;
  readonly end: number;
  /** Where `bytes[0]` lies in the memory of the snapshot; null: elsewhere. */
  readonly address: number | null;
  /**
   * The number in its input of the first line that the counts do not have yet less those that they have, where rows
   * carry numbers.
   */
  readonly firstLine: number;
}

/** Where rows go: `bytes[0, filled)` are written. */
export interface RowSpace {
  place: SharedBytes;
  bytes: Buffer;
  filled: number;
}

/** Malformed lines of a part whose places are kept; a file that is no JSON has as many as lines. */
const MAX_MALFORMED_LINES = 20;

/** What has been counted; engines add to it. Lines with a match are among those with an address. */
export class LineCounts {
  lines = 0;
  /** Lines of the text; a record may have several. */
  textLines = 0;
  addresses = 0;
  matched = 0;
  malformed = 0;
  readonly malformedLines: MalformedLine[] = [];
  /** Why the line where the engine stopped has no row. */
  failure: ShardFailure | null = null;

  addMalformed(linesBefore: number, column: number): void {
    this.malformed++;
    if (this.malformedLines.length < MAX_MALFORMED_LINES) this.malformedLines.push({ linesBefore, column });
  }
}

/**
 * Finds, looks up, counts, and writes as rows the addresses of lines: one per thread. There are two with the same
 * answers: `TypeScriptEngine` takes any lines, `KernelEngine` whole lines of text in the memory of the snapshot.
 */
export interface LineEngine {
  /**
   * Does the lines from `start` on. Returns the position of the first line that is not done: `end`, or the line whose
   * row does not fit after those there are, or that has none (`counts.failure`). A line is counted when its row is
   * written. `rows` null: count only.
   */
  run(lines: Lines, shape: LineShape, rows: RowSpace | null, counts: LineCounts): number;
}
