import { BatchError } from "../batch-error.ts";

const FRAME = 0xfd2fb528;
/** The low four bits of a skippable frame's magic number are arbitrary. */
const SKIPPABLE = 0x184d2a50;
/**
 * Bytes of the content size field by the two upper bits of the descriptor; the first is 1 in a single-segment frame.
 */
const CONTENT_SIZE_BYTES = [0, 2, 4, 8];
const DICTIONARY_ID_BYTES = [0, 1, 2, 4];

/**
 * Cuts a zstd stream (RFC 8878) so that no chunk extends beyond the end of a frame, and leaves skippable frames out.
 * Node's decompressor silently drops what follows the end of a frame in the same chunk: without this, a file of several
 * frames (as `cat` and parallel compressors produce them) would lose lines.
 */
export async function* zstdFrameChunks(chunks: AsyncIterable<Buffer>, file: string): AsyncGenerator<Buffer> {
  let head: number[] = []; // the bytes of the header being read
  let wanted = 4; // its length
  let header: "magic" | "skip" | "descriptor" | "frame" | "block" = "magic";
  let content = 0; // bytes of a block or a skipped frame still to come
  let skipping = false;
  let hasChecksum = false;
  let isLast = false; // the content is the last of the frame

  for await (const chunk of chunks) {
    let from = 0; // everything before has been passed on
    let at = 0;
    while (at < chunk.length) {
      if (content > 0) {
        const taken = Math.min(content, chunk.length - at);
        at += taken;
        content -= taken;
        if (skipping) from = at;
        if (content === 0 && (isLast || skipping)) {
          if (from < at) yield chunk.subarray(from, at);
          from = at;
          header = "magic";
          wanted = 4;
          skipping = isLast = false;
        }
        continue;
      }
      head.push(chunk[at++]!);
      if (header === "magic" || header === "skip") from = at; // not passed on before it is known what it is
      if (head.length < wanted) continue;

      const number = head.reduceRight((sum, byte) => sum * 256 + byte, 0);
      if (header === "magic" && number === FRAME) {
        yield Buffer.from(head);
        header = "descriptor";
        wanted = 1;
      } else if (header === "magic" && (number & ~15) === SKIPPABLE) {
        header = "skip";
        wanted = 4;
      } else if (header === "magic") {
        throw new BatchError(
          "stream-corrupt",
          "the data after the end of the zstd stream is not a zstd frame; remove it or copy the file again",
          { file },
        );
      } else if (header === "skip") {
        content = number;
        skipping = content > 0;
        header = "magic";
      } else if (header === "descriptor") {
        const singleSegment = (number & 32) !== 0;
        hasChecksum = (number & 4) !== 0;
        wanted =
          (singleSegment ? 0 : 1) +
          DICTIONARY_ID_BYTES[number & 3]! +
          (CONTENT_SIZE_BYTES[number >> 6]! || (singleSegment ? 1 : 0));
        header = "frame";
      } else if (header === "frame") {
        header = "block";
        wanted = 3;
      } else {
        // A block: last (1 bit), type (2 bits; 1 is one byte repeated), size. The checksum counts as content of the
        // last one.
        isLast = (number & 1) !== 0;
        content = (((number >> 1) & 3) === 1 ? 1 : number >> 3) + (isLast && hasChecksum ? 4 : 0);
        if (content === 0 && isLast) {
          yield chunk.subarray(from, at);
          from = at;
          header = "magic";
          wanted = 4;
          isLast = false;
        }
      }
      head = [];
    }
    if (from < at) yield chunk.subarray(from, at);
  }
  if (skipping || header === "skip" || (header === "magic" && head.length > 0)) throw truncated(file);
}

export function truncated(file: string): BatchError {
  return new BatchError("stream-truncated", "the compressed data ends too early; copy or fetch the file again", {
    file,
  });
}
