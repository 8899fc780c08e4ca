import { createRequire } from "node:module";
import { decodePlainMessagePack } from "./_plain-msgpack.ts";
import { METADATA_SECTION } from "./format.ts";
import { SnapshotError } from "./snapshot-error.ts";

// Plain MessagePack, no records: any other implementation can read it. A member that is undefined is left out, as in
// JSON.
const PLAIN = { useRecords: false, skipValues: [undefined] };

/** Loaded at its first use, because only who writes a snapshot needs it. */
const loadMsgpackr = (): typeof import("msgpackr") => createRequire(import.meta.url)("msgpackr");

/**
 * Encodes a document for the metadata section. Throws `SnapshotError` `invalid-content` on what could not be read back.
 */
export function encodeMetadata(document: unknown, path: string): Uint8Array {
  try {
    const bytes = new (loadMsgpackr().Packr)(PLAIN).pack(document);
    decodePlainMessagePack(bytes);
    return bytes;
  } catch (cause) {
    throw new SnapshotError("invalid-content", path, `the metadata cannot be written: ${reasonOf(cause)}`, {
      section: METADATA_SECTION,
      cause,
    });
  }
}

/**
 * Decodes a metadata section of unknown origin; nothing but plain values comes out. Throws `SnapshotError`
 * `bad-metadata`.
 */
export function decodeMetadata(section: Uint8Array, path: string): unknown {
  try {
    // A copy: nobody can change it under the decoder's feet, as they could in shared memory.
    return decodePlainMessagePack(Buffer.from(section));
  } catch (cause) {
    throw new SnapshotError("bad-metadata", path, `the metadata cannot be read: ${reasonOf(cause)}`, {
      section: METADATA_SECTION,
      cause,
    });
  }
}

function reasonOf(cause: unknown): string {
  return cause instanceof Error ? cause.message : String(cause);
}
