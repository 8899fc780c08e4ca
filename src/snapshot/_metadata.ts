import { decodePlainMessagePack } from "./_plain-msgpack.ts";
import { METADATA_SECTION } from "./format.ts";
import { SnapshotError } from "./snapshot-error.ts";

/** Decodes a metadata section of unknown origin into plain values only. Throws `SnapshotError` `bad-metadata`. */
export function decodeMetadata(section: Uint8Array, path: string): unknown {
  try {
    // A copy, because another thread could change shared memory while it is decoded.
    return decodePlainMessagePack(new Uint8Array(section));
  } catch (cause) {
    throw new SnapshotError("bad-metadata", path, `the metadata cannot be read: ${reasonOf(cause)}`, {
      section: METADATA_SECTION,
      cause,
    });
  }
}

export function reasonOf(cause: unknown): string {
  return cause instanceof Error ? cause.message : String(cause);
}
