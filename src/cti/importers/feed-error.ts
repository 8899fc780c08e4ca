/** Why a feed cannot be used at all. */
export type FeedErrorCode =
  /** A web page instead of a feed. */
  | "web-page"
  /** Bytes that are not text. */
  | "not-text"
  /** A feed without a single entry. */
  | "empty"
  /** A line, or a row of a table, longer than any feed's. */
  | "line-too-long"
  /** A table whose first line has no column of addresses, or the same column twice. */
  | "bad-header"
  /** A cell with an unclosed quote. */
  | "unclosed-quote";

/** A feed that cannot be used at all; errors of single lines are in its report. */
export class FeedError extends Error {
  readonly code: FeedErrorCode;
  /** From 1. */
  readonly line: number;
  /** What is wrong and how to fix it, without the position. */
  readonly problem: string;

  constructor(code: FeedErrorCode, line: number, problem: string) {
    super(`line ${line}: ${problem}`);
    this.name = "FeedError";
    this.code = code;
    this.line = line;
    this.problem = problem;
  }
}
