import { crc32 } from "node:zlib";

/**
 * The CRC-32 of the arrays' bytes one after the other, in hexadecimal (benchmarks run on little-endian machines only).
 */
export function checksum(...arrays: readonly ArrayBufferView[]): string {
  let sum = 0;
  for (const array of arrays) sum = crc32(new Uint8Array(array.buffer, array.byteOffset, array.byteLength), sum);
  return sum.toString(16).padStart(8, "0");
}
