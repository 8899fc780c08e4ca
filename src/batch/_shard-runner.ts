import { read as readFile } from "node:fs";
import { promisify } from "node:util";
import type { Family } from "../address/address.ts";
import type { Snapshot } from "../snapshot/open-snapshot.ts";
import type { PrefixTable } from "../table/prefix-table.ts";
import { endOfLine } from "./_end-of-line.ts";
import { RowWriter } from "./_row-writer.ts";
import type { FieldSpan, FieldSpec, LocateField } from "./fields/field-spec.ts";
import { locateField } from "./fields/locate-field.ts";
import { createFound, findAddress, STOP } from "./find-address.ts";
import type { CreateRowTemplates } from "./identify.ts";
import type { ChunkShard, FileShard, ShardResult, ShardWork } from "./messages.ts";

const LF = 0x0a;
const CR = 0x0d;
const NO_ADDRESS = -1;

/** Room behind the data of every buffer: for the LF that ends a last line without one, and for looking ahead. */
export const SLACK = 32;
/** Read behind a shard with it, so that the end of its last line is nearly always there. */
const TAIL = 16 * 1024;

/** Addresses looked up together when only counting; they and their matches stay in the first-level cache. */
const GATHERED = 512;

const read = promisify(readFile);

/** Lines that were read: `bytes[start, end)`, and an LF behind them. */
interface Lines {
  readonly bytes: Buffer;
  readonly start: number;
  readonly end: number;
  readonly failure: ShardResult["failure"];
}

/** Does the shards of one thread: reads them, finds and looks up addresses, counts, and writes rows. */
export class ShardRunner {
  readonly #table: PrefixTable;
  readonly #work: ShardWork;
  readonly #rows: RowWriter | null;
  readonly #perMatch: Float64Array | null;
  readonly #found = createFound();
  readonly #span: FieldSpan = { bytes: Buffer.alloc(0), start: 0, end: 0 };
  readonly #gathered4 = new Uint32Array(GATHERED);
  readonly #gathered6 = new Uint32Array(GATHERED * 4);
  readonly #matches = new Uint32Array(GATHERED);
  readonly #buffers: Buffer[] = [];
  #fieldSpec: FieldSpec | null = null;
  #locate: LocateField | null = null;

  #lines = 0;
  #addresses = 0;
  #matched = 0;

  private constructor(snapshot: Snapshot, work: ShardWork, rows: RowWriter | null, thread: number) {
    this.#table = snapshot.table;
    this.#work = work;
    this.#rows = rows;
    const ids = this.#table.matchCount + 1;
    this.#perMatch = work.perMatch === null ? null : new Float64Array(work.perMatch, thread * ids * 8, ids);
  }

  /** `thread` is this thread's row of `work.perMatch`. Imports the renderer. */
  static async create(snapshot: Snapshot, work: ShardWork, thread: number): Promise<ShardRunner> {
    if (work.format === "none") return new ShardRunner(snapshot, work, null, thread);
    if (work.renderer === undefined) throw new TypeError(`identify: format "${work.format}" needs a renderer`);
    const renderer = (await import(work.renderer)) as { createRowTemplates: CreateRowTemplates };
    const rows = new RowWriter(work.format, snapshot.table.matchCount, renderer.createRowTemplates(snapshot, work.format));
    return new ShardRunner(snapshot, work, rows, thread);
  }

  async run(shard: FileShard | ChunkShard): Promise<ShardResult> {
    if (shard.kind === "chunk") {
      return this.#runLines({ bytes: Buffer.from(shard.bytes), start: shard.from, end: shard.to, failure: null }, shard, 0);
    }
    const buffer = this.#takeBuffer(shard.to - shard.from + 1 + TAIL);
    // The byte in front tells whether a line begins at `from`.
    const offset = shard.from === 0 ? 0 : shard.from - 1;
    const lines = await this.#readLines(shard, buffer, offset);
    const result = this.#runLines(lines, shard, offset);
    this.#buffers.push(buffer);
    return result;
  }

