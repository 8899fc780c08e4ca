import { reasonOf } from "./_metadata.ts";
import { decodePlainMessagePack } from "./_plain-msgpack.ts";
import { METADATA_SECTION, metadataSection } from "./format.ts";
import { SnapshotError } from "./snapshot-error.ts";
import type { Snapshot } from "./snapshot.ts";

/**
 * As `snapshot.metadata`, but bytes are views of the snapshot's memory, which stays for as long as they do: for
 * documents with millions of bytes of which few are needed at once. They must not be written to. O(values, without
 * their bytes). @throws SnapshotError `bad-metadata`; the error names `path`
 */
export function metadataInPlace({ buffer, info }: Snapshot, path: string): unknown {
  const { byteOffset, byteLength } = metadataSection(info.sections);
  try {
    return decodePlainMessagePack(new Uint8Array(buffer, byteOffset, byteLength), { bytesInPlace: true });
  } catch (cause) {
    throw new SnapshotError("bad-metadata", path, `the metadata cannot be read: ${reasonOf(cause)}`, {
      section: METADATA_SECTION,
      cause,
    });
  }
}
