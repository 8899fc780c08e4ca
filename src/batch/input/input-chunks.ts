import type { Readable } from "node:stream";
import { openInput } from "./open-input.ts";

/**
 * The bytes of an input, in order and decompressed where it is gzip or zstd data; "-" is standard input, a stream
 * stands for itself. `onBytes` is called with how many stored bytes have been read since the last call. Throws
 * BatchError for an input that is not there, cannot be read or is damaged.
 */
export async function* inputChunks(
  source: string | Readable,
  onBytes: (bytes: number) => void = () => {},
): AsyncGenerator<Buffer> {
  const input = await openInput(source, new AbortController().signal, onBytes);
  yield* input.chunks();
}
