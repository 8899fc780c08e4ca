import type { AddressCounts } from "./address-counts.ts";
import type { Snapshot } from "../../snapshot/snapshot.ts";
import type { SharedSnapshot } from "../threads/share-snapshot.ts";
import type { ThreadFailure } from "../threads/thread-failure.ts";

import type { AddressChoice } from "../lines/fields/field-address.ts";
import type { TimeCount } from "./time-counter.ts";
import type { RowFormat } from "../../rows/row-format.ts";
import type { LineShape } from "../lines/line-shape.ts";

/** Which lines get a row: `unmatched` are the lines without a match, including those without an address. */
export type RowSelection = "all" | "matched" | "unmatched";

/** What a worker receives for a run. Memory is shared, not copied. */
export interface WorkerSetup {
  readonly snapshot: SharedSnapshot;
  readonly work: ShardWork;
  /** The number of its thread; 0 is the main one. */
  readonly thread: number;
}

/**
 * Bytes that threads share: in the memory of the run's snapshot, from the address `at` on, or in a buffer (`buffer`).
 */
export interface SharedBytes {
  readonly buffer: SharedArrayBuffer | null;
  readonly at: number;
  readonly byteLength: number;
}

/** The addresses of what a thread with a kernel uses of the snapshot's memory. */
export interface Workspace {
  readonly kernel: number;
  readonly inputs: readonly number[];
  /** The size of each input. */
  readonly inputBytes: number;
  /** The size of each area for templates. */
  readonly templateBytes: number;
  /**
   * The list of each match's row template, shared by all threads, and the area where this one writes them; 0 without
   * rows.
   */
  readonly sharedTemplateOf: number;
  readonly sharedTemplates: number;
  /** An area for texts that rows end with; null if there are none. */
  readonly tails: SharedBytes | null;
  /** A list and an area of its own, for when that area is full. */
  readonly templateOf: number;
  readonly templates: number;
}

/** A further snapshot that addresses are looked up in. */
export interface FurtherShared {
  readonly label: string;
  readonly shared: Snapshot["shared"];
  readonly renderer: string | undefined;
}

/** What is done with every shard of a run. */
export interface ShardWork {
  readonly format: RowFormat | "none";
  readonly renderer: string | undefined;
  readonly rows: RowSelection;
  readonly address: AddressChoice;
  /** The name of what `append` adds to a JSON object. */
  readonly appendAs: string;
  /** Whether rows of the format "jsonl" contain the line itself. */
  readonly rowText: boolean;
  /** Maximum distinct addresses that are counted; 0: none are. */
  readonly countedAddresses: number;
  /** What happens if there are more: it is an error, or the rare ones are dropped. */
  readonly moreAddresses: "fail" | "drop";
  /** Milliseconds of what lines are counted by; 0: they are not counted by their times. */
  readonly timeUnit: number;
  /** As for `lineTime`. */
  readonly latest: number;
  /** The label of the run's snapshot, if there are further ones. */
  readonly label: string;
  readonly further: readonly FurtherShared[];
  /** Whether the last of them is beside the others: it decides nothing. */
  readonly hasBeside: boolean;
  /** The columns of rows; null: all that the renderers write. */
  readonly columns: readonly string[] | null;
  /**
   * The snapshot that must have a match for the line to have one: 0 the run's, then the further ones; -1: any will do.
   */
  readonly only: number;
  /** The snapshot in which an address must have a match for its line to have one, and which nothing shows; null: there is none. */
  readonly within: Snapshot["shared"] | null;
  /** What has expired at this moment, in milliseconds since the Unix epoch, is skipped. */
  readonly now: number;
  /** The table's `ActiveMatches` of that moment; null if nothing has expired. */
  readonly active: SharedBytes | null;
  /**
   * One row of 64-bit floats per thread (the first is the main thread's), or null: an element per match id from 0 on,
   * or per joined id if there are several snapshots.
   */
  readonly perMatch: SharedBytes | null;
  /** If there are several snapshots and `perMatch`: the same by match id, for each snapshot. */
  readonly perMatchOfSnapshots: readonly { readonly block: SharedBytes; readonly maxId: number }[];
  /** One per thread, for the kernel; null: there is no kernel, everything is done in TypeScript. */
  readonly workspaces: readonly Workspace[] | null;
  /** Maximum bytes of row templates of a thread. */
  readonly templateBytes: number;
  readonly lineBytes: number;
  /** Maximum lines processed at a time. */
  readonly shardLines: number;
}

