import type { Crc32 } from "./crc32.ts";
import { SIGNATURE_BYTES } from "./format.ts";
import { SnapshotError } from "./snapshot-error.ts";

/*
 * The end of a signed snapshot.
 *
 *        0  16  "ipsieve-ed25519", a zero byte
 *       16  32  public key (RFC 8032)
 *       48  64  signature of SIGNED_PREFIX and the SHA-256 of all bytes of the file before this block
 *      112  12  zero
 *      124   4  CRC-32 of bytes 0-123, for accidents: those are noticed without a key, too
 *
 * The header is among the signed bytes, with the length that includes the block: the block cannot be cut off, or
 * appended to other contents, without changing the signed bytes.
 */

const LABEL = "ipsieve-ed25519\0";
const KEY_AT = 16;
const KEY_BYTES = 32;
const SIGNATURE_AT = 48;
const SIGNATURE_LENGTH = 64;
const CHECKSUM_AT = 124;

/** Precedes the digest, so that a signature is valid only for a snapshot. */
export const SIGNED_PREFIX = "ipsieve snapshot signature 1\n";

/** The key and the signature of a file; nothing is proven before `verifySignature`. */
export interface SignatureBlock {
  /** 32 bytes (RFC 8032). */
  readonly publicKey: Uint8Array;
  /** 64 bytes. */
  readonly signature: Uint8Array;
}

export function encodeSignatureBlock({ publicKey, signature }: SignatureBlock, crc32: Crc32): Uint8Array {
  const block = new Uint8Array(SIGNATURE_BYTES);
  block.set(new TextEncoder().encode(LABEL));
  block.set(publicKey, KEY_AT);
  block.set(signature, SIGNATURE_AT);
  new DataView(block.buffer).setUint32(CHECKSUM_AT, crc32(block.subarray(0, CHECKSUM_AT)), true);
  return block;
}

/** @throws SnapshotError "section-checksum" for a changed block, "bad-signature" for one of another kind */
export function checkSignatureBlock(block: Uint8Array, crc32: Crc32, path: string): void {
  const view = new DataView(block.buffer, block.byteOffset, block.byteLength);
  if (crc32(block.subarray(0, CHECKSUM_AT)) !== view.getUint32(CHECKSUM_AT, true))
    throw new SnapshotError("section-checksum", path, "the signature does not match its checksum", {
      section: "signature",
    });
  const label = String.fromCharCode(...block.subarray(0, KEY_AT));
  const rest = block.subarray(SIGNATURE_AT + SIGNATURE_LENGTH, CHECKSUM_AT);
  if (label !== LABEL || rest.some((byte) => byte !== 0))
    throw new SnapshotError("bad-signature", path, "a signature of a kind that this program does not know", {
      section: "signature",
    });
}

/** The contents of a checked block, as copies. */
export function decodeSignatureBlock(block: Uint8Array): SignatureBlock {
  return {
    publicKey: Uint8Array.from(block.subarray(KEY_AT, KEY_AT + KEY_BYTES)),
    signature: Uint8Array.from(block.subarray(SIGNATURE_AT, SIGNATURE_AT + SIGNATURE_LENGTH)),
  };
}
