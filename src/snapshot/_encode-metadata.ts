import { reasonOf } from "./_metadata.ts";
import { decodePlainMessagePack } from "./_plain-msgpack.ts";
import { METADATA_SECTION } from "./format.ts";
import { SnapshotError } from "./snapshot-error.ts";

// Plain MessagePack, no records: any other implementation can read it. A member that is undefined is left out, as in
// JSON.
const PLAIN = { useRecords: false, skipValues: [undefined] };

/**
 * Encodes a document for the metadata section. The encoder is loaded at its first use, because only programs that write
 * snapshots need it. Rejects with `SnapshotError` `invalid-content` for a document that could not be read back.
 */
export async function encodeMetadata(document: unknown, path: string): Promise<Uint8Array> {
  const { Packr } = await import("msgpackr/pack");
  try {
    const bytes = new Packr(PLAIN).pack(document);
    decodePlainMessagePack(bytes, { bytesInPlace: true });
    return bytes;
  } catch (cause) {
    throw new SnapshotError("invalid-content", path, `the metadata cannot be written: ${reasonOf(cause)}`, {
      section: METADATA_SECTION,
      cause,
    });
  }
}
