import type { AddressChoice } from "./lines/fields/field-address.ts";
import type { FieldSyntax } from "./lines/fields/resolve-field.ts";
import type { RowSelection } from "./engine/messages.ts";
import { APPENDED_COLUMN } from "../rows/row-columns.ts";
import type { Readable, Writable } from "node:stream";
import type { RowFormat } from "../rows/row-format.ts";
import type { Snapshot } from "../snapshot/snapshot.ts";
import type { TimeUnit } from "./engine/time-counter.ts";
import type { Engine } from "./engine/engine.ts";
import type { Progress } from "./identify-result.ts";

/** A further snapshot, with the module of its rows (see `IdentifyOptions.renderer`). */
export interface LabelledSnapshot {
  /** One line of text, unique among the snapshots. */
  readonly label: string;
  readonly snapshot: Snapshot;
  readonly renderer?: string;
  readonly columns?: readonly string[];
}

/** What `identifyLines` reads, looks up and writes. */
export interface IdentifyOptions {
  /** Paths in the order of the rows; "-" is standard input. A stream is read as it is. At least one. */
  readonly inputs: readonly (string | Readable)[];
  /** All threads read its memory, and buffers are added after it; nothing is copied. */
  readonly snapshot: Snapshot;
  /**
   * Further snapshots: the addresses are found once and looked up in all. A line matches if it matches in any. Rows
   * have the columns of each, in order; rows of JSON have a property for each, named by its label.
   */
  readonly further?: readonly LabelledSnapshot[];
  /**
   * A snapshot that only adds to rows and counts: which lines match is decided without it. Not with `further`; rows need
   * `chosenColumns`. Its counts are in `perMatchOfFurther`.
   */
  readonly beside?: Snapshot;
  /** The columns of rows, in order, of those that the renderer knows (`createColumnTemplates`). */
  readonly chosenColumns?: readonly string[];
  /** The names of the columns after the address, for inputs with a header. Default: cidr and cbs_ids. */
  readonly columns?: readonly string[];
  /** The label of `snapshot` if there are further ones. Default: its kind. */
  readonly label?: string;
  /** The label of the only snapshot that counts: lines without a match in it have none at all. */
  readonly only?: string;
  /**
   * A snapshot that only selects: lines whose address has no match in it have none at all, those with one have a match
   * even if there is none in the others. Rows and counts do not show it. Not with `only`.
   */
  readonly within?: Snapshot;
  /** "none" counts only; then `renderer` and `output` are not used. */
  readonly format: RowFormat | "none";
  /** URL of the module that exports `createRowTemplates` (as returned by `import.meta.resolve(...)`). */
  readonly renderer?: string;
  /** Default "all": one row per line. */
  readonly rows?: RowSelection;
  /**
   * A column from 1 to 1,000,000, or a name: of the header row (csv, tsv) or of `#Fields` (W3C, Zeek), of a property
   * (jsonl; dots reach into objects), or of a key (keys). Default: the whole line.
   */
  readonly field?: number | string;
  /**
   * What the lines are. Default: detected from each input's name (.csv, .tsv) and first non-empty line. Without
   * `field`, only JSON and a row of column names are detected from that line. In CSV a quoted field may contain
   * newlines: then a line is a record.
   */
  readonly fieldSyntax?: FieldSyntax;
  /**
   * Whether the first line of CSV and TSV is a header: it gets no row, and rows get a header of their own. Default:
   * detected from that line.
   */
  readonly header?: boolean;
  /** Default "first". */
  readonly address?: AddressChoice;
  /**
   * The name of the property that "append" adds to a JSON object, or of the column that it adds to CSV with a header.
   * Default "cbs_ids".
   */
  readonly appendAs?: string;
  /** Rows of the format "jsonl" also contain the line itself, as the property "text". */
  readonly rowText?: boolean;
  /**
   * Also count lines by the minute, hour or day of their own time (`IdentifyResult.times`): the first time that the line
   * names, in one of the usual forms, in UTC.
   */
  readonly countTimes?: TimeUnit;
  /**
   * Also count lines by address, exactly, and report the addresses with the most lines (`IdentifyResult.top`): this
   * many with a match, and this many without.
   */
  readonly topAddresses?: number;
  /**
   * What has expired at this moment, in milliseconds since the Unix epoch, is skipped, so that the next less specific
   * prefix decides. Default: the clock when the run begins; -Infinity is before everything expires.
   */
  readonly now?: number;
  /** Threads that process shards, including the calling one. Default: as many as the machine has. */
  readonly threads?: number;
  /** Default "auto". */
  readonly engine?: Engine;
  /**
   * Where rows go: a path (written as PATH.partial, then renamed; compressed if it ends in .gz or .zst) or a stream,
   * which is not ended.
   */
  readonly output?: Writable | { readonly path: string };
  /** Also count the lines of each match id (`IdentifyResult.perMatch`), in each of several snapshots. */
  readonly countMatches?: boolean;
  /**
   * Also count lines by address (`IdentifyResult.addressCounts`), exactly for up to this many distinct ones: if there
   * are more, rare ones are dropped, and the counts of the others are too low by at most a known number. Not with
   * `topAddresses`.
   */
  readonly keptAddresses?: number;
  /** Called about ten times a second, and once at the end, even of a run that fails. */
  readonly onProgress?: (progress: Progress) => void;
  /** Aborting rejects with the signal's reason; an unfinished output file is removed first. */
  readonly signal?: AbortSignal;
  readonly limits?: Partial<BatchLimits>;
  /**
   * Awaited each time before the calling thread processes a shard, a part of one (`limits.shardLines`), or some
   * thousand counted addresses: so a program that has other work decides when the run continues.
   */
  readonly pause?: () => Promise<void>;
}

