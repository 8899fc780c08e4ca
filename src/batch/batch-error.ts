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
  | "fields-differ"
  | "too-many-addresses"
  | "too-many-times"
  | "field-missing"
  | "field-unusable"
  | "output-unusable"
  | "output-failed"
  | "worker-failed"
  | "pool-closed"
  | "engine-missing";

/** The location of an error: a path (`-` is standard input) and, if known, the line (from 1). */
export interface BatchErrorLocation {
  readonly file?: string;
  readonly line?: number;
  readonly cause?: unknown;
}

/**
 * An input, an output or a worker that fails. The message reads `file:line: what is wrong; how to fix it`. Nothing is
 * left behind: an output file is either complete or does not exist.
 */
export class BatchError extends Error {
  readonly code: BatchErrorCode;
  readonly file: string | undefined;
  readonly line: number | undefined;

  constructor(code: BatchErrorCode, what: string, location: BatchErrorLocation = {}) {
    super(locationText(location) + what, location.cause === undefined ? undefined : { cause: location.cause });
    this.name = "BatchError";
    this.code = code;
    this.file = location.file;
    this.line = location.line;
  }
}

function locationText({ file, line }: BatchErrorLocation): string {
  if (file === undefined) return "";
  const name = file === "-" ? "standard input" : file;
  return line === undefined ? `${name}: ` : `${name}:${line}: `;
}
