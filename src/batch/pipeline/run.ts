import { availableParallelism } from "node:os";
import type { Readable } from "node:stream";
import type { AddressCounts } from "../address-counts.ts";
import { BatchError } from "../batch-error.ts";
import { AddressCounter } from "../engine/address-counter.ts";
import { LineCounts } from "../engine/line-engine.ts";
import { SLACK } from "../engine/thread-sizes.ts";
import { type BatchLimits, DEFAULT_APPENDED_NAME, DEFAULT_LIMITS, type IdentifyOptions } from "../identify-options.ts";
import type { IdentifyResult, MalformedInputLine, Progress } from "../identify-result.ts";
import type { OpenInput } from "../input/input.ts";
import { openInput } from "../input/open-input.ts";
import { surveyLines } from "../input/survey-lines.ts";
import { HeaderRows } from "../output/header-rows.ts";
import type { RowOutput } from "../output/open-output.ts";
import { OutputClosed } from "../output/output-closed.ts";
import { type TopAddresses, topAddresses } from "../top-addresses.ts";
import { type CutShard, type PlannedShard, type ShardSizes, shardsOf } from "./_cut-shards.ts";
import { RunMemory, type SharedBuffer, viewOf } from "./_run-memory.ts";
import { type AskFirstLine, inputBytesFor, ShardRunner } from "./_shard-runner.ts";
import { Lanes } from "./_worker-pool.ts";
import type { Shard, ShardFailure, ShardResult, ShardWork, SharedBytes, Workspace } from "./messages.ts";

/** Malformed lines whose places are kept. */
const MOST_MALFORMED_LINES = 20;
/** Shards that are in work or wait to be written, per thread: two in work, one to bridge a slow one. */
const FLIGHTS_PER_THREAD = 3;
const FIRST_SHARD_BYTES = 64 * 1024;
const PROGRESS_MS = 100;

const NOTHING: ShardResult = { ...new LineCounts(), next: null, rows: null, rowBytes: 0, failure: null };

/**
 * A shard on its way: what it is (null: the end of an input that fails), which input it belongs to, and its result to
 * come.
 */
interface Flight {
  readonly plan: CutShard | null;
  readonly input: number;
  readonly result: Promise<ShardResult>;
}

/**
 * One call of `identify`: two loops over one queue. `#produce` cuts shards and gives them to lanes as long as there is
 * room; `#consume` takes their results in order, writes rows and counts. `#changed` wakes whichever of them waits.
 */
export class Run {
  readonly #options: IdentifyOptions;
  readonly #limits: BatchLimits;
  readonly #threads: number;
  readonly #totalBytes: number | null;
  readonly #work: ShardWork;
  readonly #started = milliseconds();
  readonly #stop = new AbortController();
  readonly #flights: Flight[] = [];
  readonly #memory: RunMemory;
  readonly #perMatch: SharedBuffer | null;
  readonly #spareRows: SharedBytes[] = [];
  #sums: Float64Array = new Float64Array(0);
  #runner: ShardRunner | undefined;
  #lanes!: Lanes;
  #output: RowOutput | undefined;
  #produced = false;
  #waiting: (() => void)[] = [];
  readonly #files: (OpenInput & { kind: "file" })[] = [];

  #shardsCut = 0;
  #bytesCut = 0;
  #bytesDone = 0;
  #bytesRead = 0;
  #bytesWritten = 0;
  #lines = 0;
  #addresses = 0;
  #matched = 0;
  #malformed = 0;
  readonly #malformedLines: MalformedInputLine[] = [];
  readonly #headers: HeaderRows;
  /** The number of the first line of the next shard. */
  #nextFirstLine: Promise<number> = Promise.resolve(1);
  #top: TopAddresses | null = null;
  #addressCounts: AddressCounts | null = null;
  #outputClosed = false;
  /** Where errors are reported. */
  #input = -1;
  #linesOfInput = 0;

