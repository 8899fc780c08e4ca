import type { Family } from "../../address/address.ts";
import { Kernel } from "../../kernel/kernel.ts";
import type { SharedMemory } from "../../memory/web-assembly.ts";
import { WORKSPACE_BYTES } from "../../kernel/workspace.ts";
import { Snapshot } from "../../snapshot/snapshot.ts";
import { allocateShared, bufferOf, isMemory, weigh } from "../../memory/shared-memory.ts";
import { ActiveMatches, activeMatchBytes, checkTime } from "../../table/active-matches.ts";
import { PrefixTable } from "../../table/prefix-table.ts";
import { endOfLine } from "../lines/end-of-line.ts";
import { KernelHeap } from "./kernel/kernel-heap.ts";
import { SLACK } from "./thread-sizes.ts";
import { createFound, findAddress, NO_ADDRESS, STOP } from "../lines/find-address.ts";
import type { Engine } from "./engine.ts";

const LF = 0x0a;

/**
 * Text is copied to the kernel in pieces of this size, which stay in the second-level cache until they have been
 * scanned.
 */
const PIECE_BYTES = 128 * 1024 - SLACK;
/** Addresses looked up at a time: they and their match ids stay in the first-level cache. */
const LOOKUPS = 2048;

/** What `identifyBufferInto` did: it wrote `lines` match ids; the next line begins at `next`. */
export interface BufferProgress {
  readonly lines: number;
  /** Lines with an address. */
  readonly addresses: number;
  /** Lines with an address that a prefix covers. */
  readonly matched: number;
  readonly next: number;
}

/** What `identifyBuffer` found. */
export interface BufferMatches {
  readonly lines: number;
  readonly addresses: number;
  readonly matched: number;
  /** The match id of each line: 0 for an address without a match, `NO_ADDRESS` (-1) for a line without an address. */
  readonly matches: Int32Array;
}

type Progress = { -readonly [Member in keyof BufferProgress]: BufferProgress[Member] };

/** The addresses of a kernel's workspace beside its table. */
interface Room {
  readonly kernel: Kernel;
  readonly text: Uint8Array;
  readonly textAt: number;
  readonly words: Uint8Array;
  readonly wordsAt: number;
  readonly ids: Uint8Array;
  readonly idsAt: number;
  /** For a table with expiries, where the kernel reads them. */
  readonly active: { readonly matches: ActiveMatches; readonly at: number } | null;
}

/**
 * Looks up many addresses at a time in your own program, at the speed of the native kernel, with ordinary typed arrays.
 * Without WebAssembly with SIMD, TypeScript gives the same results.
 *
 *     const matcher = new Matcher(await openSnapshot("blocklist.ipsieve"));
 *     const { matches, matched } = matcher.identifyBuffer(readFileSync("access.log"));
 *
 * What has expired is skipped, so that the next less specific prefix decides: as of `now`, milliseconds since the Unix
 * epoch; by default, the clock is read once per call. -Infinity is before everything expires. An invalid `now` is a
 * `RangeError`. Tables without expiries take no longer.
 *
 * The matchers of a table share a quarter of a megabyte beside it, plus 4 bytes per match if there are expiries, for as
 * long as the table exists; nothing else is kept between calls. Each thread needs its own: pass `snapshot.shared` to it
 * and attach.
 */
export class Matcher {
  readonly table: PrefixTable;
  /** The engine in use. */
  readonly engine: "webassembly" | "typescript";
  readonly #room: Room | null;
  readonly #active: ActiveMatches | null;
  readonly #found = createFound();

  /**
   * With a snapshot, nothing is copied; any other table is copied once, O(bytes). Throws `RangeError` if the engine
   * "webassembly" is requested and not available, `TypeError` for another source.
   */
  constructor(source: Snapshot | PrefixTable, { engine = "auto" }: { engine?: Engine } = {}) {
    if (!["auto", "webassembly", "typescript"].includes(engine))
      throw new RangeError(`engine is ${JSON.stringify(engine)}; give one of auto, webassembly, typescript`);
    if (!(source instanceof PrefixTable || source instanceof Snapshot))
      throw new TypeError("source must be a Snapshot or a PrefixTable");
    this.table = source instanceof PrefixTable ? source : source.table;
    this.#room = engine === "typescript" ? null : roomFor(source);
    this.engine = this.#room === null ? "typescript" : "webassembly";
    this.#active = this.#room?.active?.matches ?? (this.table.hasExpiries ? new ActiveMatches(this.table) : null);
    if (engine === "webassembly" && this.#room === null) {
      throw new RangeError(
        'engine is "webassembly", but this platform has no WebAssembly with SIMD and shared memory, or no address space for it; give "auto"',
      );
    }
  }

