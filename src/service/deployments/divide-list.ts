import type { Prefix } from "../../address/address.ts";

/** Which piece an entry is in: the same whatever else is listed, so that a changed entry changes one piece only. */
export function chunkOf({ w0, w1, w2, w3, length }: Prefix, chunks: number): number {
  let mixed = length;
  for (const word of [w0, w1, w2, w3]) {
    mixed = Math.imul(mixed ^ word, 0x9e3779b1);
    mixed ^= mixed >>> 15;
  }
  return (mixed >>> 0) % chunks;
}
