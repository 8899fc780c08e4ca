import { pipeline, Readable } from "node:stream";
import { createGunzip, createZstdDecompress } from "node:zlib";
import { truncated, zstdFrameChunks } from "./_zstd-frames.ts";
import { BatchError } from "../batch-error.ts";

/**
 * Text that a thread of the pool decompresses while this one processes what came before: each piece costs both a wake-up,
 * and the time for one should not be shorter than that for a shard.
 */
const CHUNK_BYTES = 512 * 1024;

/**
 * The decompressed bytes: all members of a gzip stream, all frames of a zstd stream. Throws BatchError if they are
 * corrupt.
 */
export async function* decompress(
  chunks: AsyncIterable<Buffer>,
  encoding: "gzip" | "zstd",
  file: string,
): AsyncGenerator<Buffer> {
  let stored = chunks;
  if (encoding === "zstd") {
    // A stream of skippable frames only is an empty text; the decoder would call it truncated.
    const frames = zstdFrameChunks(chunks, file);
    const first = await frames.next();
    if (first.done) return;
    stored = startingWith(first.value, frames);
  }
  let given = 0;
  const source = Readable.from(counted(stored, (bytes) => (given += bytes)));
  const decoder =
    encoding === "zstd" ? createZstdDecompress({ chunkSize: CHUNK_BYTES }) : createGunzip({ chunkSize: CHUNK_BYTES });
  pipeline(source, decoder, () => {}); // an error of either is thrown by the loop below
  try {
    yield* decoder;
  } catch (cause) {
    throw corruptData(cause, encoding, file);
  }
  // The decoder takes a NUL behind a member for the padding of a tape, and ignores whatever follows it.
  if (given > decoder.bytesWritten)
    throw new BatchError(
      "stream-corrupt",
      `the ${encoding} data ends at byte ${decoder.bytesWritten}, and what follows is none; cut it off, or copy or fetch the file again`,
      { file },
    );
}

async function* counted(chunks: AsyncIterable<Buffer>, onBytes: (bytes: number) => void): AsyncGenerator<Buffer> {
  for await (const chunk of chunks) {
    onBytes(chunk.length);
    yield chunk;
  }
}

async function* startingWith(first: Buffer, rest: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  yield first;
  yield* rest;
}

function corruptData(cause: unknown, encoding: string, file: string): unknown {
  const { code, message } = cause as NodeJS.ErrnoException;
  if (code === "Z_BUF_ERROR") return truncated(file);
  if (!/^(Z_|ZSTD_)/.test(code ?? "")) return cause;
  if (code === "ZSTD_error_frameParameter_windowTooLarge") {
    return new BatchError("stream-corrupt", "its window is larger than 128 MiB; pipe it through `zstd --long=31 -dc`", {
      file,
      cause,
    });
  }
  return new BatchError(
    "stream-corrupt",
    `the ${encoding} data is corrupt (${message}); copy or fetch the file again`,
    { file, cause },
  );
}