  /**
   * Looks up `count` addresses of one family: `words` holds one unsigned 32-bit word (IPv4) or four, in network order
   * (IPv6), per address; `out` receives a match id for each, 0 for none, and may be `words` itself. What has expired at
   * `now` (default: the clock) is skipped. Throws `RangeError` if either array is too short.
   */
  lookupBatchInto(
    family: Family,
    words: Uint32Array,
    out: Uint32Array,
    count: number = words.length / (family === 4 ? 1 : 4),
    now?: number,
  ): void {
    const room = this.#room;
    const width = family === 4 ? 1 : 4;
    // The table reports what is wrong with the arguments.
    const isPlain =
      (family === 4 || family === 6) &&
      Number.isInteger(count) &&
      count > 0 &&
      words.length >= count * width &&
      out.length >= count;
    const active = this.#activeAt(now);
    if (room === null || !isPlain) {
      this.table.lookupBatchInto(family, words, out, count);
      if (active !== null) for (let index = 0; index < count; index++) out[index] = active[out[index]!]!;
      return;
    }
    const from = new Uint8Array(words.buffer, words.byteOffset, words.byteLength);
    const to = new Uint8Array(out.buffer, out.byteOffset, out.byteLength);
    for (let done = 0; done < count; done += LOOKUPS) {
      const some = Math.min(LOOKUPS, count - done);
      room.words.set(from.subarray(done * width * 4, (done + some) * width * 4));
      if (family === 4) room.kernel.lookupBatch4(room.wordsAt, room.idsAt, some);
      else room.kernel.lookupBatch6(room.wordsAt, room.idsAt, some);
      to.set(room.ids.subarray(0, some * 4), done * 4);
    }
  }

  /**
   * Finds and looks up the first address of each line of a text, as `identifyLines` does. A last line without LF
   * counts. What has expired at `now` (default: the clock) is skipped.
   */
  identifyBuffer(bytes: Uint8Array, now: number = this.#clock()): BufferMatches {
    let matches = new Int32Array(64 + (Math.min(bytes.length, PIECE_BYTES) >> 3));
    let lines = 0;
    let addresses = 0;
    let matched = 0;
    for (let from = 0; from < bytes.length;) {
      const part = this.identifyBufferInto(bytes, matches.subarray(lines), from, now);
      lines += part.lines;
      addresses += part.addresses;
      matched += part.matched;
      from = part.next;
      if (from === bytes.length) break;
      // An estimate from the lines so far, and some more.
      const larger = new Int32Array(Math.max(2 * matches.length, Math.ceil(1.05 * (bytes.length / from) * lines)));
      larger.set(matches);
      matches = larger;
    }
    return { lines, addresses, matched, matches: matches.subarray(0, lines) };
  }

  /**
   * Like `identifyBuffer`, for the lines from position `from` on, into an array of the caller's, until it is full or
   * the text ends. For text that comes in pieces, keep what follows the last LF for the next one, and pass the same
   * `now` to all calls.
   * @throws RangeError if `from` is not a position in the text
   */
  identifyBufferInto(bytes: Uint8Array, out: Int32Array, from: number = 0, now?: number): BufferProgress {
    if (!(Number.isInteger(from) && from >= 0 && from <= bytes.length))
      throw new RangeError(`from is ${from}; give a position in the ${bytes.length} bytes`);
    const active = this.#activeAt(now);
    const progress = { lines: 0, addresses: 0, matched: 0, next: from };
    while (progress.next < bytes.length && progress.lines < out.length) {
      if (this.#room === null || !this.#identifyPiece(this.#room, bytes, out, progress))
        this.#identifyHere(bytes, out, progress, active);
    }
    return progress;
  }

  /** The time of this call; if nothing expires, the clock is not read. */
  #clock(): number {
    return this.#active === null ? -Infinity : Date.now();
  }

