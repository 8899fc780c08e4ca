import { ALIGNMENT, SLACK } from "../engine/thread-sizes.ts";
import { CsvRecordCutter, type CutNatively, type CutRecords, PlainLineCutter } from "../lines/csv-records.ts";
import type { LineShape } from "../lines/line-shape.ts";
import type { SharedBuffer } from "./_run-memory.ts";
import type { Shard, ShardFailure } from "../engine/messages.ts";

const LF = 0x0a;
/** What a buffer has in addition to its text: where it begins, and what may be read or written after it. */
const ROOM = ALIGNMENT + SLACK;

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

/** Text that is read in order. */
export interface TextReader {
  /** Where it begins, modulo `ALIGNMENT`, in the buffer that it is read into. */
  readonly lead: number;
  /**
   * Reads up to `length` bytes, at least one, to `into[at, ...)` and returns how many there were: 0 at the end; null:
   * none has arrived for a while.
   */
  read(into: Buffer, at: number, length: number): Promise<number | null>;
  close(): void;
}

/**
 * The buffer that a text is read into. It is cut after its last whole line; the rest begins the next buffer, at the
 * offset modulo `ALIGNMENT` that it has in the text.
 *
 *     buffer   | lead |  text: lines, and the start of one  | free          |
 *                     0                          lastEnd    fill            limit
 */
export class TextBuffer {
  readonly #shape: LineShape;
  readonly #sizes: ShardSizes;
  readonly #cutter: CsvRecordCutter | PlainLineCutter;
  readonly #spare: SharedBuffer[] = [];
  #lead: number;
  #buffer: SharedBuffer;
  /** The buffer from `lead` on. */
  #bytes: Buffer;
  /** Bytes of text in it. */
  #fill = 0;
  /** Bytes of text at which it is cut. */
  #limit: number;

  constructor(lead: number, shape: LineShape, sizes: ShardSizes) {
    this.#shape = shape;
    this.#sizes = sizes;
    this.#cutter =
      shape.records === "csv" ? new CsvRecordCutter((...piece) => this.#cutNatively(piece)) : new PlainLineCutter();
    this.#lead = lead;
    this.#buffer = this.#take(sizes.max);
    this.#bytes = this.#buffer.bytes.subarray(lead);
    this.#limit = sizes.next();
  }

  get isFull(): boolean {
    return this.#fill >= this.#limit;
  }

  /** Whether its text is longer than a line may be. */
  get exceedsLine(): boolean {
    return this.#fill > this.#sizes.lineBytes;
  }

  /** Why a text without a whole line has no shard. */
  get failure(): ShardFailure {
    return this.#cutter.isOpen ? "quote-unclosed" : "line-too-long";
  }

  /** Reads up to the limit; returns what `TextReader.read` does. */
  async readFrom(text: TextReader): Promise<number | null> {
    const got = await text.read(this.#bytes, this.#fill, this.#limit - this.#fill);
    this.#fill += got ?? 0;
    return got;
  }

  /** Cuts the whole lines off; undefined without one. */
  cutLines(): CutShard | undefined {
    const end = this.#lastEnd();
    return end > 0 ? this.#cutAt(end) : undefined;
  }

  /** What is left at the end of the text. */
  *rest(): Generator<PlannedShard> {
    const end = this.#lastEnd();
    if (this.#cutter.isOpen) {
      if (end > 0) yield this.#cutAt(end);
      yield { failure: "quote-unclosed" };
    } else if (this.#fill > 0) {
      this.#bytes[this.#fill] = LF; // the last line may lack it
      yield this.#cutAt(this.#fill);
    }
  }

  /** Makes room for a line that is longer than the limit. */
  grow(): void {
    this.#limit = Math.min(2 * this.#limit, this.#sizes.lineBytes + 1);
    if (this.#buffer.bytes.length >= this.#limit + ROOM) return;
    const larger = bufferOfItsOwn(this.#limit + ROOM);
    this.#bytes.copy(larger.bytes, this.#lead, 0, this.#fill);
    this.#buffer = larger;
    this.#bytes = larger.bytes.subarray(this.#lead);
  }

  /** The position after the last whole line, 0 without one. */
  #lastEnd(): number {
    return this.#cutter.lastEnd(this.#bytes, this.#fill);
  }

  #cutAt(end: number): CutShard {
    const full = this.#buffer;
    const range = { from: this.#lead, to: this.#lead + end };
    const rest = this.#bytes.subarray(end, this.#fill);
    this.#buffer = this.#take(Math.max(this.#sizes.max, 2 * rest.length));
    this.#lead = (this.#lead + end) % ALIGNMENT;
    this.#bytes = this.#buffer.bytes.subarray(this.#lead);
    this.#fill = rest.copy(this.#bytes);
    this.#limit = Math.max(this.#sizes.next(), 2 * this.#fill);
    this.#cutter.cut(end);
    const shard: Shard = {
      kind: "chunk",
      bytes: full.block,
      ...range,
      shape: this.#shape,
      firstLine: null,
      rows: null,
    };
    return { shard, done: () => this.#takeBack(full) };
  }

  /**
   * A block of the memory is returned only at the end of the run: there are as many as are in use at a time, of one
   * size.
   */
  #take(bytes: number): SharedBuffer {
    const { max } = this.#sizes;
    return bytes > max ? bufferOfItsOwn(bytes + ROOM) : (this.#spare.pop() ?? this.#sizes.take(max + ROOM));
  }

  #takeBack(buffer: SharedBuffer): void {
    if (buffer.bytes.length === this.#sizes.max + ROOM) this.#spare.push(buffer);
  }

  #cutNatively(piece: Parameters<CutNatively>): CutRecords | null {
    const { block } = this.#buffer;
    return block.buffer === null ? this.#sizes.cutRecords(block.at + this.#lead, ...piece) : null;
  }
}

/** For a line that is longer than a shard: it is processed in TypeScript, and its buffer is returned to the system. */
function bufferOfItsOwn(byteLength: number): SharedBuffer {
  const buffer = new SharedArrayBuffer(byteLength);
  return { block: { buffer, at: 0, byteLength }, bytes: Buffer.from(buffer) };
}
