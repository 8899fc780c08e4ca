/** Why nothing of a feed can be used. */
export type FeedErrorCode =
  /** A web page where the feed should be. */
  | "web-page"
  /** Bytes that are no text. */
  | "not-text"
  /** A feed without a single entry. */
  | "empty"
  /** A line, or a row of a table, longer than any feed's. */
  | "line-too-long"
  /** A table whose first line names no column of addresses, or one twice. */
  | "bad-header"
  /** A cell whose quote nothing closes. */
  | "unclosed-quote";

/** A feed of which nothing can be used; faults of single lines are in its report. */
export class FeedError extends Error {
  readonly code: FeedErrorCode;
  /** From 1. */
  readonly line: number;
  /** What is wrong and its cure, without the place. */
  readonly problem: string;

  constructor(code: FeedErrorCode, line: number, problem: string) {
    super(`line ${line}: ${problem}`);
    this.name = "FeedError";
    this.code = code;
    this.line = line;
    this.problem = problem;
  }
}
