import { createReadStream } from "node:fs";
import type { Readable } from "node:stream";
import { openInput } from "./_inputs.ts";

const CHUNK_BYTES = 256 * 1024;

/**
 * The bytes of an input, in order and decompressed where it is gzip or zstd data; "-" is standard input, a stream stands for itself. `onBytes` is told
 * how many stored bytes have been read since the last call. Throws BatchError for an input that is not there, cannot be read or is damaged.
 */
export async function* inputChunks(source: string | Readable, onBytes: (bytes: number) => void = () => {}): AsyncGenerator<Buffer> {
  const input = await openInput(source, new AbortController().signal, onBytes);
  if (input.kind === "stream") {
    yield* input.chunks();
    return;
  }
  try {
    const stream = createReadStream("", { fd: input.descriptor, start: 0, autoClose: false, highWaterMark: CHUNK_BYTES });
    for await (const chunk of stream) {
      onBytes((chunk as Buffer).length);
      yield chunk as Buffer;
    }
  } finally {
    input.close();
  }
}