  /**
   * The matches that decide instead of each match at `now`, null if each decides itself; the kernel uses them from now
   * on.
   */
  #activeAt(now: number = this.#clock()): Uint32Array | null {
    if (this.#active === null) {
      checkTime(now);
      return null;
    }
    const active = this.#active.at(now);
    this.#room?.kernel.useActiveMatches(active === null ? 0 : this.#room.active!.at);
    return active;
  }

  /** Identifies the whole lines in the next piece, by the kernel. False if the next line is longer than that. */
  #identifyPiece({ kernel, text: copy, textAt }: Room, text: Uint8Array, out: Int32Array, progress: Progress): boolean {
    const start = progress.next;
    let length = Math.min(PIECE_BYTES, text.length - start, 4096 + 256 * (out.length - progress.lines));
    copy.set(text.subarray(start, start + length));
    if (start + length < text.length) length = copy.subarray(0, length).lastIndexOf(LF) + 1;
    else copy[length] = LF; // the last line may lack it
    if (length === 0) return false;
    const end = textAt + length;
    for (let at = textAt; at < end && progress.lines < out.length;) {
      kernel.scanChunk(at, end);
      kernel.lookupChunk();
      const { matches } = kernel;
      const lines = Math.min(kernel.chunkLines, out.length - progress.lines);
      // Without branches, which would be unpredictable: the sign bit of a match means "none", that of the negated
      // match "any".
      const done = progress.lines;
      let none = 0;
      let any = 0;
      for (let line = 0; line < lines; line++) {
        const match = matches[line]!;
        out[done + line] = match;
        none += match >>> 31;
        any += -match >>> 31;
      }
      progress.lines += lines;
      progress.addresses += lines - none;
      progress.matched += any;
      at = kernel.lineStarts[lines]!;
      progress.next = Math.min(start + at - textAt, text.length);
    }
    return true;
  }

  /** Identifies a piece of the lines, or a single longer one, in TypeScript. */
  #identifyHere(text: Uint8Array, out: Int32Array, progress: Progress, active: Uint32Array | null): void {
    const start = progress.next;
    let end = start + text.subarray(start, start + PIECE_BYTES).lastIndexOf(LF) + 1;
    if (end === start) end = text.indexOf(LF, start) + 1;
    let lines = text;
    let shift = 0;
    if (end === 0) {
      // The last line lacks its LF, which every search relies on.
      lines = new Uint8Array(text.length - start + 1);
      lines.set(text.subarray(start));
      lines[lines.length - 1] = LF;
      shift = start;
      end = text.length + 1;
    }
    const found = this.#found;
    for (let at = start - shift; at < end - shift && progress.lines < out.length;) {
      const family = findAddress(lines, at, end - shift, found);
      const stop = found[STOP]!;
      let match: number = NO_ADDRESS;
      if (family === 4) match = this.table.lookup4(found[0]!);
      else if (family === 6) match = this.table.lookup6(found[0]!, found[1]!, found[2]!, found[3]!);
      if (active !== null && match > 0) match = active[match]!;
      out[progress.lines++] = match;
      if (match >= 0) progress.addresses++;
      if (match > 0) progress.matched++;
      at = (lines[stop] === LF ? stop : endOfLine(lines, stop)) + 1;
      progress.next = Math.min(at + shift, text.length);
    }
  }
}

/**
 * A workspace keeps nothing between two calls: all matchers of a table in this thread share one, by the table's memory
 * or by the table itself.
 */
const rooms = new WeakMap<SharedMemory | PrefixTable, Room | null>();

function roomFor(source: Snapshot | PrefixTable): Room | null {
  const table = source instanceof PrefixTable ? source : source.table;
  const memory = source instanceof PrefixTable ? null : source.memory;
  const key = memory ?? table;
  let room = rooms.get(key);
  if (room === undefined) rooms.set(key, (room = makeRoom(table, memory ?? memoryOf(table))));
  return room;
}

function makeRoom(table: PrefixTable, memory: SharedMemory | null): Room | null {
  if (memory === null) return null;
  try {
    const heap = KernelHeap.of(memory);
    const workspace = heap.take(WORKSPACE_BYTES);
    const kernel = Kernel.create(memory, table.sections, workspace);
    if (kernel === null) {
      heap.give(workspace, WORKSPACE_BYTES);
      return null;
    }
    const textAt = heap.take(PIECE_BYTES + SLACK);
    const wordsAt = heap.take(LOOKUPS * 16);
    const idsAt = heap.take(LOOKUPS * 4);
    const activeAt = table.hasExpiries ? heap.take(activeMatchBytes(table.matchCount)) : 0;
    const view = (at: number, byteLength: number): Uint8Array => new Uint8Array(memory.buffer, at, byteLength);
    return {
      kernel,
      text: view(textAt, PIECE_BYTES + SLACK),
      textAt,
      words: view(wordsAt, LOOKUPS * 16),
      wordsAt,
      ids: view(idsAt, LOOKUPS * 4),
      idsAt,
      active: table.hasExpiries ? { matches: new ActiveMatches(table, memory.buffer, activeAt), at: activeAt } : null,
    };
  } catch {
    return null; // the memory cannot grow
  }
}

/** The memories that tables were made in, by the buffer that they had then. */
const memories = new WeakMap<ArrayBufferLike, SharedMemory>();

/**
 * Zeroed bytes in which to make a table (`allocate` of freezers) so that a `Matcher` over it has nothing to copy. As
 * `allocateShared`, throws RangeError when there is no memory.
 */
export function allocateForMatcher(byteLength: number): ArrayBufferLike {
  const shared = allocateShared(byteLength);
  weigh(shared, byteLength);
  const buffer = bufferOf(shared);
  if (isMemory(shared)) memories.set(buffer, shared);
  return buffer;
}

/** The memory that a table was made in, else one with a copy at the same offsets; null if there cannot be one. */
function memoryOf({ buffer }: PrefixTable): SharedMemory | null {
  const own = memories.get(buffer);
  if (own !== undefined) return own;
  try {
    const shared = allocateShared(buffer.byteLength);
    if (!isMemory(shared)) return null;
    new Uint8Array(shared.buffer).set(new Uint8Array(buffer));
    weigh(shared, buffer.byteLength);
    return shared;
  } catch {
    return null; // there is no memory for a copy
  }
}
