import type { Readable } from "node:stream";
import { openInput } from "./open-input.ts";

/**
 * The bytes of an input, in order, and decompressed if it is gzip or zstd data; "-" is standard input, a stream is read
 * as it is. `onBytes` is called with how many stored bytes have been read since the last call. Throws BatchError for an
 * input that is missing, unreadable or corrupt.
 */
export async function* inputChunks(
  source: string | Readable,
  onBytes: (bytes: number) => void = () => {},
): AsyncGenerator<Buffer> {
  const input = await openInput(source, new AbortController().signal, onBytes);
  yield* input.chunks();
}
