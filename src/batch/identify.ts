import type { Readable, Writable } from "node:stream";
import type { Snapshot } from "../snapshot/open-snapshot.ts";

/** What one row looks like; `none` writes nothing and only counts. */
export type RowFormat = "tsv" | "jsonl" | "csv" | "append";

/** How a line is cut into fields. */
export type FieldSyntax = "csv" | "tsv" | "jsonl" | "space";

/** Which lines give a row: `unmatched` are the lines without a match, those without an address among them. */
export type RowSelection = "all" | "matched" | "unmatched";

/**
 * The module at `IdentifyOptions.renderer` exports this function under the name `createRowTemplates`. Every thread
 * imports the module and calls the result once per match id it meets (0: an address without a match).
 *
 * A template is the bytes of a row in which byte 0x00 and one byte L are a hole: L = 255 is the canonical address,
 * L <= 128 the address masked to L bits as a prefix (bare at the family's full length). `tsv`, `csv` and `jsonl`
 * templates end with the newline; `append` templates hold what follows the original line, without one.
 */
export type CreateRowTemplates = (snapshot: Snapshot, format: RowFormat) => (match: number) => Uint8Array;

export interface IdentifyOptions {
  /** Paths in the order of the rows; "-" is standard input. A stream stands for itself. At least one. */
  readonly inputs: readonly (string | Readable)[];
  /** Its `SharedArrayBuffer` is what all threads read; nothing is copied. */
  readonly snapshot: Snapshot;
  /** "none" counts only; then `renderer` and `output` are not used. */
  readonly format: RowFormat | "none";
  /** Address of the module that exports `createRowTemplates` (`import.meta.resolve(...)` gives one). */
  readonly renderer?: string;
  /** Default "all": lines out = lines in. */
  readonly rows?: RowSelection;
  /** A column from 1, or a name: of the header row (csv, tsv), or of a member (jsonl; dots reach into objects). Default: the whole line. */
  readonly field?: number | string;
  /** Default: told from each input's first line that is not empty. Used with `field` only. */
  readonly fieldSyntax?: FieldSyntax;
  /** Threads that work on shards, the calling one among them. Default: as many as the machine has. */
  readonly threads?: number;
  /** Where rows go: a path (written as PATH.partial, then renamed; compressed if it ends in .gz or .zst) or a stream, which is not ended. */
  readonly output?: Writable | { readonly path: string };
  /** Also count the lines of each match id (`IdentifyResult.perMatch`). */
  readonly countMatches?: boolean;
  /** Called about ten times a second and once at the end. */
  readonly onProgress?: (progress: Progress) => void;
  /** Aborting rejects with the signal's reason; an unfinished output file is removed first. */
  readonly signal?: AbortSignal;
  readonly limits?: Partial<BatchLimits>;
}

/** Sizes that decide speed and memory, never a result. The defaults are the measured best; tests make them tiny. */
export interface BatchLimits {
  /** Bytes of input per shard at most. */
  readonly shardBytes: number;
  /** Bytes of rows per shard at most (one longer row is let through alone). */
  readonly rowBytes: number;
  /** Inputs of fewer bytes altogether start no workers. */
  readonly workerBytes: number;
  /** The longest line accepted. */
  readonly lineBytes: number;
}

export interface Progress {
  /** Bytes of the inputs as they are stored (compressed ones: before decompression). */
  readonly bytesRead: number;
  /** Size of all inputs; null where one is a stream or a pipe. */
  readonly totalBytes: number | null;
  readonly lines: number;
  /** Milliseconds. */
  readonly elapsed: number;
}

/** lines = addresses + withoutAddress; addresses = matched + unmatched. */
export interface IdentifyResult {
  readonly lines: number;
  readonly addresses: number;
  readonly matched: number;
  readonly unmatched: number;
  readonly withoutAddress: number;
  /** Lines by match id (index 0: addresses without a match), with `countMatches`; otherwise empty. */
  readonly perMatch: Float64Array;
  readonly bytesRead: number;
  /** Bytes of rows, before compression. */
  readonly bytesWritten: number;
  /** The reader of `output` has gone (EPIPE): the counts end where it went. */
  readonly outputClosed: boolean;
  /** Milliseconds. */
  readonly elapsed: number;
}

/**
 * Finds the address of every line of the inputs, looks it up, and writes one row per line, in order.
 * @throws BatchError for an input, output or field that cannot be used; the signal's reason when aborted.
 */
export async function identify(options: IdentifyOptions): Promise<IdentifyResult> {
  throw new Error(`identify is being built (${options.inputs.length} inputs)`);
}
