import type { AddressCounts } from "./address-counts.ts";
import type { TopAddresses } from "./top-addresses.ts";

/** How far a run has come; counts are of lines that are done, so they only grow. */
export interface Progress {
  /** Bytes of the inputs as they are stored (compressed ones: before decompression). */
  readonly bytesRead: number;
  /** Size of all inputs; null where one is a stream or a pipe. */
  readonly totalBytes: number | null;
  readonly lines: number;
  /** Lines with an address, and those of them with a match. */
  readonly addresses: number;
  readonly matched: number;
  /** Milliseconds. */
  readonly elapsed: number;
  /**
   * With `countMatches`: the lines of each match id so far, as in `IdentifyResult`; some that are being counted may be
   * in it or not.
   */
  readonly perMatch?: () => Float64Array;
}

/** A line that `append` could not add a member to, because it is no JSON object. */
export interface MalformedInputLine {
  readonly file: string;
  readonly line: number;
  /** Where it stops being one, in bytes from 1. */
  readonly column: number;
}

/** What `identifyLines` counted: lines = addresses + withoutAddress; addresses = matched + unmatched. */
export interface IdentifyResult {
  /** Records, where the input is CSV; headers do not count. */
  readonly lines: number;
  readonly addresses: number;
  readonly matched: number;
  readonly unmatched: number;
  readonly withoutAddress: number;
  /** Lines by match id (index 0: addresses without a match), with `countMatches`; otherwise empty. */
  readonly perMatch: Float64Array;
  /** With `topAddresses`; otherwise null. */
  readonly top: TopAddresses | null;
  /** With `keptAddresses`; otherwise null. */
  readonly addressCounts: AddressCounts | null;
  /** Lines that "append" found to be no JSON object among those that are: their rows hold the line as a text. */
  readonly malformed: number;
  /** The first of them. */
  readonly malformedLines: readonly MalformedInputLine[];
  readonly bytesRead: number;
  /** Bytes of rows, before compression. */
  readonly bytesWritten: number;
  /** The reader of `output` has gone (EPIPE): the counts end where it went. */
  readonly outputClosed: boolean;
  /** What was used; a small input alone is done in TypeScript before a kernel would be ready. */
  readonly engine: "webassembly" | "typescript";
  /** Milliseconds. */
  readonly elapsed: number;
}
