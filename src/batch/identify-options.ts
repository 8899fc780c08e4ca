import { APPENDED_COLUMN } from "../rows/row-columns.ts";
import type { Readable, Writable } from "node:stream";
import type { RowFormat } from "../rows/row-format.ts";
import type { Snapshot } from "../snapshot/snapshot.ts";
import type { Engine } from "./engine/engine.ts";
import type { Progress } from "./identify-result.ts";

/**
 * What a line is: CSV (RFC 4180), columns parted by tabs, a JSON object, or text, whose columns are parted by blanks.
 */
export type FieldSyntax = "csv" | "tsv" | "jsonl" | "space";

/** Which lines give a row: `unmatched` are the lines without a match, those without an address among them. */
export type RowSelection = "all" | "matched" | "unmatched";

/**
 * Which address of a line counts where several stand in it, or in a list in its field: the first, the last, or the
 * first that is reachable from the internet (not private, loopback, documentation and so on, by the IANA registries).
 */
export type AddressChoice = "first" | "last" | "first-public";

/** A further snapshot, with the module of its rows (see `IdentifyOptions.renderer`). */
export interface LabelledSnapshot {
  /** One line, unlike those of the others. */
  readonly label: string;
  readonly snapshot: Snapshot;
  readonly renderer?: string;
  readonly columns?: readonly string[];
}

/** What `identifyLines` reads, looks up and writes. */
export interface IdentifyOptions {
  /** Paths in the order of the rows; "-" is standard input. A stream stands for itself. At least one. */
  readonly inputs: readonly (string | Readable)[];
  /** Its memory is what all threads read, and where buffers are added after it; nothing is copied. */
  readonly snapshot: Snapshot;
  /**
   * Further snapshots: the addresses, found once, are looked up in all. A line matches if it matches in any. Rows have
   * the columns of each, in order; rows of JSON a member for each, by its label. Not with `countMatches` or
   * `topAddresses`.
   */
  readonly further?: readonly LabelledSnapshot[];
  /** What the columns of rows after the address are called, where an input has a header. Default: cidr and cbs_ids. */
  readonly columns?: readonly string[];
  /** What `snapshot` is called beside further ones. Default: its kind. */
  readonly label?: string;
  /** The label of the snapshot without whose match a line has none, not even in the others. */
  readonly only?: string;
  /** "none" counts only; then `renderer` and `output` are not used. */
  readonly format: RowFormat | "none";
  /** Address of the module that exports `createRowTemplates` (`import.meta.resolve(...)` gives one). */
  readonly renderer?: string;
  /** Default "all": lines out = lines in. */
  readonly rows?: RowSelection;
  /**
   * A column from 1, or a name: of the header row (csv, tsv), or of a member (jsonl; dots reach into objects). Default:
   * the whole line.
   */
  readonly field?: number | string;
  /**
   * What the lines are. Default: detected from each input's name (.csv, .tsv) and first line that is not empty. Without
   * `field` only JSON and a row of column names are detected from that line. In CSV a quoted field may hold newlines: a
   * line is a record then.
   */
  readonly fieldSyntax?: FieldSyntax;
  /**
   * Whether the first line of CSV and TSV is a header: it gives no row, and rows get a header of their own. Default:
   * detected from that line.
   */
  readonly header?: boolean;
  /** Default "first". */
  readonly address?: AddressChoice;
  /**
   * What "append" calls the member that it adds to a JSON object, or the column that it adds to CSV with a header.
   * Default "cbs_ids".
   */
  readonly appendAs?: string;
  /** Rows of the format "jsonl" hold the line itself as well, as the member "text". */
  readonly rowText?: boolean;
  /**
   * Also count lines by address, exactly, and report the addresses with the most (`IdentifyResult.top`): so many with a
   * match, and so many without.
   */
  readonly topAddresses?: number;
  /**
   * What has expired at this moment, in milliseconds since the Unix epoch, is skipped, so that the next less specific
   * prefix decides. Default: the clock when the run begins; -Infinity is before everything expires.
   */
  readonly now?: number;
  /** Threads that work on shards, the calling one among them. Default: as many as the machine has. */
  readonly threads?: number;
  /** Default "auto". */
  readonly engine?: Engine;
  /**
   * Where rows go: a path (written as PATH.partial, then renamed; compressed if it ends in .gz or .zst) or a stream,
   * which is not ended.
   */
  readonly output?: Writable | { readonly path: string };
  /** Also count the lines of each match id (`IdentifyResult.perMatch`). */
  readonly countMatches?: boolean;
  /**
   * Also count lines by address (`IdentifyResult.addressCounts`), exactly for so many different ones: where there are
   * more, the rare ones are dropped and the counts of the others are too low by a known number at most. Not with
   * `topAddresses`.
   */
  readonly keptAddresses?: number;
  /** Called about ten times a second and once at the end, whatever it is. */
  readonly onProgress?: (progress: Progress) => void;
  /** Aborting rejects with the signal's reason; an unfinished output file is removed first. */
  readonly signal?: AbortSignal;
  readonly limits?: Partial<BatchLimits>;
  /**
   * Awaited each time before the calling thread works on a shard, or on a part of one (`limits.shardLines`), or on some
   * thousand counted addresses: so a program that answers others meanwhile decides when it goes on.
   */
  readonly pause?: () => Promise<void>;
}

