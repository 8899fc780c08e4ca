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
  const cutter = new FrameCutter(file);
  for await (const chunk of chunks) yield* cutter.cut(chunk);
  if (!cutter.isBetweenFrames) throw truncated(file);
}

type Header = "magic" | "skip" | "descriptor" | "frame" | "block";

class FrameCutter {
  readonly #file: string;
  /** The header being read, its length, and its bytes so far. */
  #header: Header = "magic";
  #wanted = 4;
  #head: number[] = [];
  /** Bytes of a block or a skipped frame still to come. */
  #content = 0;
  #isSkipping = false;
  #hasChecksum = false;
  /** Whether the content is the last of the frame. */
  #isLast = false;

  constructor(file: string) {
    this.#file = file;
  }

  /** Whether the stream may end here; the decompressor notices an end within a frame. */
  get isBetweenFrames(): boolean {
    return !(this.#isSkipping || this.#header === "skip" || (this.#header === "magic" && this.#head.length > 0));
  }

  *cut(chunk: Buffer): Generator<Buffer> {
    let from = 0; // everything before has been passed on, or is left out
    for (let at = 0; at < chunk.length;) {
      if (this.#content > 0) {
        const taken = Math.min(this.#content, chunk.length - at);
        at += taken;
        this.#content -= taken;
        if (this.#isSkipping) from = at;
      } else {
        this.#head.push(chunk[at++]!);
        // A magic number is not passed on before it is known what it is.
        if (this.#header === "magic" || this.#header === "skip") from = at;
        if (this.#head.length < this.#wanted) continue;
        if (this.#readHeader() === FRAME) yield Buffer.from(this.#head);
        this.#head = [];
      }
      if (this.#content > 0 || !(this.#isLast || this.#isSkipping)) continue;
      if (from < at) yield chunk.subarray(from, at);
      from = at;
      this.#isSkipping = this.#isLast = false;
      this.#expect("magic", 4);
    }
    if (from < chunk.length) yield chunk.subarray(from);
  }

  /** Reads the header that is complete. Returns the magic number of what begins with it, 0 for other headers. */
  #readHeader(): number {
    const number = this.#head.reduceRight((sum, byte) => sum * 256 + byte, 0);
    switch (this.#header) {
      case "magic":
        return this.#begin(number);
      case "skip":
        this.#content = number;
        this.#isSkipping = number > 0;
        this.#expect("magic", 4);
        break;
      case "descriptor":
        this.#hasChecksum = (number & 4) !== 0;
        this.#expect("frame", headerBytes(number));
        break;
      case "frame":
        this.#expect("block", 3);
        break;
      case "block":
        // Last (1 bit), type (2 bits; 1 is one byte repeated), size. The checksum counts as content of the last one.
        this.#isLast = (number & 1) !== 0;
        this.#content = (((number >> 1) & 3) === 1 ? 1 : number >> 3) + (this.#isLast && this.#hasChecksum ? 4 : 0);
    }
    return 0;
  }

  #begin(magic: number): number {
    if (magic === FRAME) this.#expect("descriptor", 1);
    else if ((magic & ~15) === SKIPPABLE) this.#expect("skip", 4);
    else
      throw new BatchError(
        "stream-corrupt",
        "the data after the end of the zstd stream is not a zstd frame; remove it or copy the file again",
        { file: this.#file },
      );
    return magic;
  }

  #expect(header: Header, bytes: number): void {
    this.#header = header;
    this.#wanted = bytes;
  }
}

/** Bytes of a frame's header after its descriptor. */
function headerBytes(descriptor: number): number {
  const isSingleSegment = (descriptor & 32) !== 0;
  return (
    (isSingleSegment ? 0 : 1) +
    DICTIONARY_ID_BYTES[descriptor & 3]! +
    (CONTENT_SIZE_BYTES[descriptor >> 6]! || (isSingleSegment ? 1 : 0))
  );
}

export function truncated(file: string): BatchError {
  return new BatchError("stream-truncated", "the compressed data ends too early; copy or fetch the file again", {
    file,
  });
}
