import { read, readSync } from "node:fs";
import { Kernel } from "../../kernel/kernel.ts";
import type { SharedMemory } from "../../memory/web-assembly.ts";
import { Snapshot } from "../../snapshot/snapshot.ts";
import { type CutRecords, endOfRecord } from "../lines/csv-records.ts";
import { skipMark } from "../lines/byte-order-mark.ts";
import { endOfLine, withoutCarriageReturn } from "../lines/end-of-line.ts";
import { AddressCounter } from "../engine/address-counter.ts";
import { isScannedField } from "../engine/kernel/field-scan.ts";
import { KernelEngine } from "../engine/kernel/kernel-engine.ts";
import { RowTails } from "../engine/kernel/row-tails.ts";
import { KernelTemplates } from "../engine/kernel/kernel-templates.ts";
import { LineCounts, type Lines, type RowSpace } from "../engine/line-engine.ts";
import { joinedTemplates } from "../engine/joined-templates.ts";
import { JoinedCounts } from "../engine/joined-counts.ts";
import { MatchJoiner } from "../engine/match-joiner.ts";
import { columnTemplates, numberedTemplates, type RowTemplates, rowTemplates } from "../engine/row-templates.ts";
import { rowOfThread } from "./_match-counts.ts";
import { viewOf } from "./_run-memory.ts";
import { ALIGNMENT, SLACK } from "../engine/thread-sizes.ts";
import { TypeScriptEngine } from "../engine/typescript/typescript-engine.ts";
import { TimeCounter } from "../engine/time-counter.ts";
import { Matcher } from "../engine/matcher.ts";
import type { RendererModule, TailWriter } from "../engine/create-row-templates.ts";
import type { RowFormat } from "../../rows/row-format.ts";
import type { LineShape } from "../lines/line-shape.ts";
import type { AddressCounts } from "../engine/address-counts.ts";
import type { FileShard, Shard, ShardResult, SharedBytes, ShardWork } from "../engine/messages.ts";

const LF = 0x0a;
const QUOTE = 0x22;
const HASH = 0x23;

/** Read in addition to a shard, so that it nearly always contains the end of its last line. */
const TAIL = 16 * 1024;

/** Making a kernel takes 2 to 5 ms, as long as TypeScript needs for this many bytes. */
const KERNEL_FROM_BYTES = 32 * 1024;

/** The size of the input buffer for a shard of this many bytes: the byte before it, the end of its last line, an LF. */
export function inputBytesFor(shardBytes: number): number {
  return shardBytes + ALIGNMENT + TAIL + SLACK;
}

/** Rows that the kernel writes with texts of the snapshot beside: what comes before these, and what finds them. */
interface TailedRows {
  readonly templates: RowTemplates;
  readonly matcher: Matcher;
  readonly writer: TailWriter;
}

/** Takes the number of lines of a shard, returns the number of the first; null: must not be called. */
export type AskFirstLine = (textLines: number) => Promise<number>;

/** Lines that were read, and why the next one could not be. */
interface ReadLines extends Omit<Lines, "firstLine"> {
  readonly failure: ShardResult["failure"];
}

/** A buffer to read into, and its address in the snapshot's memory, if it is there. */
interface Input {
  readonly bytes: Buffer;
  readonly address: number | null;
}

/**
 * Processes the shards of one thread: reads them and lets an engine find and look up addresses, count, and write rows.
 */
export class ShardRunner {
  readonly #work: ShardWork;
  readonly #memory: SharedMemory | null;
  readonly #typescript: TypeScriptEngine;
  readonly #makeKernel: () => KernelEngine | null;
  readonly #counter: AddressCounter | null;
  /** Null unless matches are counted in several snapshots. */
  readonly #joinedCounts: JoinedCounts | null;
  /** Undefined until it is made; null if it cannot be. */
  #kernel: KernelEngine | null | undefined;
  readonly #hasTails: boolean;
  readonly #inputs: Input[];
  /**
   * A worker reads synchronously, which is a fifth faster than asking a thread of the pool. The main thread does not:
   * it has signals, progress and other threads' results to handle, and, if it is alone, reads on a second processor.
   */
  readonly #waits: boolean;

