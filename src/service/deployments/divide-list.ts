import type { Prefix } from "../../address/address.ts";

/**
 * The piece that an entry belongs to. It does not depend on the other entries, so a changed entry changes only one
 * piece.
 */
export function chunkOf({ w0, w1, w2, w3, length }: Prefix, chunks: number): number {
  let mixed = length;
  for (const word of [w0, w1, w2, w3]) {
    mixed = Math.imul(mixed ^ word, 0x9e3779b1);
    mixed ^= mixed >>> 15;
  }
  return (mixed >>> 0) % chunks;
}
