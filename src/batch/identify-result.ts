import type { MalformedReason } from "./engine/messages.ts";
import type { AddressCounts } from "./engine/address-counts.ts";
import type { TimeCount } from "./engine/time-counter.ts";
import type { TopAddresses } from "./top-addresses.ts";

/** The progress of a run; counts are of processed lines, so they only grow. */
export interface Progress {
  /** Bytes of the inputs as they are stored (compressed ones: before decompression). */
  readonly bytesRead: number;
  /** Size of all inputs; null if one is a stream or a pipe. */
  readonly totalBytes: number | null;
  readonly lines: number;
  /** Lines with an address, and how many of them have a match. */
  readonly addresses: number;
  readonly matched: number;
  /** Milliseconds. */
  readonly elapsed: number;
  /**
   * With `countMatches` and one snapshot: the lines of each match id so far, as in `IdentifyResult`; lines that are
   * being counted may or may not be included.
   */
  readonly perMatch?: () => Float64Array;
}

/** A line that is not what it should be, or to which `append` could not add in the usual way. */
export interface MalformedInputLine {
  readonly file: string;
  readonly line: number;
  /** Where it stops being a JSON object or a record, or where its first field too many begins, in bytes from 1. */
  readonly column: number;
  /**
   * "text-after-quotes": a record has text behind the closing quote of a field; its address is not looked up.
   * "too-many-fields": a record has more than the header, so that what "append" adds has no column name.
   */
  readonly reason: MalformedReason;
}

/** The private or reserved address that nearly all first lines of an input have first, though others follow it. */
export interface RepeatedAddress {
  readonly file: string;
  readonly address: string;
}

/** Lines by their own times. */
export interface TimeCounts {
  /** Ascending, without those that have no lines. */
  readonly counts: readonly Readonly<TimeCount>[];
  readonly withoutTime: number;
}

/** What `identifyLines` counted: lines = addresses + withoutAddress; addresses = matched + unmatched. */
export interface IdentifyResult {
  /** Records, if the input is CSV; headers do not count. */
  readonly lines: number;
  readonly addresses: number;
  readonly matched: number;
  readonly unmatched: number;
  readonly withoutAddress: number;
  /**
   * Lines by match id (index 0: addresses without a match), with `countMatches`; otherwise empty. With `only`, lines
   * that have no match in that snapshot have none at all.
   */
  readonly perMatch: Float64Array;
  /** The same for each of `further`, in order. */
  readonly perMatchOfFurther: readonly Float64Array[];
  /** With `countTimes`; otherwise null. */
  readonly times: TimeCounts | null;
  /** With `topAddresses`; otherwise null. */
  readonly top: TopAddresses | null;
  /** With `keptAddresses`; otherwise null. */
  readonly addressCounts: AddressCounts | null;
  /**
   * Lines of JSON input that are not JSON objects, as far as their first and last byte tell; "append", whose rows contain
   * such a line as text, reads them whole. Records of CSV with text behind the closing quote of a field. Records of tables
   * with more fields than the header; their addresses are looked up.
   */
  readonly malformed: number;
  /** The first of them. */
  readonly malformedLines: readonly MalformedInputLine[];
  /**
   * Of the first input whose first lines nearly all begin with one private or reserved address, although some have
   * another: probably not the address that was meant, which `field` names. Null without one.
   */
  readonly repeatedAddress: RepeatedAddress | null;
  /** The files in which there is not a byte. */
  readonly emptyInputs: readonly string[];
  readonly bytesRead: number;
  /** Bytes of rows, before compression. */
  readonly bytesWritten: number;
  /** The reader of `output` has gone (EPIPE): the counts end there. */
  readonly outputClosed: boolean;
  /** The engine that was used; a small input by itself is processed in TypeScript before a kernel would be ready. */
  readonly engine: "webassembly" | "typescript";
  /** Milliseconds. */
  readonly elapsed: number;
}