  private constructor(
    snapshot: Snapshot,
    work: ShardWork,
    templates: RowTemplates | null,
    joiner: MatchJoiner | null,
    thread: number,
    tailed: TailedRows | null = null,
  ) {
    this.#work = work;
    this.#waits = thread > 0;
    this.#memory = snapshot.memory;
    const { table } = snapshot;
    const maxId = joiner?.maxId ?? table.matchCount;
    const counters = work.perMatch === null ? null : rowOfThread(work.perMatch, thread, maxId);
    const perMatch = counters && this.#countersIn(counters);
    this.#joinedCounts = joiner && perMatch && new JoinedCounts(joiner, perMatch, this.#countersOfSnapshots(thread));
    this.#counter = work.countedAddresses === 0 ? null : new AddressCounter(work.countedAddresses);
    const { active } = work;
    const activeIds = active && new Uint32Array(active.buffer ?? this.#memory!.buffer, active.at, table.matchCount + 1);
    this.#typescript = new TypeScriptEngine(table, activeIds, work, templates, perMatch, this.#counter, joiner);
    const workspace = work.workspaces?.[thread] ?? null;
    this.#hasTails = tailed !== null;
    if (workspace === null) this.#kernel = null;
    this.#makeKernel = () => {
      const kernel = Kernel.create(this.#memory!, table.sections, workspace!.kernel);
      if (kernel === null) return null;
      kernel.useActiveMatches(active?.at ?? 0);
      const { buffer } = this.#memory!;
      const format = work.format as RowFormat;
      if (tailed !== null && workspace!.tails !== null) {
        const { matchCount } = table;
        const own = tailed.templates(format);
        const rows = new KernelTemplates(kernel, buffer, workspace!, matchCount, format, work.rows, own, false);
        const tails = new RowTails(tailed.matcher, tailed.writer, work.now, buffer, workspace!.tails);
        return new KernelEngine(kernel, null, rows, () => null, this.#counter, null, format !== "append", tails);
      }
      const rows =
        templates &&
        new KernelTemplates(kernel, buffer, workspace!, maxId, format, work.rows, templates(format), joiner !== null);
      // Only one kind of template can be shared.
      const recordRows = (): KernelTemplates | null =>
        format !== "append"
          ? null
          : new KernelTemplates(kernel, buffer, workspace!, maxId, format, work.rows, templates!("append-csv"), true);
      const own = perMatch && { address: counters!.at, counts: perMatch };
      return new KernelEngine(kernel, own, rows, recordRows, this.#counter, joiner, this.#work.format !== "append");
    };
    this.#inputs =
      workspace === null
        ? []
        : workspace.inputs.map((at) => ({
            bytes: viewOf({ buffer: null, at, byteLength: workspace.inputBytes }, this.#memory).bytes,
            address: at,
          }));
  }

  /** `thread` is this thread's row of `work.perMatch`. Imports the renderer. */
  static async create(snapshot: Snapshot, work: ShardWork, thread: number): Promise<ShardRunner> {
    const further = work.further.map(({ shared, ...about }) => ({ ...about, snapshot: Snapshot.attach(shared) }));
    const engine = work.workspaces === null ? "typescript" : "auto";
    const matchers = further.map((one) => new Matcher(one.snapshot, { engine }));
    const within = work.within && new Matcher(Snapshot.attach(work.within), { engine });
    const joiner = matchers.length === 0 && within === null ? null : new MatchJoiner(matchers, work, within);
    if (work.format === "none") return new ShardRunner(snapshot, work, null, joiner, thread);
    if (work.columns !== null) {
      const chosen = columnTemplates(
        [snapshot, ...further.map((one) => one.snapshot)],
        await rendererOf(work.renderer, work),
        { now: work.now, columns: work.columns },
        (id) => joiner?.matchesOf(id) ?? [id],
      );
      const tailed = await tailedRows(snapshot, work, matchers.at(-1), further.at(-1)?.snapshot, thread);
      return new ShardRunner(snapshot, work, numberedTemplates(chosen, work.rowText), joiner, thread, tailed);
    }
    const first = await templatesOf(snapshot, work.renderer, work);
    if (joiner !== null && further.length === 0) {
      const selected = firstTemplates(first, (id) => joiner.matchesOf(id)[0]!);
      return new ShardRunner(snapshot, work, numberedTemplates(selected, work.rowText), joiner, thread);
    }
    if (joiner === null) return new ShardRunner(snapshot, work, numberedTemplates(first, work.rowText), joiner, thread);
    const parts = [{ label: work.label, templates: first }];
    for (const one of further)
      parts.push({ label: one.label, templates: await templatesOf(one.snapshot, one.renderer, work) });
    const joined = joinedTemplates(parts, (id) => joiner.matchesOf(id));
    return new ShardRunner(snapshot, work, numberedTemplates(joined, work.rowText), joiner, thread);
  }

  /** Makes the kernel if it is available and has not been made, and returns the engine in use. */
  prepareEngine(): "webassembly" | "typescript" {
    if (this.#kernel === undefined) this.#kernel = this.#makeKernel();
    return this.#kernel === null ? "typescript" : "webassembly";
  }

  get hasKernel(): boolean {
    return (this.#kernel ?? null) !== null;
  }

  /** `CutNatively` for bytes at an address in the memory of the snapshot. */
  cutRecords(address: number, from: number, to: number, state: number): CutRecords | null {
    if (this.#kernel === undefined && to - from >= KERNEL_FROM_BYTES) this.prepareEngine();
    const cut = this.#kernel?.cutRecords(address + from, address + to, state) ?? null;
    return cut && { end: Math.max(0, cut.end - address), state: cut.state };
  }

  /** `ask` is for shards whose rows have line numbers that are not known yet. */
  async run(shard: Shard, ask: AskFirstLine | null = null): Promise<ShardResult> {
    if (shard.kind === "chunk") {
      const { bytes } = viewOf(shard.bytes, this.#memory);
      const address = shard.bytes.buffer === null ? shard.bytes.at : null;
      return this.#runLines({ bytes, address, start: shard.from, end: shard.to, failure: null }, shard, 0, ask);
    }
    const input = this.#takeInput(inputBytesFor(shard.to - shard.from));
    // The byte before shows whether a line begins at `from`; from there back to where the system copies fast.
    const before = Math.max(0, shard.from - 1);
    const offset = before - (before % ALIGNMENT);
    try {
      return await this.#runLines(await this.#readLines(shard, input, offset), shard, offset, ask);
    } finally {
      this.#inputs.push(input);
    }
  }

  /** Completes the counts by match of all shards so far, and returns those by address; null if there are none. */
  collect(): AddressCounts | null {
    this.#joinedCounts?.settle();
    return this.#counter?.counts() ?? null;
  }

  #countersOfSnapshots(thread: number): Float64Array[] {
    const { perMatchOfSnapshots } = this.#work;
    return perMatchOfSnapshots.map(({ block, maxId }) => this.#countersIn(rowOfThread(block, thread, maxId)));
  }

  #countersIn({ buffer, at, byteLength }: SharedBytes): Float64Array {
    return new Float64Array(buffer ?? this.#memory!.buffer, at, byteLength / Float64Array.BYTES_PER_ELEMENT);
  }

  #takeInput(bytes: number): Input {
    const input = this.#inputs.pop();
    return input !== undefined && input.bytes.length >= bytes
      ? input
      : { bytes: Buffer.from(new SharedArrayBuffer(bytes)), address: null };
  }

  /** Reads the lines that begin in the shard's bytes, the last one to its end. */
  async #readLines(shard: FileShard, input: Input, offset: number): Promise<ReadLines> {
    const { bytes: buffer } = input;
    const wanted = Math.min(shard.to + TAIL, shard.size) - offset;
    const got = await this.#readFully(shard.descriptor, buffer, wanted, offset);
    if (got < wanted) return { ...input, start: 0, end: 0, failure: "input-changed" };
    buffer[got] = LF; // so that every search ends

    const owned = shard.to - offset; // lines that begin at this position or after it belong to the next shard
    const start = shard.from === shard.first ? shard.first - offset : endOfLine(buffer, shard.from - 1 - offset) + 1;
    if (start >= owned) return { ...input, start: 0, end: 0, failure: null };
    const lastEnd = endOfLine(buffer, owned - 1);
    if (lastEnd < got || offset + got === shard.size)
      return this.#checkLast({ ...input, start, end: Math.min(lastEnd + 1, got), failure: null });

    // The last line continues after what was read. Its end is searched for first, then everything is read into a buffer
    // of that size: a line is in memory once.
    const end = await this.#findLineEnd(shard, offset + got);
    const lastStart = buffer.lastIndexOf(LF, owned - 1) + 1;
    if (end - 1 - (offset + lastStart) > this.#work.lineBytes)
      return { ...input, start, end: lastStart, failure: "line-too-long" };
    const large = Buffer.from(new SharedArrayBuffer(end - offset + SLACK));
    const all = await this.#readFully(shard.descriptor, large, end - offset, offset);
    if (all < end - offset) return { ...input, start: 0, end: 0, failure: "input-changed" };
    large[all] = LF;
    return { bytes: large, address: null, start, end: all, failure: null };
  }

  /** Only the last line of a shard can be longer than the shard. */
  #checkLast(lines: ReadLines): ReadLines {
    const { bytes, start, end } = lines;
    if (end - start <= this.#work.lineBytes) return lines;
    const lastStart = Math.max(start, bytes.lastIndexOf(LF, end - 2) + 1);
    return end - lastStart - 1 > this.#work.lineBytes ? { ...lines, end: lastStart, failure: "line-too-long" } : lines;
  }

  /**
   * The position after the first LF from `position` on, or the end of the file, or some position if that is too far.
   */
  async #findLineEnd(shard: FileShard, position: number): Promise<number> {
    const limit = Math.min(shard.size, position + this.#work.lineBytes + 2);
    const piece = Buffer.from(new SharedArrayBuffer(64 * TAIL));
    for (let at = position; at < limit;) {
      const got = await this.#readFully(shard.descriptor, piece, Math.min(piece.length, shard.size - at), at);
      const found = piece.subarray(0, got).indexOf(LF);
      if (found >= 0) return at + found + 1;
      if (got === 0) return at;
      at += got;
    }
    return limit;
  }

  /**
   * What the kernel does not support, or cannot continue with although its row buffer is empty, is done in TypeScript.
   */
  async #runLines(all: ReadLines, shard: Shard, offset: number, ask: AskFirstLine | null): Promise<ShardResult> {
    const { shape } = shard;
    const read = upToOtherFields(all, shape);
    if (this.#kernel === undefined && read.end - read.start >= KERNEL_FROM_BYTES) this.prepareEngine();
    const kernel = this.#kernel && read.address !== null ? this.#kernel : null;
    const isNumbered = this.#work.format === "jsonl" && ask !== null;
    const firstLine =
      shard.firstLine ??
      (!isNumbered ? 1 : await ask(kernel?.countNewlines({ ...read, firstLine: 0 }) ?? newlinesIn(read)));
    const lines: Lines = { ...read, firstLine };

    const { timeUnit, latest } = this.#work;
    const counts = new LineCounts(timeUnit === 0 ? null : new TimeCounter(timeUnit, latest));
    const rows: RowSpace | null = shard.rows === null ? null : { ...viewOf(shard.rows, this.#memory), filled: 0 };
    const part = { ...lines, end: this.#endOfPart(lines, shape) };
    let next = lines.start;
    if (kernel !== null && this.#isForKernel(part, shape, kernel)) next = kernel.run(part, shape, rows, counts);
    if (next < part.end && (rows === null || rows.filled === 0))
      next = this.#typescript.run({ ...part, start: next }, shape, rows, counts);
    if (this.#counter?.isFull === true) {
      if (this.#work.moreAddresses === "drop") this.#counter.makeRoom();
      else counts.failure ??= "too-many-addresses";
    }
    const { failure, times, ...counted } = counts;
    const done = next >= lines.end || failure !== null;
    return {
      ...counted,
      times: times?.counts() ?? [],
      next: done ? null : offset + next,
      rows: rows?.block ?? null,
      rowBytes: rows?.filled ?? 0,
      failure: failure ?? (done ? read.failure : null),
    };
  }

  /**
   * The kernel finds the first address of lines of text, or of a field of them. Records of CSV that are searched as a
   * whole are lines if there is no quote.
   */
  #isForKernel(lines: Lines, shape: LineShape, kernel: KernelEngine): boolean {
    const { field, records, append, columns } = shape;
    const { format, address, rowText } = this.#work;
    const isSimple = address === "first" && !rowText && (format !== "append" || append !== "append-jsonl");
    if (!isSimple) return false;
    // What is appended to a record of CSV is another text.
    if (this.#hasTails && append === "append-csv" && format === "append") return false;
    if (field !== null && !isScannedField(field)) return false;
    const areQuotesSpecial = field === null ? records === "csv" : field.syntax === "tsv" && field.columns !== undefined;
    if (areQuotesSpecial && lines.bytes.subarray(lines.start, lines.end).includes(QUOTE)) return false;
    // It adds to the end of each line, which is the right column if all of them are as long as the header.
    const isTable = format === "append" && (columns > 0 || append === "append-csv");
    return !isTable || (columns !== 1 && kernel.haveColumns(lines, shape)); // a blank line is left as it is
  }

  /** The position after the maximum number of lines processed at a time. */
  #endOfPart({ bytes, start, end }: Lines, { records }: LineShape): number {
    const { shardLines } = this.#work;
    // No line is shorter than its LF.
    if (end - start <= shardLines) return end;
    let at = start;
    for (let left = shardLines; left > 0 && at < end; left--)
      at = (records === "csv" ? endOfRecord(bytes, at, end) : endOfLine(bytes, at)) + 1;
    return Math.min(at, end);
  }

  /** Reads until `length` bytes are read or the file ends; returns how many there are. */
  async #readFully(descriptor: number, buffer: Buffer, length: number, position: number): Promise<number> {
    let done = 0;
    while (done < length) {
      const bytesRead = this.#waits
        ? readSync(descriptor, buffer, done, length - done, position + done)
        : await readSome(descriptor, buffer, done, length - done, position + done);
      if (bytesRead === 0) break;
      done += bytesRead;
    }
    return done;
  }
}

function readSome(descriptor: number, buffer: Buffer, at: number, length: number, position: number): Promise<number> {
  return new Promise((resolve, reject) => {
    read(descriptor, buffer, at, length, position, (error, bytesRead) =>
      error === null ? resolve(bytesRead) : reject(error),
    );
  });
}

/** Lines up to the first `#Fields` that names other columns than the first: a log whose columns change in it. */
function upToOtherFields(read: ReadLines, { field }: LineShape): ReadLines {
  const header = field !== null && "header" in field ? field.header : undefined;
  if (header === undefined) return read;
  const { bytes, start, end } = read;
  for (let at = start; at < end; at = endOfLine(bytes, at) + 1) {
    const front = skipMark(bytes, at, end);
    if (bytes[front] !== HASH) continue;
    const line = bytes.toString("utf8", front, withoutCarriageReturn(bytes, at, endOfLine(bytes, at)));
    if (/^#fields[^a-z]/i.test(line) && line.trimEnd() !== header.trimEnd())
      return { ...read, end: at, failure: "fields-differ" };
  }
  return read;
}

function newlinesIn({ bytes, start, end }: ReadLines): number {
  const text = bytes.subarray(start, end);
  let lines = 0;
  for (let at = text.indexOf(LF); at >= 0; at = text.indexOf(LF, at + 1)) lines++;
  return lines;
}

async function templatesOf(snapshot: Snapshot, renderer: string | undefined, work: ShardWork): Promise<RowTemplates> {
  const isAlone = work.further.length === 0 && work.within === null;
  return rowTemplates(snapshot, await rendererOf(renderer, work), work.now, isAlone);
}

/** Rows of a run with one snapshot, by ids that stand for a match in it. */
function firstTemplates(plain: RowTemplates, matchOf: (id: number) => number): RowTemplates {
  return (format) => {
    const templates = plain(format);
    return { sharing: null, of: (id) => templates.of(matchOf(id)) };
  };
}

/** Null where the kernel cannot write rows so. */
async function tailedRows(
  snapshot: Snapshot,
  work: ShardWork,
  matcher: Matcher | undefined,
  beside: Snapshot | undefined,
  thread: number,
): Promise<TailedRows | null> {
  const { format, columns, hasBeside, workspaces } = work;
  const isPossible =
    hasBeside && format !== "jsonl" && format !== "none" && (workspaces?.[thread]?.tails ?? null) !== null;
  if (!isPossible) return null;
  const { createTails } = await rendererOf(work.renderer, work);
  const tails = createTails?.(beside!, format, columns!) ?? null;
  if (tails === null) return null;
  const front = await rendererOf(tails.front, work);
  return { templates: rowTemplates(snapshot, front, work.now, true), matcher: matcher!, writer: tails.writer };
}

async function rendererOf(renderer: string | undefined, { format }: ShardWork): Promise<RendererModule> {
  if (renderer === undefined) throw new TypeError(`identify: format "${format}" needs a renderer`);
  return (await import(renderer)) as RendererModule;
}
