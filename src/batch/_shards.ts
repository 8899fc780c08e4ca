import type { OpenInput } from "./_inputs.ts";
import type { SharedBuffer } from "./_run-memory.ts";
import { SLACK } from "./_thread-sizes.ts";
import type { FieldSpec } from "./fields/field-spec.ts";
import type { Shard, ShardResult } from "./messages.ts";

const LF = 0x0a;
/** A stream that has whole lines waiting and says nothing for this long gets them done (`tail -f` at the other end). */
const QUIET_MS = 20;

/** A shard, and what to do when its rows are written. */
export interface CutShard {
  readonly shard: Shard;
  readonly done: () => void;
}

/** What comes next in an input: a shard, or the reason why there is none. */
export type PlannedShard = CutShard | { readonly failure: NonNullable<ShardResult["failure"]> };

export interface ShardSizes {
  /** How large the next shard shall be; it may change from one to the next, but never exceeds `most`. */
  next(): number;
  readonly most: number;
  readonly lineBytes: number;
  /** A buffer of so many bytes, for what a stream gives. */
  take(byteLength: number): SharedBuffer;
}

/** Cuts one input into shards. */
export function shardsOf(input: OpenInput, field: FieldSpec | null, sizes: ShardSizes): AsyncGenerator<PlannedShard> {
  return input.kind === "file" ? fileShards(input, field, sizes) : chunkShards(input.chunks(), field, sizes);
}

async function* fileShards(input: OpenInput & { kind: "file" }, field: FieldSpec | null, sizes: ShardSizes): AsyncGenerator<PlannedShard> {
  const { descriptor, size } = input;
  // The descriptor is closed when all shards are cut and all of them are done, whatever comes last.
  let open = 1;
  const done = (): void => {
    if (--open === 0) input.close();
  };
  try {
    for (let from = 0; from < size; ) {
      const to = Math.min(size, from + sizes.next());
      open++;
      yield { shard: { kind: "file", descriptor, from, to, size, field, rows: null }, done };
      from = to;
    }
  } finally {
    done();
  }
}

/** Fills buffers with the stream's bytes and cuts them behind the last LF; what is behind it begins the next buffer. */
async function* chunkShards(chunks: AsyncGenerator<Buffer>, field: FieldSpec | null, sizes: ShardSizes): AsyncGenerator<PlannedShard> {
  const spare: SharedBuffer[] = [];
  const take = (bytes: number): SharedBuffer => {
    // A block of the memory is only given back at the end of the run: there are as many as are in use at a time, of one size.
    return bytes > sizes.most ? bufferOfItsOwn(bytes + SLACK) : (spare.pop() ?? sizes.take(sizes.most + SLACK));
  };
  let buffer = take(sizes.most);
  let limit = sizes.next();
  let fill = 0;
  let searched = 0; // no LF before this position

  const cutAt = (end: number): PlannedShard => {
    const full = buffer;
    buffer = take(Math.max(sizes.most, 2 * (fill - end)));
    full.bytes.copy(buffer.bytes, 0, end, fill);
    fill -= end;
    limit = Math.max(sizes.next(), 2 * fill);
    searched = 0;
    const done = (): void => {
      if (full.bytes.length === sizes.most + SLACK) spare.push(full);
    };
    return { shard: { kind: "chunk", bytes: full.place, from: 0, to: end, field, rows: null }, done };
  };
  /** The position behind the last LF there is, 0 without one. */
  const lastCut = (): number => {
    const end = searched + buffer.bytes.subarray(searched, fill).lastIndexOf(LF) + 1;
    return end > searched ? end : 0;
  };

  try {
    for await (const chunk of withQuiet(chunks)) {
      if (chunk === null) {
        const end = lastCut();
        if (end > 0) yield cutAt(end);
        continue;
      }
      for (let at = 0; at < chunk.length; ) {
        const taken = Math.min(chunk.length - at, limit - fill);
        chunk.copy(buffer.bytes, fill, at, at + taken);
        fill += taken;
        at += taken;
        if (fill < limit) continue;
        const end = lastCut();
        if (end > 0) {
          yield cutAt(end);
          continue;
        }
        // One line is longer than the buffer.
        if (fill > sizes.lineBytes) {
          yield { failure: "line-too-long" };
          return;
        }
        searched = fill;
        limit = Math.min(2 * limit, sizes.lineBytes + 1);
        if (buffer.bytes.length < limit + SLACK) {
          const larger = bufferOfItsOwn(limit + SLACK);
          buffer.bytes.copy(larger.bytes, 0, 0, fill);
          buffer = larger;
        }
      }
    }
  } catch (damage) {
    // What came before it is answered.
    const end = lastCut();
    if (end > 0) yield cutAt(end);
    throw damage;
  }
  if (fill > 0) {
    buffer.bytes[fill] = LF; // the last line may lack it
    const end = fill;
    yield cutAt(end);
  }
}

/** For a line that is longer than a shard: it is done in TypeScript, and its buffer goes back to the system. */
function bufferOfItsOwn(byteLength: number): SharedBuffer {
  const buffer = new SharedArrayBuffer(byteLength);
  return { place: { buffer, at: 0, byteLength }, bytes: Buffer.from(buffer) };
}

/** The chunks, and a null whenever the next one has not come for a while. */
async function* withQuiet(chunks: AsyncGenerator<Buffer>): AsyncGenerator<Buffer | null> {
  for (;;) {
    const next = chunks.next();
    next.catch(() => {}); // the loop that waits for it may be left
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