  #takeBuffer(bytes: number): Buffer {
    const buffer = this.#buffers.pop();
    return buffer !== undefined && buffer.length >= bytes + SLACK ? buffer : Buffer.from(new SharedArrayBuffer(bytes + SLACK));
  }

  /** Reads the lines that begin in the shard's bytes, the last one to its end. */
  async #readLines(shard: FileShard, buffer: Buffer, offset: number): Promise<Lines> {
    const wanted = Math.min(shard.to + TAIL, shard.size) - offset;
    const got = await readFully(shard.descriptor, buffer, wanted, offset);
    if (got < wanted) return { bytes: buffer, start: 0, end: 0, failure: "input-changed" };
    buffer[got] = LF; // so that every search ends

    const owned = shard.to - offset; // lines that begin at this position or behind it belong to the next shard
    const start = shard.from === 0 ? 0 : endOfLine(buffer, 0) + 1;
    if (start >= owned) return { bytes: buffer, start: 0, end: 0, failure: null };
    const lastEnd = endOfLine(buffer, owned - 1);
    if (lastEnd < got || offset + got === shard.size) return this.#checkLast({ bytes: buffer, start, end: Math.min(lastEnd + 1, got), failure: null });

    // The last line goes on behind what was read. Find its end first, then read everything into a buffer of that size:
    // a line is in memory once.
    const end = await this.#findLineEnd(shard, offset + got);
    const lastStart = buffer.lastIndexOf(LF, owned - 1) + 1;
    if (end - 1 - (offset + lastStart) > this.#work.lineBytes) return { bytes: buffer, start, end: lastStart, failure: "line-too-long" };
    const large = Buffer.from(new SharedArrayBuffer(end - offset + SLACK));
    const all = await readFully(shard.descriptor, large, end - offset, offset);
    if (all < end - offset) return { bytes: buffer, start: 0, end: 0, failure: "input-changed" };
    large[all] = LF;
    return { bytes: large, start, end: all, failure: null };
  }

  /** Only the last line of a shard can be longer than the shard. */
  #checkLast(lines: Lines): Lines {
    const { bytes, start, end } = lines;
    if (end - start <= this.#work.lineBytes) return lines;
    const lastStart = Math.max(start, bytes.lastIndexOf(LF, end - 2) + 1);
    return end - lastStart - 1 > this.#work.lineBytes ? { bytes, start, end: lastStart, failure: "line-too-long" } : lines;
  }

  /** The position behind the first LF from `position` on, or the end of the file, or some position if that is too far. */
  async #findLineEnd(shard: FileShard, position: number): Promise<number> {
    const limit = Math.min(shard.size, position + this.#work.lineBytes + 2);
    const piece = Buffer.from(new SharedArrayBuffer(64 * TAIL));
    for (let at = position; at < limit; ) {
      const got = await readFully(shard.descriptor, piece, Math.min(piece.length, shard.size - at), at);
      const found = piece.subarray(0, got).indexOf(LF);
      if (found >= 0) return at + found + 1;
      if (got === 0) return at;
      at += got;
    }
    return limit;
  }

  #runLines(lines: Lines, shard: FileShard | ChunkShard, offset: number): ShardResult {
    this.#lines = this.#addresses = this.#matched = 0;
    this.#useField(shard.field);
    let next = lines.end;
    if (this.#rows === null) {
      this.#count(lines.bytes, lines.start, lines.end);
    } else {
      this.#rows.begin(shard.rowBuffer!);
      next = this.#writeRows(this.#rows, lines.bytes, lines.start, lines.end);
    }
    const done = next >= lines.end;
    return {
      lines: this.#lines,
      addresses: this.#addresses,
      matched: this.#matched,
      next: done ? null : offset + next,
      rowBuffer: this.#rows?.buffer ?? null,
      rowBytes: this.#rows?.at ?? 0,
      failure: done ? lines.failure : null,
    };
  }

  #useField(spec: FieldSpec | null): void {
    if (spec === this.#fieldSpec || (spec !== null && JSON.stringify(spec) === JSON.stringify(this.#fieldSpec))) return;
    this.#fieldSpec = spec;
    this.#locate = spec === null ? null : locateField(spec);
  }

  /** The loop without rows: addresses are gathered and looked up together, so that their cache misses overlap. */
  #count(bytes: Buffer, start: number, end: number): void {
    const found = this.#found;
    const gathered4 = this.#gathered4;
    const gathered6 = this.#gathered6;
    let lines = 0;
    let waiting4 = 0;
    let waiting6 = 0;
    for (let at = start; at < end; ) {
      const family = this.#findInLine(bytes, at, end);
      const lineEnd = found[STOP]!;
      lines++;
      at = lineEnd + 1;
      if (family === 4) {
        gathered4[waiting4++] = found[0]!;
        if (waiting4 === GATHERED) {
          this.#countGathered(4, gathered4, waiting4);
          waiting4 = 0;
        }
      } else if (family === 6) {
        for (let word = 0; word < 4; word++) gathered6[waiting6++] = found[word]!;
        if (waiting6 === gathered6.length) {
          this.#countGathered(6, gathered6, GATHERED);
          waiting6 = 0;
        }
      }
    }
    this.#countGathered(4, gathered4, waiting4);
    this.#countGathered(6, gathered6, waiting6 / 4);
    this.#lines += lines;
  }

  #countGathered(family: Family, words: Uint32Array, count: number): void {
    const matches = this.#matches;
    const perMatch = this.#perMatch;
    this.#table.lookupBatchInto(family, words, matches, count);
    let unmatched = 0;
    for (let index = 0; index < count; index++) {
      const match = matches[index]!;
      if (match === 0) unmatched++;
      if (perMatch !== null) perMatch[match]!++;
    }
    this.#addresses += count;
    this.#matched += count - unmatched;
  }

  /** Counts a line with an address. */
  #countMatch(match: number): void {
    this.#addresses++;
    if (match !== 0) this.#matched++;
    if (this.#perMatch !== null) this.#perMatch[match]!++;
  }

  /**
   * The loop with rows. Returns where it stopped: `end`, or the first line whose row does not fit any more (a first row that
   * does not fit gets a buffer of its size). A line is counted when its row is written.
   */
  #writeRows(rows: RowWriter, bytes: Buffer, start: number, end: number): number {
    const table = this.#table;
    const found = this.#found;
    const selection = this.#work.rows;
    for (let at = start; at < end; ) {
      const family = this.#findInLine(bytes, at, end);
      const lineEnd = found[STOP]!;
      let match = NO_ADDRESS;
      if (family === 4) match = table.lookup4(found[0]!);
      else if (family === 6) match = table.lookup6(found[0]!, found[1]!, found[2]!, found[3]!);

      if (selection === "all" || (selection === "matched") === match > 0) {
        const textEnd = withoutCarriageReturn(bytes, at, lineEnd);
        if (!rows.reserve(match, textEnd - at)) return at;
        rows.write(family, found, bytes, at, textEnd);
      }
      this.#lines++;
      at = lineEnd + 1;
      if (match !== NO_ADDRESS) this.#countMatch(match);
    }
    return end;
  }

  /** The family of the address of the line at `at`, its words in `#found`, and the position of the line's LF in `#found[STOP]`. */
  #findInLine(bytes: Buffer, at: number, end: number): 0 | 4 | 6 {
    const found = this.#found;
    if (this.#locate === null) {
      const family = findAddress(bytes, at, end, found);
      const stop = found[STOP]!;
      if (bytes[stop] !== LF) found[STOP] = endOfLine(bytes, stop);
      return family;
    }
    const lineEnd = endOfLine(bytes, at);
    const family = this.#findInField(this.#locate, bytes, at, lineEnd);
    found[STOP] = lineEnd;
    return family;
  }

  #findInField(locate: LocateField, bytes: Buffer, start: number, lineEnd: number): 0 | 4 | 6 {
    const span = this.#span;
    if (!locate(bytes, start, withoutCarriageReturn(bytes, start, lineEnd), span)) return 0;
    return findAddress(span.bytes, span.start, span.end, this.#found);
  }
}

function withoutCarriageReturn(bytes: Buffer, start: number, lineEnd: number): number {
  return lineEnd > start && bytes[lineEnd - 1] === CR ? lineEnd - 1 : lineEnd;
}

/** Reads until `length` bytes are there or the file ends; returns how many there are. */
async function readFully(descriptor: number, buffer: Buffer, length: number, position: number): Promise<number> {
  let done = 0;
  while (done < length) {
    const { bytesRead } = await read(descriptor, buffer, done, length - done, position + done);
    if (bytesRead === 0) break;
    done += bytesRead;
  }
  return done;
}
