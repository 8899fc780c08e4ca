import { bufferOf } from "../memory/shared-memory.ts";
import { allocateFor } from "./_allocate.ts";
import { SectionChecksums } from "./_section-checksums.ts";
import { crc32 } from "./crc32.ts";
import { decodeHead } from "./format.ts";
import { Snapshot } from "./snapshot.ts";

/**
 * Opens a snapshot from bytes in memory, from `fetch` or an upload, on any platform. The bytes are copied and checked
 * like those of a file; the caller may change them afterwards. `name` stands for them in errors. O(bytes). @throws
 * SnapshotError for bytes that are not a valid snapshot @throws TypeError for anything other than bytes
 */
export function snapshotFromBytes(bytes: Uint8Array | ArrayBufferLike, name: string = "snapshot"): Snapshot {
  const given = asBytes(bytes);
  const head = decodeHead(given, given.length, name);
  const shared = allocateFor(head, name);
  const copy = new Uint8Array(bufferOf(shared), 0, head.byteLength);
  copy.set(given);
  new SectionChecksums(copy, head, name, crc32).advance(copy.length);
  return new Snapshot(shared, head, name);
}

function asBytes(bytes: unknown): Uint8Array {
  if (bytes instanceof Uint8Array) return bytes;
  const tag = Object.prototype.toString.call(bytes);
  if (tag === "[object ArrayBuffer]" || tag === "[object SharedArrayBuffer]")
    return new Uint8Array(bytes as ArrayBufferLike);
  throw new TypeError(
    `a snapshot is opened from a Uint8Array or an ArrayBuffer, this is ${typeof bytes}; a path is opened by openSnapshot`,
  );
}