  constructor(options: IdentifyOptions, totalBytes: number | null) {
    this.#options = options;
    const limits = { ...DEFAULT_LIMITS, ...options.limits };
    this.#limits = { ...limits, shardBytes: Math.min(limits.shardBytes, limits.lineBytes) };
    this.#threads = options.threads ?? availableParallelism();
    this.#totalBytes = totalBytes;
    this.#memory = new RunMemory(options.engine === "typescript" ? null : options.snapshot.memory);
    const countBytes = (options.snapshot.table.matchCount + 1) * Float64Array.BYTES_PER_ELEMENT * this.#threads;
    this.#perMatch = options.countMatches === true ? this.#memory.take(countBytes) : null;
    this.#perMatch?.bytes.fill(0);
    this.#headers = new HeaderRows(options.format, options.appendAs ?? DEFAULT_APPENDED_NAME);
    this.#work = {
      format: options.format,
      renderer: options.renderer,
      rows: options.rows ?? "all",
      address: options.address ?? "first",
      appendAs: options.appendAs ?? DEFAULT_APPENDED_NAME,
      rowText: options.format === "jsonl" && options.rowText === true,
      countedAddresses: options.keptAddresses ?? (options.topAddresses === undefined ? 0 : limits.addresses),
      moreAddresses: options.keptAddresses === undefined ? "fail" : "drop",
      perMatch: this.#perMatch?.place ?? null,
      workspaces: this.#takeWorkspaces(),
      lineBytes: limits.lineBytes,
      shardLines: limits.shardLines,
    };
  }

  /** One for each thread, or null. */
  #takeWorkspaces(): Workspace[] | null {
    const { table } = this.#options.snapshot;
    const workspaces: Workspace[] = [];
    if (this.#memory.memory === null) return null;
    const list = this.#options.format === "none" ? null : this.#memory.take((table.matchCount + 2) * 4);
    if (list !== null && list.place.buffer !== null) return null; // the memory is full
    list?.bytes.fill(0);
    for (let thread = 0; thread < this.#threads; thread++) {
      const workspace = this.#memory.takeWorkspace(
        inputBytesFor(this.#limits.shardBytes),
        table.matchCount,
        list?.place.at ?? 0,
      );
      if (workspace === null) return null;
      workspaces.push(workspace);
    }
    return workspaces;
  }

  async toEnd(): Promise<IdentifyResult> {
    const { signal, onProgress } = this.#options;
    const abort = (): void => this.#end(signal!.reason);
    signal?.addEventListener("abort", abort);
    if (signal?.aborted) abort(); // while the inputs were surveyed
    const timer = onProgress && setInterval(() => onProgress(this.#progress()), PROGRESS_MS);
    try {
      const runner = (this.#runner = await ShardRunner.create(this.#options.snapshot, this.#work, 0));
      if (this.#options.engine === "webassembly" && runner.prepareEngine() !== "webassembly") throw kernelMissing();
      this.#lanes = new Lanes(runner, () => this.#wake(), this.#options.pause);
      if (this.#work.format !== "none")
        this.#output = await (
          await import("../output/open-output.ts")
        ).openOutput(this.#options.output ?? process.stdout, this.#stop.signal);
      // An input that never answers, or an output that nobody reads, is not waited for.
      await this.#orStop(Promise.all([this.#produce(), this.#consume()])).catch((error) => this.#end(error));
      signal?.throwIfAborted();
      if (this.#stop.signal.aborted && !this.#outputClosed) throw this.#stop.signal.reason;
      if (this.#work.countedAddresses > 0) await this.#countAddresses();
      await this.#lanes.close();
      await (this.#outputClosed ? this.#output?.discard() : this.#output?.finish());
    } catch (error) {
      await this.#lanes?.close();
      await this.#output?.discard();
      throw signal?.aborted ? signal.reason : error;
    } finally {
      this.#sums = this.#sumsPerMatch();
      this.#memory.release();
      for (const file of this.#files) file.close();
      clearInterval(timer);
      signal?.removeEventListener("abort", abort);
      onProgress?.(this.#progress());
    }
    return this.#result();
  }

  #end(reason: unknown): void {
    if (this.#stop.signal.aborted) return;
    if (reason instanceof OutputClosed) this.#outputClosed = true;
    this.#stop.abort(reason);
    this.#wake();
  }

  /** Resolves at the next change of the queue, the lanes or the fate of the run. */
  #changed(): Promise<void> {
    return new Promise((resolve) => this.#waiting.push(resolve));
  }

  #wake(): void {
    for (const resolve of this.#waiting.splice(0)) resolve();
  }

  /**
   * An input that fails takes its place in the queue: the rows of the lines that were read before are written first.
   */
  async #produce(): Promise<void> {
    if (this.#totalBytes !== null) this.#considerWorkers(this.#totalBytes);
    for (const [index, input] of this.#options.inputs.entries()) {
      try {
        for await (const plan of await this.#shardsOf(input, index)) {
          await this.#room();
          if (this.#stop.signal.aborted) return;
          this.#launch(plan, index);
        }
      } catch (error) {
        return this.#enqueue({ plan: null, input: index, result: Promise.reject(error) });
      }
    }
    this.#produced = true;
    this.#wake();
  }

  async #shardsOf(input: string | Readable, index: number): Promise<AsyncGenerator<PlannedShard>> {
    const open = await openInput(input, this.#stop.signal, (bytes) => (this.#bytesRead += bytes));
    if (open.kind === "file") this.#files.push(open);
    if (open.kind === "file" && this.#stop.signal.aborted) open.close(); // nobody waits for it any more
    const sizes: ShardSizes = {
      next: () => this.#nextShardBytes(),
      most: this.#limits.shardBytes,
      lineBytes: this.#limits.lineBytes,
      take: (bytes) => this.#memory.take(bytes),
    };
    const { shape, header, headerLines, from } = await surveyLines(open, this.#options);
    this.#nextFirstLine = Promise.resolve(headerLines + 1);
    const rows = header === null ? null : this.#headers.rowOf(header, shape, open.name);
    if (open.kind === "file" && shape.records === "lines") this.#bytesRead += from;
    this.#enqueue({
      plan: null,
      input: index,
      result: Promise.resolve({ ...NOTHING, textLines: headerLines, ...rowPart(rows) }),
    });
    return shardsOf(open, shape, from, sizes);
  }

  #enqueue(flight: Flight): void {
    flight.result.catch(() => {}); // seen when its turn comes
    this.#flights.push(flight);
    this.#wake();
  }

  /** Small at first, so that all threads have work soon; then so that the rows of a shard fit into a row buffer. */
  #nextShardBytes(): number {
    const { shardBytes, rowBytes } = this.#limits;
    const ramp = FIRST_SHARD_BYTES * 2 ** Math.min(this.#shardsCut, 16);
    const growth = this.#bytesDone === 0 ? 0 : this.#bytesWritten / this.#bytesDone;
    const fitting = growth === 0 ? shardBytes : (0.8 * rowBytes) / growth;
    return Math.max(1, Math.trunc(Math.min(shardBytes, ramp, Math.max(fitting, FIRST_SHARD_BYTES))));
  }

  async #room(): Promise<void> {
    const most = (this.#lanes.hasWorkers ? this.#threads : 1) * FLIGHTS_PER_THREAD;
    while (!this.#stop.signal.aborted && (this.#flights.length >= most || !this.#lanes.hasRoom()))
      await this.#changed();
  }

  #launch(plan: PlannedShard, input: number): void {
    if ("failure" in plan) {
      return this.#enqueue({ plan: null, input, result: Promise.resolve({ ...NOTHING, failure: plan.failure }) });
    }
    this.#shardsCut++;
    this.#bytesCut += plan.shard.to - plan.shard.from;
    this.#considerWorkers(this.#bytesCut);
    this.#enqueue({ plan, input, result: this.#run(plan.shard, input, this.#numberer()) });
  }

  /**
   * Gives the number of a shard's first line when the lines of all shards before it are known, and makes known its own.
   */
  #numberer(): AskFirstLine {
    const firstLine = this.#nextFirstLine;
    let tell!: (textLines: number) => void;
    const counted = new Promise<number>((resolve) => (tell = resolve));
    this.#nextFirstLine = Promise.all([firstLine, counted]).then(([first, textLines]) => first + textLines);
    return (textLines) => {
      tell(textLines);
      return this.#orStop(firstLine); // a shard before it may fail
    };
  }

  async #run(shard: Shard, input: number, ask: AskFirstLine): Promise<ShardResult> {
    try {
      const rows = this.#takeRows();
      const result = await this.#lanes.run({ ...shard, rows }, ask);
      // A row that did not fit came in a larger buffer of its own.
      if (rows !== null && result.rows?.byteLength !== rows.byteLength) this.#spareRows.push(rows);
      return result;
    } catch (cause) {
      throw this.#shardFailure(cause, input);
    }
  }

  #considerWorkers(bytes: number): void {
    if (this.#threads < 2 || this.#lanes.hasWorkers || bytes < this.#limits.workerBytes) return;
    this.#lanes.startWorkers(this.#threads - 1, this.#options.snapshot, this.#work);
  }

  #takeRows(): SharedBytes | null {
    if (this.#output === undefined) return null;
    return this.#spareRows.pop() ?? this.#memory.take(this.#limits.rowBytes + SLACK).place;
  }

  async #consume(): Promise<void> {
    for (;;) {
      while (this.#flights.length === 0 && !this.#produced && !this.#stop.signal.aborted) await this.#changed();
      const flight = this.#flights[0];
      if (flight === undefined || this.#stop.signal.aborted) return;
      await this.#land(flight);
      this.#flights.shift();
      this.#wake();
    }
  }

  /**
   * Writes a shard's rows. If they filled its row buffer before its end, the rest of it is run now, as often as it
   * takes.
   */
  async #land({ plan, input, result }: Flight): Promise<void> {
    if (input !== this.#input) this.#linesOfInput = 0;
    this.#input = input;
    let part = await this.#orStop(result);
    await this.#account(part);
    if (plan === null) return;
    while (part.next !== null) {
      const firstLine = this.#linesOfInput + 1;
      part = await this.#orStop(
        this.#run({ ...plan.shard, from: part.next, firstLine }, input, () => Promise.resolve(firstLine)),
      );
      await this.#account(part);
    }
    const bytes = plan.shard.to - plan.shard.from;
    this.#bytesDone += bytes;
    if (plan.shard.kind === "file") this.#bytesRead += bytes;
    plan.done();
  }

  /** The result, or the reason to stop if that comes first: a worker may take its time. */
  async #orStop<Result>(result: Promise<Result>): Promise<Result> {
    const { signal } = this.#stop;
    result.catch(() => {}); // it may fail when nobody waits for it any more
    signal.throwIfAborted();
    let stop!: () => void;
    const stopped = new Promise<never>((_, reject) => {
      stop = () => reject(signal.reason);
      signal.addEventListener("abort", stop);
    });
    try {
      return await Promise.race([result, stopped]);
    } finally {
      signal.removeEventListener("abort", stop);
    }
  }

  async #account(part: ShardResult): Promise<void> {
    this.#lines += part.lines;
    this.#keepMalformed(part);
    this.#linesOfInput += part.textLines;
    this.#addresses += part.addresses;
    this.#matched += part.matched;
    if (part.rows !== null) {
      if (part.rowBytes > 0) await this.#write(part.rows, part.rowBytes);
      this.#bytesWritten += part.rowBytes;
      if (part.rows.byteLength === this.#limits.rowBytes + SLACK) this.#spareRows.push(part.rows);
    }
    if (part.failure !== null) throw this.#lineFailure(part.failure);
  }

  #keepMalformed({ malformed, malformedLines }: ShardResult): void {
    this.#malformed += malformed;
    const file = nameOf(this.#options.inputs[this.#input]!);
    for (const { linesBefore, column } of malformedLines.slice(0, MOST_MALFORMED_LINES - this.#malformedLines.length)) {
      this.#malformedLines.push({ file, line: this.#linesOfInput + linesBefore + 1, column });
    }
  }

  async #countAddresses(): Promise<void> {
    const { snapshot, topAddresses: most } = this.#options;
    const counts = await this.#byTurns(this.#addressesOfAll(await this.#lanes.collect()));
    if (most === undefined) this.#addressCounts = counts;
    else this.#top = await this.#byTurns(topAddresses(counts, snapshot.table, most));
  }

  *#addressesOfAll(parts: readonly AddressCounts[]): Generator<undefined, AddressCounts, undefined> {
    const counter = new AddressCounter(this.#work.countedAddresses);
    for (const part of parts) {
      yield* counter.adding(part);
      if (!counter.isFull) continue;
      if (this.#work.moreAddresses === "fail") throw this.#lineFailure("too-many-addresses");
      counter.makeRoom();
    }
    return counter.counts();
  }

  async #byTurns<Result>(work: Generator<undefined, Result, undefined>): Promise<Result> {
    for (;;) {
      await this.#options.pause?.();
      this.#options.signal?.throwIfAborted();
      const { done, value } = work.next();
      if (done === true) return value;
    }
  }

  async #write(rows: SharedBytes, byteLength: number): Promise<void> {
    this.#memory.hold(rows);
    try {
      await this.#output!.write(viewOf(rows, this.#memory.memory).bytes.subarray(0, byteLength));
    } finally {
      this.#memory.letGo();
    }
  }

  #lineFailure(failure: ShardFailure): BatchError {
    const file = nameOf(this.#options.inputs[this.#input]!);
    const place = { file, line: this.#linesOfInput + 1 };
    const { lineBytes, addresses } = { ...DEFAULT_LIMITS, ...this.#options.limits };
    const name = JSON.stringify(this.#work.appendAs);
    const errors: Record<ShardFailure, () => BatchError> = {
      "input-changed": () =>
        new BatchError(
          failure,
          "the file became shorter while it was read; run again, on a copy if it is still in use",
          place,
        ),
      "line-too-long": () =>
        new BatchError(failure, `this line is longer than ${lineBytes} bytes; is the file a text of lines?`, place),
      "quote-unclosed": () =>
        new BatchError(
          failure,
          "a quoted field begins in this record and never ends; correct the quote, or read the lines as text (--input space)",
          place,
        ),
      "member-exists": () =>
        new BatchError(
          failure,
          `this object has a member ${name} already; choose another name for the new one with --append-as`,
          place,
        ),
      "too-many-addresses": () =>
        new BatchError(
          failure,
          `there are more than ${addresses} different addresses up to here, and each is counted in memory; count parts of the input (--top)`,
          { file },
        ),
    };
    return errors[failure]();
  }

  #shardFailure(cause: unknown, input: number): unknown {
    if (cause instanceof BatchError) return cause;
    const { code, syscall } = cause as NodeJS.ErrnoException;
    if (syscall === "read")
      return new BatchError("input-unreadable", `it cannot be read (${code})`, {
        file: nameOf(this.#options.inputs[input]!),
        cause,
      });
    return this.#lanes.hasWorkers
      ? new BatchError("worker-failed", `a worker failed: ${String(cause)}`, { cause })
      : cause;
  }

  #progress(): Progress {
    const counts = { lines: this.#lines, addresses: this.#addresses, matched: this.#matched };
    const perMatch = this.#perMatch !== null && {
      perMatch: () => (this.#sums.length > 0 ? this.#sums : this.#sumsPerMatch()),
    };
    return {
      bytesRead: this.#bytesRead,
      totalBytes: this.#totalBytes,
      ...counts,
      elapsed: milliseconds() - this.#started,
      ...perMatch,
    };
  }

  #result(): IdentifyResult {
    return {
      lines: this.#lines,
      addresses: this.#addresses,
      matched: this.#matched,
      unmatched: this.#addresses - this.#matched,
      withoutAddress: this.#lines - this.#addresses,
      perMatch: this.#sums,
      top: this.#top,
      addressCounts: this.#addressCounts,
      malformed: this.#malformed,
      malformedLines: this.#malformedLines,
      bytesRead: this.#bytesRead,
      bytesWritten: this.#bytesWritten,
      outputClosed: this.#outputClosed,
      engine: this.#runner!.hasKernel ? "webassembly" : "typescript",
      elapsed: milliseconds() - this.#started,
    };
  }

  #sumsPerMatch(): Float64Array {
    if (this.#perMatch === null) return new Float64Array(0);
    const { buffer, byteOffset, byteLength } = this.#perMatch.bytes;
    const all = new Float64Array(buffer, byteOffset, byteLength / Float64Array.BYTES_PER_ELEMENT);
    const sums = Float64Array.from(all.subarray(0, this.#options.snapshot.table.matchCount + 1));
    for (let at = sums.length; at < all.length; at++) sums[at % sums.length]! += all[at]!;
    return sums;
  }
}

/** The part of a result that writes these rows. */
function rowPart(row: Buffer | null): Pick<ShardResult, "rows" | "rowBytes"> {
  if (row === null) return { rows: null, rowBytes: 0 };
  const buffer = new SharedArrayBuffer(row.length);
  row.copy(Buffer.from(buffer));
  return { rows: { buffer, at: 0, byteLength: row.length }, rowBytes: row.length };
}

/** A clock that is there from the start; `performance` takes 2 ms to load. */
function milliseconds(): number {
  return process.uptime() * 1000;
}

function kernelMissing(): BatchError {
  return new BatchError(
    "engine-missing",
    'the engine "webassembly" is asked for, but WebAssembly with SIMD and shared memory, or address space for it, is not there; use "auto"',
  );
}

function nameOf(input: string | Readable): string {
  return typeof input === "string" ? input : "input stream";
}
