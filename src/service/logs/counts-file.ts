import { readFile, writeFile } from "node:fs/promises";
import type { AddressCounts } from "../../batch/engine/address-counts.ts";

/** Numbers at the beginning: how many IPv4 and IPv6 addresses there are, and `missing`. */
const HEAD = 3;
const BYTES = 8;

/**
 * Writes how many lines each address of a log has, for the same process to read: the head, the counts of both families,
 * then the words of both. 12 bytes for each IPv4 and 24 for each IPv6 address.
 */
export async function writeCounts(path: string, counts: AddressCounts): Promise<void> {
  const { words4, counts4, words6, counts6, missing } = counts;
  const numbers = new Float64Array([counts4.length, counts6.length, missing, ...counts4, ...counts6]);
  await writeFile(path, [bytesOf(numbers), bytesOf(words4), bytesOf(words6)], { mode: 0o600 });
}

/** Rejects with the error of the system if the file is gone. */
export async function readCounts(path: string): Promise<AddressCounts> {
  const { buffer, byteOffset, byteLength } = await readFile(path);
  const bytes = buffer.slice(byteOffset, byteOffset + byteLength);
  const [count4, count6, missing] = new Float64Array(bytes, 0, HEAD) as unknown as [number, number, number];
  const from = (HEAD + count4 + count6) * BYTES;
  return {
    counts4: new Float64Array(bytes, HEAD * BYTES, count4),
    counts6: new Float64Array(bytes, (HEAD + count4) * BYTES, count6),
    words4: new Uint32Array(bytes, from, count4),
    words6: new Uint32Array(bytes, from + 4 * count4, 4 * count6),
    missing,
  };
}

function bytesOf({ buffer, byteOffset, byteLength }: Float64Array | Uint32Array): Uint8Array {
  return new Uint8Array(buffer, byteOffset, byteLength);
}
