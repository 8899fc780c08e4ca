import { PrefixTable } from "../table/prefix-table.ts";
import { TableError } from "../table/table-error.ts";
import { decodeMetadata } from "./_metadata.ts";
import { readSnapshotFile } from "./_read-file.ts";
import { decodeHead, type SnapshotHead, tableSections } from "./format.ts";
import { SnapshotError } from "./snapshot-error.ts";

/** What a snapshot tells about itself without decoding its metadata. */
export interface SnapshotInfo extends SnapshotHead {
  readonly prefixCount4: number;
  readonly prefixCount6: number;
  readonly matchCount: number;
}

/**
 * Opens a snapshot: reads it into one `SharedArrayBuffer`, checks the header, the section table and every section's
 * checksum, and makes views. Nothing is decoded per prefix; checking goes on beside reading. The file is not needed
 * afterwards, and publishing a new one in its place does not touch this one.
 *
 * Throws `SnapshotError`; a file with any byte changed, lost or added is always refused. `verifySnapshot` also proves that
 * the contents make sense.
 */
export async function openSnapshot(path: string): Promise<Snapshot> {
  const { buffer, head } = await readSnapshotFile(path);
  return new Snapshot(buffer, head, path);
}

/** One loaded generation: a table and its metadata over one buffer, which threads share by passing `buffer` on. */
export class Snapshot {
  readonly buffer: SharedArrayBuffer;
  readonly table: PrefixTable;
  readonly info: SnapshotInfo;
  readonly #path: string;
  #metadata: { readonly document: unknown } | undefined;

  /** For `openSnapshot` and `attach`. Throws `SnapshotError` `bad-table` when the sections cannot be a table's. */
  constructor(buffer: SharedArrayBuffer, head: SnapshotHead, path: string) {
    this.buffer = buffer;
    this.table = asTable(path, () => new PrefixTable(buffer, tableSections(head)));
    this.info = infoOf(head, this.table);
    this.#path = path;
  }

  /** The document written with the table, decoded at the first call. Throws `SnapshotError` `bad-metadata`. */
  get metadata(): unknown {
    if (this.#metadata === undefined) {
      const { byteOffset, byteLength } = this.info.sections[this.info.sections.length - 1];
      this.#metadata = { document: decodeMetadata(new Uint8Array(this.buffer, byteOffset, byteLength), this.#path) };
    }
    return this.#metadata.document;
  }

  /**
   * The snapshot in a buffer that another thread got from `openSnapshot`. The head is checked again; the sections, which
   * were checked when they were read and do not change, are not. O(1).
   */
  static attach(buffer: SharedArrayBuffer): Snapshot {
    const path = "shared memory";
    return new Snapshot(buffer, decodeHead(new Uint8Array(buffer), buffer.byteLength, path), path);
  }
}

export function infoOf(head: SnapshotHead, table: PrefixTable): SnapshotInfo {
  return { ...head, prefixCount4: table.prefixCount(4), prefixCount6: table.prefixCount(6), matchCount: table.matchCount };
}

/** Runs what reads a table and turns its `TableError` into a `SnapshotError` that knows the file. */
export function asTable<Result>(path: string, read: () => Result): Result {
  try {
    return read();
  } catch (cause) {
    if (!(cause instanceof TableError)) throw cause;
    throw new SnapshotError("bad-table", path, cause.message, { section: cause.section, cause });
  }
}
