/** What went wrong with a batch; each code has a test that provokes it. */
export type BatchErrorCode =
  | "input-missing"
  | "input-is-a-folder"
  | "input-unreadable"
  | "input-changed"
  | "input-encoding"
  | "input-compression"
  | "stream-truncated"
  | "stream-corrupt"
  | "line-too-long"
  | "quote-unclosed"
  | "member-exists"
  | "header-differs"
  | "too-many-addresses"
  | "field-missing"
  | "field-unusable"
  | "output-unusable"
  | "output-failed"
  | "worker-failed"
  | "pool-closed"
  | "engine-missing";

/** Where an error stands: a path (`-` is standard input) and, where it is known, the line (from 1). */
export interface BatchErrorPlace {
  readonly file?: string;
  readonly line?: number;
  readonly cause?: unknown;
}

/**
 * An input, an output or a worker that cannot do its part. The message reads `file:line: what is wrong; the cure`.
 * Nothing of it is left behind: an output file is either complete or not there.
 */
export class BatchError extends Error {
  readonly code: BatchErrorCode;
  readonly file: string | undefined;
  readonly line: number | undefined;

  constructor(code: BatchErrorCode, what: string, place: BatchErrorPlace = {}) {
    super(placeText(place) + what, place.cause === undefined ? undefined : { cause: place.cause });
    this.name = "BatchError";
    this.code = code;
    this.file = place.file;
    this.line = place.line;
  }
}

function placeText({ file, line }: BatchErrorPlace): string {
  if (file === undefined) return "";
  const name = file === "-" ? "standard input" : file;
  return line === undefined ? `${name}: ` : `${name}:${line}: `;
}
