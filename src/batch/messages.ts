import type { Snapshot } from "../snapshot/open-snapshot.ts";
import type { FieldSpec } from "./fields/field-spec.ts";
import type { RowFormat, RowSelection } from "./identify.ts";

/** What a worker is born with. Buffers are shared, not copied. */
export interface WorkerSetup {
  readonly snapshot: Snapshot["shared"];
  readonly work: ShardWork;
  /** One 32-bit number: how many workers have taken a row of `perMatch` so far. */
  readonly turn: SharedArrayBuffer;
}

/** What is done with every shard of a run. */
export interface ShardWork {
  readonly format: RowFormat | "none";
  readonly renderer: string | undefined;
  readonly rows: RowSelection;
  /** One row of `matchCount + 1` 64-bit floats per thread (the first is the main thread's), or null. */
  readonly perMatch: SharedArrayBuffer | null;
  readonly lineBytes: number;
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
  readonly field: FieldSpec | null;
  /** Where rows go, or null if none are wanted. */
  readonly rowBuffer: SharedArrayBuffer | null;
}

/** The lines in `bytes[from, to)`, all whole: `bytes[to - 1]` is an LF, or `bytes[to]` is one that the stream did not have. */
export interface ChunkShard {
  readonly kind: "chunk";
  readonly bytes: SharedArrayBuffer;
  readonly from: number;
  readonly to: number;
  readonly field: FieldSpec | null;
  readonly rowBuffer: SharedArrayBuffer | null;
}

/** Answered as soon as the worker is up. */
export interface Greeting {
  readonly kind: "greeting";
}

export type WorkerTask = FileShard | ChunkShard | Greeting;

/** What became of a shard. */
export interface ShardResult {
  readonly lines: number;
  readonly addresses: number;
  readonly matched: number;
  /** The row buffer was full: the shard goes on with the line at this position. null: it is done. */
  readonly next: number | null;
  /** The shard's row buffer, or a larger one made for a single row that did not fit. */
  readonly rowBuffer: SharedArrayBuffer | null;
  readonly rowBytes: number;
  /** Why the line behind the counted ones could not be read. */
  readonly failure: "line-too-long" | "input-changed" | null;
}
