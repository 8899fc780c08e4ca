import { bufferOf, isMemory, type Shared, weigh } from "../memory/shared-memory.ts";
import type { SharedMemory } from "../memory/web-assembly.ts";
import { PrefixTable } from "../table/prefix-table.ts";
import { TableError } from "../table/table-error.ts";
import { decodeMetadata } from "./_metadata.ts";
import {
  contentLength,
  decodeHead,
  metadataSection,
  SIGNED_VERSION,
  type SnapshotHead,
  statedLength,
  tableSections,
} from "./format.ts";
import { decodeSignatureBlock } from "./signature-block.ts";
import { SnapshotError } from "./snapshot-error.ts";

/** What is known about a snapshot without decoding its metadata. */
export interface SnapshotInfo extends SnapshotHead {
  readonly prefixCount4: number;
  readonly prefixCount6: number;
  readonly matchCount: number;
}

/** One loaded generation: a table and its metadata over one memory, which threads share by passing `shared` on. */
export class Snapshot {
  /** The value to pass to another thread, as a message or `workerData`, for `Snapshot.attach`. */
  readonly shared: Shared;
  /** The memory that holds the snapshot, from address 0 on; null on platforms where it can only be a plain buffer. */
  readonly memory: SharedMemory | null;
  /**
   * The snapshot's bytes, from byte 0 on; the buffer may be longer than the snapshot. Shared if the platform supports
   * that.
   */
  readonly buffer: ArrayBufferLike;
  readonly table: PrefixTable;
  readonly info: SnapshotInfo;
  readonly #path: string;
  #metadata: { readonly document: unknown } | undefined;

  /**
   * Called by `openSnapshot`, `snapshotFromBytes` and `attach`. Throws `SnapshotError` `bad-table` when the sections
   * cannot be a table's.
   */
  constructor(shared: Shared, head: SnapshotHead, path: string) {
    this.shared = shared;
    this.memory = isMemory(shared) ? shared : null;
    this.buffer = bufferOf(shared);
    weigh(shared, head.byteLength);
    this.table = asTable(path, () => new PrefixTable(this.buffer, tableSections(head)));
    this.info = infoOf(head, this.table);
    this.#path = path;
  }

  /** The document written with the table, decoded at the first call. Throws `SnapshotError` `bad-metadata`. */
  get metadata(): unknown {
    const { byteOffset, byteLength } = metadataSection(this.info.sections);
    return (this.#metadata ??= {
      document: decodeMetadata(new Uint8Array(this.buffer, byteOffset, byteLength), this.#path),
    }).document;
  }

  /**
   * The Ed25519 public key (32 bytes, RFC 8032) whose signature the file holds, or null if it holds none. Only
   * `openSnapshot` with `trustedKeys` proves it.
   */
  get signedBy(): Uint8Array | null {
    if (this.info.version !== SIGNED_VERSION) return null;
    return decodeSignatureBlock(new Uint8Array(this.buffer, contentLength(this.info))).publicKey;
  }

  /**
   * The snapshot in a memory (`shared`) that another thread got from `openSnapshot`. The head is checked again; the
   * sections, which were checked when they were read and do not change, are not. O(1).
   */
  static attach(shared: Shared): Snapshot {
    const path = "shared memory";
    const bytes = new Uint8Array(bufferOf(shared));
    return new Snapshot(shared, decodeHead(bytes, Math.min(statedLength(bytes), bytes.length), path), path);
  }
}

export function infoOf(head: SnapshotHead, table: PrefixTable): SnapshotInfo {
  return {
    ...head,
    prefixCount4: table.prefixCount(4),
    prefixCount6: table.prefixCount(6),
    matchCount: table.matchCount,
  };
}

/** Runs a function that reads a table, and turns its `TableError` into a `SnapshotError` that names the file. */
export function asTable<Result>(path: string, read: () => Result): Result {
  try {
    return read();
  } catch (cause) {
    if (!(cause instanceof TableError)) throw cause;
    const code = cause.code === "unsupported-layout" ? "unsupported-version" : "bad-table";
    throw new SnapshotError(code, path, cause.problem, { section: cause.section, cause });
  }
}