/** The lines that begin in bytes [from, to) of an open regular file; the thread that processes it reads it. */
export interface FileShard {
  readonly kind: "file";
  /** File descriptors belong to the process: all threads can read from it at positions of their own. */
  readonly descriptor: number;
  /** Where the input's first line begins: what precedes it in the file is no part of the input, or its header. */
  readonly first: number;
  readonly from: number;
  readonly to: number;
  /** Where the file ended when the run began. */
  readonly size: number;
  readonly shape: LineShape;
  /**
   * The number of its first line in the input, if rows have line numbers; null: it is requested once the shard's lines
   * are counted.
   */
  readonly firstLine: number | null;
  /** Where rows go, or null without rows. */
  readonly rows: SharedBytes | null;
}

/**
 * The lines in `bytes[from, to)`, all whole: `bytes[to - 1]` is an LF, or `bytes[to]` is one that the stream did not
 * have.
 */
export interface ChunkShard {
  readonly kind: "chunk";
  readonly bytes: SharedBytes;
  readonly from: number;
  readonly to: number;
  readonly shape: LineShape;
  readonly firstLine: number | null;
  readonly rows: SharedBytes | null;
}

export type Shard = FileShard | ChunkShard;

/**
 * What a worker is sent after its setup: shards, with numbers that identify their results, and replies to its requests.
 */
export type WorkerTask =
  | { readonly number: number; readonly shard: Shard }
  | { readonly number: number; readonly firstLine: number }
  | { readonly number: number; readonly collect: true }
  /** The last message. */
  | { readonly end: true };

/** What a worker sends: first that it is running (number -1), then a result for each task. */
export type WorkerAnswer =
  | { readonly number: number; readonly result: ShardResult | null }
  /** Before its result: the shard has this many lines; what is the number of the first? */
  | { readonly number: number; readonly textLines: number }
  | { readonly number: number; readonly addresses: AddressCounts | null }
  | { readonly number: number; readonly failure: ThreadFailure };

/** `MalformedInputLine` says what each means. */
export type MalformedReason = "not-an-object" | "too-many-fields" | "text-after-quotes";

/**
 * A line that is not a JSON object: how many lines of the part precede it, and where it stops being one (a column from
 * 1).
 */
export interface MalformedLine {
  readonly linesBefore: number;
  readonly column: number;
  readonly reason: MalformedReason;
}

/** The result of a shard. */
export interface ShardResult {
  /** Records, if lines are records. */
  readonly lines: number;
  /** Lines of the text. */
  readonly textLines: number;
  readonly addresses: number;
  readonly matched: number;
  /** Lines to which `append` could not add in the usual way, and the first of them. */
  readonly malformed: number;
  readonly malformedLines: readonly MalformedLine[];
  /** The lines by their own times, if they are counted by these. */
  readonly times: readonly TimeCount[];
  /**
   * The row buffer was full, or the maximum number of lines was processed: the shard continues with the line at this
   * position. null: it is done.
   */
  readonly next: number | null;
  /** The shard's row buffer, or a larger one made for a single row that did not fit. */
  readonly rows: SharedBytes | null;
  readonly rowBytes: number;
  /** Why the line after the counted ones could not be read, or has no row. */
  readonly failure: ShardFailure | null;
}

export type ShardFailure =
  | "line-too-long"
  | "input-changed"
  | "quote-unclosed"
  | "fields-differ"
  | "member-exists"
  | "too-many-addresses";