/** Sizes that decide speed and memory, never a result. The defaults are the measured best; tests make them tiny. */
export interface BatchLimits {
  /** Bytes of input per shard at most (1 MiB). */
  readonly shardBytes: number;
  /** Lines that are done at a time (no limit): of empty ones there are as many as bytes. */
  readonly shardLines: number;
  /** Bytes of rows per shard at most (2 MiB; one longer row is let through alone). */
  readonly rowBytes: number;
  /**
   * Inputs of fewer bytes altogether start no workers. Default: so many that what workers save outweighs their start,
   * which depends on what is done with the lines (`defaultWorkerBytes`).
   */
  readonly workerBytes?: number;
  /** The longest line accepted (1 GiB); it is in memory about twice, with its row three times. */
  readonly lineBytes: number;
  /**
   * With `topAddresses`: the most different addresses that are counted (20 million), at up to 32 bytes each in every
   * thread, 64 for IPv6.
   */
  readonly addresses: number;
}

export const DEFAULT_LIMITS: BatchLimits = {
  shardBytes: 1 << 20,
  shardLines: Number.MAX_SAFE_INTEGER,
  rowBytes: 2 << 20,
  lineBytes: 1 << 30,
  addresses: 20_000_000,
};

/** What `append` calls what it adds to a record or an object. */
export const DEFAULT_APPENDED_NAME = APPENDED_COLUMN;

/** What decides how long a byte of input takes. */
export type WorkPerByte = Pick<
  IdentifyOptions,
  "format" | "engine" | "field" | "address" | "rowText" | "topAddresses" | "keptAddresses"
>;

/**
 * The size of inputs from which on workers are started. Estimates, to be measured on a quiet machine: a start takes some
 * 60 ms of processor time, less than a tenth of it in a pool (`isWarm`), and a byte 1 to 2 ns where the kernel counts, several
 * times that with rows or counts of addresses, and more in TypeScript.
 */
export function defaultWorkerBytes(work: WorkPerByte, isWarm: boolean): number {
  const isPlain = work.field === undefined && (work.address ?? "first") === "first" && work.rowText !== true;
  const byKernel = work.engine !== "typescript" && isPlain;
  const isCounted = work.format === "none" && work.topAddresses === undefined && work.keptAddresses === undefined;
  const cold = !byKernel ? 16 << 20 : isCounted ? 128 << 20 : 48 << 20;
  return isWarm ? cold >> 5 : cold;
}
