import type { OpenInput } from "../input/input.ts";
import { ALIGNMENT } from "../engine/thread-sizes.ts";
import type { LineShape } from "../lines/line-shape.ts";
import { type PlannedShard, type ShardSizes, TextBuffer, type TextReader } from "./_text-buffer.ts";

/**
 * Whole lines from a stream that is silent for this long are processed without waiting for more (`tail -f` at the other
 * end).
 */
const QUIET_MS = 20;

/**
 * Cuts one input into shards, from the byte `from` on. A thread that takes a part of a file finds the start of its
 * first line by itself; where a record of CSV begins is known only after reading everything before it, so such a file
 * is read here, as a stream is, but without the copy that a stream's chunks take.
 */
export function shardsOf(
  input: OpenInput,
  shape: LineShape,
  from: number,
  sizes: ShardSizes,
): AsyncGenerator<PlannedShard> {
  if (input.kind === "file" && shape.records === "lines") return fileShards(input, shape, from, sizes);
  const text = input.kind === "file" ? textOfFile(input, from) : textOfChunks(withoutFront(input.chunks(), from));
  return textShards(text, shape, sizes);
}

function textOfFile({ start, size, readTo, close }: OpenInput & { kind: "file" }, front: number): TextReader {
  let position = start + front;
  return {
    lead: position % ALIGNMENT,
    async read(into, at, length) {
      const got = position < size ? await readTo(into, at, Math.min(length, size - position), position) : 0;
      position += got;
      return got;
    },
    close,
  };
}

function textOfChunks(chunks: AsyncGenerator<Buffer>): TextReader {
  const arriving = withQuiet(chunks);
  let rest: Buffer = Buffer.alloc(0);
  return {
    lead: 0,
    async read(into, at, length) {
      while (rest.length === 0) {
        const { value, done } = await arriving.next();
        if (done === true) return 0;
        if (value === null) return null;
        rest = value;
      }
      const taken = rest.copy(into, at, 0, Math.min(length, rest.length));
      rest = rest.subarray(taken);
      return taken;
    },
    close() {},
  };
}

async function* fileShards(
  input: OpenInput & { kind: "file" },
  shape: LineShape,
  front: number,
  sizes: ShardSizes,
): AsyncGenerator<PlannedShard> {
  const { descriptor, size } = input;
  const first = input.start + front;
  // The descriptor is closed when all shards are cut and all of them are done, whichever comes last.
  let open = 1;
  const done = (): void => {
    if (--open === 0) input.close();
  };
  try {
    for (let from = first; from < size;) {
      const to = Math.min(size, from + sizes.next());
      open++;
      yield { shard: { kind: "file", descriptor, first, from, to, size, shape, firstLine: null, rows: null }, done };
      from = to;
    }
  } finally {
    done();
  }
}

/** The chunks without the first bytes. */
async function* withoutFront(chunks: AsyncGenerator<Buffer>, bytes: number): AsyncGenerator<Buffer> {
  for await (const chunk of chunks) {
    if (chunk.length > bytes) yield bytes === 0 ? chunk : chunk.subarray(bytes);
    bytes = Math.max(0, bytes - chunk.length);
  }
}

/** Fills buffers with the text and cuts them after the last line. */
async function* textShards(text: TextReader, shape: LineShape, sizes: ShardSizes): AsyncGenerator<PlannedShard> {
  const buffer = new TextBuffer(text.lead, shape, sizes);
  try {
    for (let got: number | null; (got = await buffer.readFrom(text)) !== 0;) {
      if (got !== null && !buffer.isFull) continue;
      const lines = buffer.cutLines();
      if (lines !== undefined) {
        yield lines;
      } else if (got !== null) {
        // One line is longer than the buffer.
        if (buffer.exceedsLine) return void (yield { failure: buffer.failure });
        buffer.grow();
      }
    }
  } catch (corruption) {
    // What came before the error is processed.
    const lines = buffer.cutLines();
    if (lines !== undefined) yield lines;
    throw corruption;
  } finally {
    text.close();
  }
  yield* buffer.rest();
}

/** The chunks, and a null whenever the next one has not arrived for a while. */
async function* withQuiet(chunks: AsyncGenerator<Buffer>): AsyncGenerator<Buffer | null> {
  for (;;) {
    const next = chunks.next();
    next.catch(() => {}); // the loop that waits for it may have ended
    let timer: NodeJS.Timeout | undefined;
    const quiet = new Promise<null>((resolve) => {
      timer = setTimeout(resolve, QUIET_MS, null);
    });
    const first = await Promise.race([next, quiet]);
    clearTimeout(timer);
    if (first === null) yield null;
    const { value, done } = await next;
    if (done) return;
    yield value;
  }
}
