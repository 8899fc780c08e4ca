import { crc32 } from "node:zlib";
import { RegularFile } from "./_read-file.ts";
import { decodeHead, HEAD_BYTES, type SnapshotHead } from "./format.ts";

/**
 * Reads a snapshot's header without the rest; the length of the file is checked. O(1). Throws
 * `SnapshotError`.
 */
export async function readSnapshotHead(path: string): Promise<SnapshotHead> {
  const file = new RegularFile(path);
  try {
    const start = new Uint8Array(Math.min(file.size, HEAD_BYTES));
    file.readNow(start, 0);
    return decodeHead(start, file.size, path, crc32);
  } finally {
    await file.close();
  }
}
