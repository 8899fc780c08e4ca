import type { OpenInput } from "../input/input.ts";
import type { SharedBuffer } from "./_run-memory.ts";
import { ALIGNMENT, SLACK } from "../engine/thread-sizes.ts";
import { CsvRecordCutter, type CutNatively, type CutRecords, PlainLineCutter } from "../lines/csv-records.ts";
import type { LineShape } from "../lines/line-shape.ts";
import type { Shard, ShardFailure } from "./messages.ts";

const LF = 0x0a;
/** What a buffer has in addition to its text: where it begins, and what may be read or written after it. */
const ROOM = ALIGNMENT + SLACK;
/**
 * Whole lines from a stream that is silent for this long are processed without waiting for more (`tail -f` at the other
 * end).
 */
const QUIET_MS = 20;

/** A shard, and what to do when its rows are written. */
export interface CutShard {
  readonly shard: Shard;
  readonly done: () => void;
}

/** The next thing in an input: a shard, or the reason why there is none. */
export type PlannedShard = CutShard | { readonly failure: ShardFailure };

export interface ShardSizes {
  /** The size of the next shard; it may change from one to the next, but never exceeds `max`. */
  next(): number;
  readonly max: number;
  readonly lineBytes: number;
  /** A buffer of this many bytes, for the data of a stream. */
  take(byteLength: number): SharedBuffer;
  /** `CutNatively` for bytes at an address in the memory of the snapshot. */
  cutRecords(address: number, ...piece: Parameters<CutNatively>): CutRecords | null;
}

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

/** Text that is read in order. */
interface TextReader {
  /** Where it begins, modulo `ALIGNMENT`, in the buffer that it is read into. */
  readonly lead: number;
  /**
   * Reads up to `length` bytes, at least one, to `into[at, ...)` and returns how many there were: 0 at the end; null:
   * none has arrived for a while.
   */
  read(into: Buffer, at: number, length: number): Promise<number | null>;
  close(): void;
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

/** Fills buffers with the text and cuts them after the last line; the rest begins the next buffer. */
async function* textShards(text: TextReader, shape: LineShape, sizes: ShardSizes): AsyncGenerator<PlannedShard> {
  const spare: SharedBuffer[] = [];
  const take = (bytes: number): SharedBuffer => {
    // A block of the memory is returned only at the end of the run: there are as many as are in use at a time, of one
    // size.
    return bytes > sizes.max ? bufferOfItsOwn(bytes + ROOM) : (spare.pop() ?? sizes.take(sizes.max + ROOM));
  };
  let { lead } = text;
  let buffer = take(sizes.max);
  let bytes = buffer.bytes.subarray(lead);
  let limit = sizes.next();
  let fill = 0;
  const cutNatively: CutNatively = (...piece) =>
    buffer.block.buffer === null ? sizes.cutRecords(buffer.block.at + lead, ...piece) : null;
  const cutter = shape.records === "csv" ? new CsvRecordCutter(cutNatively) : new PlainLineCutter();

  const cutAt = (end: number): PlannedShard => {
    const full = buffer;
    const range = { from: lead, to: lead + end };
    buffer = take(Math.max(sizes.max, 2 * (fill - end)));
    lead = (lead + end) % ALIGNMENT;
    const rest = bytes.subarray(end, fill);
    bytes = buffer.bytes.subarray(lead);
    fill = rest.copy(bytes);
    limit = Math.max(sizes.next(), 2 * fill);
    cutter.cut(end);
    const done = (): void => {
      if (full.bytes.length === sizes.max + ROOM) spare.push(full);
    };
    return { shard: { kind: "chunk", bytes: full.block, ...range, shape, firstLine: null, rows: null }, done };
  };
  /** The position after the last whole line, 0 without one. */
  const lastCut = (): number => cutter.lastEnd(bytes, fill);

  try {
    for (let got: number | null; (got = await text.read(bytes, fill, limit - fill)) !== 0;) {
      fill += got ?? 0;
      if (got !== null && fill < limit) continue;
      const end = lastCut();
      if (end > 0) {
        yield cutAt(end);
        continue;
      }
      if (got === null) continue;
      // One line is longer than the buffer.
      if (fill > sizes.lineBytes) {
        yield { failure: cutter.isOpen ? "quote-unclosed" : "line-too-long" };
        return;
      }
      limit = Math.min(2 * limit, sizes.lineBytes + 1);
      if (buffer.bytes.length < limit + ROOM) {
        const larger = bufferOfItsOwn(limit + ROOM);
        bytes.copy(larger.bytes, lead, 0, fill);
        buffer = larger;
        bytes = larger.bytes.subarray(lead);
      }
    }
  } catch (corruption) {
    // What came before the error is processed.
    const end = lastCut();
    if (end > 0) yield cutAt(end);
    throw corruption;
  } finally {
    text.close();
  }
  const end = lastCut();
  if (cutter.isOpen) {
    if (end > 0) yield cutAt(end);
    yield { failure: "quote-unclosed" };
  } else if (fill > 0) {
    bytes[fill] = LF; // the last line may lack it
    yield cutAt(fill);
  }
}

/** For a line that is longer than a shard: it is processed in TypeScript, and its buffer is returned to the system. */
function bufferOfItsOwn(byteLength: number): SharedBuffer {
  const buffer = new SharedArrayBuffer(byteLength);
  return { block: { buffer, at: 0, byteLength }, bytes: Buffer.from(buffer) };
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