/** Sizes that affect speed and memory, never a result. The defaults are the measured best; tests make them tiny. */
export interface BatchLimits {
  /** Maximum bytes of input per shard (2 MiB). */
  readonly shardBytes: number;
  /** Lines processed at a time (no limit): there may be as many empty lines as bytes. */
  readonly shardLines: number;
  /** Maximum bytes of rows per shard (2 MiB; a single longer row is allowed). */
  readonly rowBytes: number;
  /**
   * When the row templates of a thread take more than this (64 MiB, less with more than eight threads), all are
   * forgotten and made again: memory does not grow with the snapshot. 160,000 templates of JSON fit.
   */
  readonly templateBytes: number;
  /**
   * Inputs of fewer bytes altogether start no workers. Default: the size from which workers save more time than their
   * start takes, which depends on what is done with the lines (`defaultWorkerBytes`).
   */
  readonly workerBytes?: number;
  /** Maximum length of a line (1 GiB); it is in memory about twice, with its row three times. */
  readonly lineBytes: number;
  /**
   * With `topAddresses`: maximum distinct addresses that are counted (20 million), at up to 36 bytes each in every
   * thread, 64 for IPv6.
   */
  readonly addresses: number;
}

export const DEFAULT_LIMITS: BatchLimits = {
  shardBytes: 2 << 20,
  shardLines: Number.MAX_SAFE_INTEGER,
  rowBytes: 2 << 20,
  templateBytes: 64 << 20,
  lineBytes: 1 << 30,
  addresses: 20_000_000,
};

/** The default name of what `append` adds to a record or an object. */
export const DEFAULT_APPENDED_NAME = APPENDED_COLUMN;

/** What determines how long a byte of input takes. */
export type WorkPerByte = Pick<
  IdentifyOptions,
  "format" | "engine" | "field" | "fieldSyntax" | "address" | "rowText" | "topAddresses"
>;

/**
 * The minimum size of inputs for which workers are started: where two threads are about as fast as one. A worker costs
 * 0.14 s of processor time where the kernel counts, 0.17 s with rows, 0.25 s in TypeScript; a byte takes 0.5, 1.3 and 4 ns;
 * and two busy processors slow each other down by 1.28 here. A byte of JSON takes as long with a field as without, a
 * byte of a column as long as with rows. What all threads count by address is added up in one more table, so that a worker
 * costs more there: as light as counting alone. Workers of a pool (`isWarm`) have started already.
 */
export function defaultWorkerBytes(work: WorkPerByte, isWarm: boolean): number {
  const isPlain = (work.address ?? "first") === "first" && work.rowText !== true && isFieldOfKernel(work);
  const byKernel = work.engine !== "typescript" && isPlain;
  const isCounted = work.format === "none" && work.topAddresses === undefined;
  const isLight = isCounted && (work.field === undefined || work.fieldSyntax === "jsonl");
  const cold = !byKernel ? 128 << 20 : isLight ? 512 << 20 : 256 << 20;
  return isWarm ? cold >> 5 : cold;
}

/** Whether the kernel surely finds the field, as far as the options say: columns separated by blanks have no names. */
function isFieldOfKernel({ field, fieldSyntax, format }: WorkPerByte): boolean {
  if (field === undefined) return true;
  if (format === "append") return false;
  return fieldSyntax === undefined ? typeof field === "string" : fieldSyntax !== "space" && fieldSyntax !== "keys";
}
