import type { AddressCounts } from "../address-counts.ts";
import type { Snapshot } from "../../snapshot/snapshot.ts";
import type { SharedSnapshot } from "../pool/messages.ts";
import type { ThreadFailure } from "../pool/thread-failure.ts";
import type { AddressChoice, RowSelection } from "../identify-options.ts";
import type { RowFormat } from "../../rows/row-format.ts";
import type { LineShape } from "../lines/line-shape.ts";

/** What a worker is told of a run. Memory is shared, not copied. */
export interface WorkerSetup {
  readonly snapshot: SharedSnapshot;
  readonly work: ShardWork;
  /** The number of its thread; 0 is the main one. */
  readonly thread: number;
}

/**
 * Bytes that threads share: of the memory of the run's snapshot, from the address `at` on, or (`buffer`) of a buffer.
 */
export interface SharedBytes {
  readonly buffer: SharedArrayBuffer | null;
  readonly at: number;
  readonly byteLength: number;
}

/** What a thread with a kernel uses of the snapshot's memory, as addresses. */
export interface Workspace {
  readonly kernel: number;
  readonly inputs: readonly number[];
  /** The size of each input. */
  readonly inputBytes: number;
  /**
   * The list of each match's row template that all threads share, and the area where this one writes them; 0 without
   * rows.
   */
  readonly sharedTemplateOf: number;
  readonly sharedTemplates: number;
  /** The same for the time when that area is full: a list and an area of its own. */
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
  /** Whether rows of the format "jsonl" hold the line itself. */
  readonly rowText: boolean;
  /** How many different addresses are counted at most; 0: none are. */
  readonly countedAddresses: number;
  /** What happens where there are more: it is an error, or the rare ones are dropped. */
  readonly moreAddresses: "fail" | "drop";
  /** What the snapshot of the run is called beside further ones. */
  readonly label: string;
  readonly further: readonly FurtherShared[];
  /** The snapshot without whose match a line has none, 0 the run's, then the further ones; -1: any will do. */
  readonly only: number;
  /** What has expired at this moment, in milliseconds since the Unix epoch, is skipped. */
  readonly now: number;
  /** The table's `ActiveMatches` of that moment; null where nothing has expired. */
  readonly active: SharedBytes | null;
  /** One row of `matchCount + 1` 64-bit floats per thread (the first is the main thread's), or null. */
  readonly perMatch: SharedBytes | null;
  /** One per thread, for the kernel; null: there is none, everything is done in TypeScript. */
  readonly workspaces: readonly Workspace[] | null;
  readonly lineBytes: number;
  /** The most lines that are done at a time. */
  readonly shardLines: number;
}

/** The lines that begin in bytes [from, to) of an open regular file; whoever takes it reads it. */
export interface FileShard {
  readonly kind: "file";
  /** File descriptors belong to the process: all threads can read from it at positions of their own. */
  readonly descriptor: number;
  readonly from: number;
  readonly to: number;
  /** Where the file ended when the run began. */
  readonly size: number;
  readonly shape: LineShape;
  /**
   * The number of its first line in the input, where rows carry numbers; null: it is asked for, with the lines there
   * are in it.
   */
  readonly firstLine: number | null;
  /** Where rows go, or null if none are wanted. */
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
 * What a worker is sent after its setup: shards, with numbers by which their answers are known, and what it asks for
 * meanwhile.
 */
export type WorkerTask =
  | { readonly number: number; readonly shard: Shard }
  | { readonly number: number; readonly firstLine: number }
  | { readonly number: number; readonly collect: true }
  /** The last message. */
  | { readonly end: true };

/** What a worker answers: first that it is up (number -1), then to each task. */
export type WorkerAnswer =
  | { readonly number: number; readonly result: ShardResult | null }
  /** Before its result: so many lines are in the shard; which number has the first? */
  | { readonly number: number; readonly textLines: number }
  | { readonly number: number; readonly addresses: AddressCounts }
  | { readonly number: number; readonly failure: ThreadFailure };

/**
 * A line that is no JSON object: how many lines of the part are before it, and where it stops being one (a column from
 * 1).
 */
export interface MalformedLine {
  readonly linesBefore: number;
  readonly column: number;
}

/** What became of a shard. */
export interface ShardResult {
  /** Records, where lines are records. */
  readonly lines: number;
  /** Lines of the text. */
  readonly textLines: number;
  readonly addresses: number;
  readonly matched: number;
  /** Lines that `append` could not add a member to, and the first of them. */
  readonly malformed: number;
  readonly malformedLines: readonly MalformedLine[];
  /**
   * The row buffer was full, or as many lines were done as may be at a time: the shard goes on with the line at this
   * position. null: it is done.
   */
  readonly next: number | null;
  /** The shard's place for rows, or a larger one made for a single row that did not fit. */
  readonly rows: SharedBytes | null;
  readonly rowBytes: number;
  /** Why the line after the counted ones could not be read, or has no row. */
  readonly failure: ShardFailure | null;
}

export type ShardFailure =
  | "line-too-long"
  | "input-changed"
  | "quote-unclosed"
  | "member-exists"
  | "too-many-addresses";
