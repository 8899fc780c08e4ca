import type { LineShape } from "../lines/line-shape.ts";
import type { TimeCounter } from "./time-counter.ts";
import type { MalformedLine, SharedBytes, ShardFailure } from "./messages.ts";

/** Lines that were read: `bytes[start, end)`, an LF at `end - 1` or at `end`, and `SLACK` bytes after. */
export interface Lines {
  readonly bytes: Buffer;
  readonly start: number;
  readonly end: number;
  /** The address of `bytes[0]` in the memory of the snapshot; null: elsewhere. */
  readonly address: number | null;
  /**
   * If rows have line numbers: the number, in the input, of the first line that is not in the counts, minus the number
   * of lines in the counts.
   */
  readonly firstLine: number;
}

/** Where rows are written: `bytes[0, filled)` is in use. */
export interface RowSpace {
  block: SharedBytes;
  bytes: Buffer;
  filled: number;
}

/** Malformed lines of a part whose positions are kept: in a file that is not JSON, all lines are malformed. */
const MAX_MALFORMED_LINES = 20;

/** What has been counted; engines add to it. Lines with a match are also lines with an address. */
export class LineCounts {
  lines = 0;
  /** Lines of the text; a record may have several. */
  textLines = 0;
  addresses = 0;
  matched = 0;
  malformed = 0;
  readonly malformedLines: MalformedLine[] = [];
  /** Lines by their own times; null unless they are counted by these. */
  readonly times: TimeCounter | null;
  /** Why the line at which the engine stopped has no row. */
  failure: ShardFailure | null = null;

  constructor(times: TimeCounter | null = null) {
    this.times = times;
  }

  addMalformed(linesBefore: number, column: number, reason: MalformedLine["reason"]): void {
    this.malformed++;
    if (this.malformedLines.length < MAX_MALFORMED_LINES) this.malformedLines.push({ linesBefore, column, reason });
  }
}

/**
 * Finds and looks up the addresses of lines, counts them and writes rows: one per thread. There are two with the same
 * results: `TypeScriptEngine` takes any lines, `KernelEngine` lines of text in the memory of the snapshot, whole or cut
 * into fields.
 */
export interface LineEngine {
  /**
   * Processes the lines from `start` on. Returns the position of the first line that was not processed: `end`, or the
   * line whose row does not fit after the existing ones, or that has none (`counts.failure`). A line is counted when
   * its row is written. `rows` null: count only.
   */
  run(lines: Lines, shape: LineShape, rows: RowSpace | null, counts: LineCounts): number;
}
