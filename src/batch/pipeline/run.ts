import { pipesReleased } from "../_named-pipe.ts";
import type { AddressCounts } from "../engine/address-counts.ts";
import type { IdentifyOptions } from "../identify-options.ts";
import type { IdentifyResult, Progress, TimeCounts } from "../identify-result.ts";
import { inputName } from "../input/input.ts";
import { OutputClosed } from "../output/output-closed.ts";
import { type TopAddresses, topAddresses } from "../top-addresses.ts";
import { addUpAddresses } from "./_add-up-addresses.ts";
import type { PlannedShard } from "./_text-buffer.ts";
import { InputPosition } from "./_input-position.ts";
import { LineNumbers } from "./_line-numbers.ts";
import { RunThreads } from "./_run-threads.ts";
import type { WorkerThreads } from "../threads/worker-threads.ts";
import { RowSink } from "./_row-sink.ts";
import { onlyOf, RunSetup, tablesOf } from "./_run-setup.ts";
import { RunTotals } from "./_run-totals.ts";
import { kernelMissing, lineError, shardError, tooManyTimes } from "./_shard-errors.ts";
import { type InFlightShard, ShardQueue } from "./_shard-queue.ts";
import { type AskFirstLine, ShardRunner } from "./_shard-runner.ts";
import { ShardSizer } from "./_shard-sizer.ts";
import { failedResult, ShardSource } from "./_shard-source.ts";
import { Stop } from "./_stop.ts";
import type { Shard, ShardResult } from "../engine/messages.ts";

/** Shards in flight per thread: two being processed, and one that waits to be settled, to bridge a slow one. */
const IN_FLIGHT_PER_THREAD = 3;
const PROGRESS_MS = 100;
/** Two years of minutes, at some 100 bytes each; all hours of the years that lines can have are fewer. */
const MAX_TIMES = 1_200_000;

type Input = IdentifyOptions["inputs"][number];
type CountedAddresses = Pick<IdentifyResult, "top" | "addressCounts">;

/**
 * One call of `identify`: two loops over one queue, `#produce` and `#settleAll`.
 *
 *     inputs ──cut──▶ dispatch ──▶ [ shard │ shard │ shard ] ──settle, in order──▶ rows, counts
 *                                       ▲ │ shards in flight
 *                                       │ ▼
 *                                  threads: this one and workers
 */
export class Run {
  readonly #options: IdentifyOptions;
  readonly #totalBytes: number | null;
  readonly #started = milliseconds();
  readonly #setup: RunSetup;
  readonly #stop = new Stop();
  readonly #totals = new RunTotals();
  readonly #position: InputPosition;
  readonly #source: ShardSource;
  readonly #sizer: ShardSizer;
  readonly #lineNumbers = new LineNumbers(this.#stop);
  readonly #queue = new ShardQueue();
  #threads: RunThreads | undefined;
  readonly #pool: WorkerThreads | null;
  #rows: RowSink | undefined;

  /** `totalBytes` is the size of all inputs, null if one is a stream; `pool` has the workers, if it is not null. */
  constructor(options: IdentifyOptions, totalBytes: number | null, pool: WorkerThreads | null) {
    this.#options = options;
    this.#pool = pool;
    this.#totalBytes = totalBytes;
    this.#setup = new RunSetup(options, pool !== null);
    this.#position = new InputPosition(options.inputs);
    const { limits, memory, work } = this.#setup;
    this.#sizer = new ShardSizer(limits, this.#totals);
    const sizes = {
      next: () => this.#sizer.next(),
      max: limits.shardBytes,
      lineBytes: limits.lineBytes,
      take: (bytes: number) => memory.take(bytes),
      cutRecords: (...piece: Parameters<ShardRunner["cutRecords"]>) => this.#threads?.cutRecords(...piece) ?? null,
    };
    this.#source = new ShardSource(options, work.appendAs, sizes, this.#totals, this.#stop);
  }

  async toEnd(): Promise<IdentifyResult> {
    const { signal, onProgress } = this.#options;
    const abort = (): void => this.#end(signal!.reason);
    signal?.addEventListener("abort", abort);
    if (signal?.aborted) abort(); // while the inputs were surveyed
    const timer = onProgress && setInterval(() => onProgress(this.#progress()), PROGRESS_MS);
    try {
      return await this.#identify();
    } finally {
      clearInterval(timer);
      signal?.removeEventListener("abort", abort);
      onProgress?.(this.#progress());
    }
  }

  async #identify(): Promise<IdentifyResult> {
    try {
      const runner = await this.#open();
      await this.#work();
      const counted = await this.#collect();
      await this.#threads!.close();
      await (this.#outputClosed ? this.#rows?.discard() : this.#rows?.finish());
      return this.#result(counted, runner.hasKernel);
    } catch (error) {
      const { signal } = this.#options;
      await this.#threads?.close();
      await this.#rows?.discard();
      throw signal?.aborted ? signal.reason : error;
    } finally {
      await pipesReleased(); // the next run could open an end of this one's pipe and take it for its own other end
      this.#release();
    }
  }

  /** Makes this thread's runner, the pool around it, and the output. */
  async #open(): Promise<ShardRunner> {
    const { snapshot, engine, pause, output = process.stdout } = this.#options;
    const { work, memory, limits } = this.#setup;
    const runner = await ShardRunner.create(snapshot, work, 0);
    if (engine === "webassembly" && runner.prepareEngine() !== "webassembly") throw kernelMissing();
    this.#threads = new RunThreads(runner, () => this.#queue.wake(), pause, this.#pool);
    if (work.format !== "none") this.#rows = await RowSink.open(output, memory, limits.rowBytes, this.#stop.signal);
    return runner;
  }

  /**
   * Runs both loops to their end. Throws the reason if they stopped early, unless the reader of the output has gone.
   */
  async #work(): Promise<void> {
    // An input that never delivers, or an output that no one reads, is not waited for.
    const loops = Promise.all([this.#produce(), this.#settleAll()]);
    await this.#stop.orStopped(loops).catch((error) => this.#end(error));
    this.#options.signal?.throwIfAborted();
    if (this.#stop.isStopped && !this.#outputClosed) throw this.#stop.reason;
  }

  /** No thread uses the memory any more. */
  #release(): void {
    this.#setup.matchCounts?.freeze();
    for (const counts of this.#setup.countsOfSnapshots) counts.freeze();
    this.#setup.memory.release();
    this.#source.close();
  }

  #end(reason: unknown): void {
    this.#stop.stop(reason);
    this.#queue.wake();
  }

  /** The reader of the output has gone: the run ends there, and that is not an error. */
  get #outputClosed(): boolean {
    return this.#stop.reason instanceof OutputClosed;
  }

  /** An input that fails takes its turn in the queue: the rows of the lines before it are written first. */
  async #produce(): Promise<void> {
    if (this.#totalBytes !== null) this.#considerWorkers(this.#totalBytes);
    for (const [index, input] of this.#options.inputs.entries()) {
      try {
        await this.#produceInput(input, index);
      } catch (error) {
        return this.#queue.add({ plan: null, input: index, result: Promise.reject(error) });
      }
      if (this.#stop.isStopped) return;
    }
    this.#queue.complete();
  }

  async #produceInput(input: Input, index: number): Promise<void> {
    const { header, firstLine, shards } = await this.#source.open(input);
    this.#lineNumbers.startAt(firstLine);
    this.#queue.add({ plan: null, input: index, result: Promise.resolve(header) });
    for await (const plan of shards) {
      await this.#room();
      if (this.#stop.isStopped) return;
      this.#dispatch(plan, index);
    }
  }

  /** Resolves when another shard may be dispatched. */
  async #room(): Promise<void> {
    const threads = this.#threads!;
    const max = (threads.hasWorkers ? this.#setup.threads : 1) * IN_FLIGHT_PER_THREAD;
    while (!this.#stop.isStopped && (this.#queue.length >= max || !threads.hasRoom())) await this.#queue.changed();
  }

  #dispatch(plan: PlannedShard, input: number): void {
    if ("failure" in plan) {
      return this.#queue.add({ plan: null, input, result: Promise.resolve(failedResult(plan.failure)) });
    }
    const { shard } = plan;
    this.#sizer.add(shard.to - shard.from);
    this.#considerWorkers(this.#sizer.bytes);
    this.#queue.add({ plan, input, result: this.#runShard(shard, input, this.#lineNumbers.nextShard()) });
  }

  #considerWorkers(bytes: number): void {
    const { threads, work, workerBytes } = this.#setup;
    if (threads < 2 || this.#threads!.hasWorkers || bytes < workerBytes) return;
    this.#threads!.startWorkers(threads - 1, this.#options.snapshot, work);
  }

  async #runShard(shard: Shard, input: number, ask: AskFirstLine): Promise<ShardResult> {
    try {
      const rows = this.#rows?.takeBuffer() ?? null;
      const result = await this.#threads!.run({ ...shard, rows }, ask);
      // A row that did not fit came in a larger buffer of its own.
      if (rows !== null && result.rows?.byteLength !== rows.byteLength) this.#rows!.giveBack(rows);
      return result;
    } catch (cause) {
      throw shardError(cause, inputName(this.#options.inputs[input]!), this.#threads!.hasWorkers);
    }
  }

  async #settleAll(): Promise<void> {
    const queue = this.#queue;
    for (;;) {
      while (queue.length === 0 && !queue.isComplete && !this.#stop.isStopped) await queue.changed();
      const { first } = queue;
      if (first === undefined || this.#stop.isStopped) return;
      await this.#settle(first);
      queue.removeFirst();
    }
  }

  /**
   * Writes a shard's rows. If they filled its row buffer before its end, the rest of it is processed now, in as many
   * rounds as it takes.
   */
  async #settle({ plan, input, result }: InFlightShard): Promise<void> {
    this.#position.enter(input);
    let part = await this.#stop.orStopped(result);
    await this.#account(part);
    if (plan === null) return;
    const { shard, done } = plan;
    while (part.next !== null) {
      const firstLine = this.#position.nextLine;
      const rest = { ...shard, from: part.next, firstLine };
      part = await this.#stop.orStopped(this.#runShard(rest, input, () => Promise.resolve(firstLine)));
      await this.#account(part);
    }
    const bytes = shard.to - shard.from;
    this.#totals.shardDone(bytes);
    if (shard.kind === "file") this.#totals.bytesRead += bytes;
    done();
  }

  async #account(part: ShardResult): Promise<void> {
    this.#totals.add(part, this.#position);
    this.#position.advance(part.textLines);
    if (this.#totals.times.size > MAX_TIMES) throw tooManyTimes(this.#position.file);
    if (part.rows !== null) {
      if (part.rowBytes > 0) await this.#rows!.write(part.rows, part.rowBytes);
      this.#totals.bytesWritten += part.rowBytes;
      this.#rows!.giveBack(part.rows);
    }
    if (part.failure !== null)
      throw lineError(part.failure, this.#position.file, this.#position.nextLine, this.#setup.work);
  }

  async #collect(): Promise<CountedAddresses> {
    const { topAddresses: max } = this.#options;
    const { work, countsOfSnapshots } = this.#setup;
    const parts = work.countedAddresses + countsOfSnapshots.length > 0 ? await this.#threads!.collect() : [];
    if (work.countedAddresses === 0) return { top: null, addressCounts: null };
    const counts = await this.#inTurns(this.#addUp(parts));
    if (max === undefined) return { top: null, addressCounts: counts };
    const lookup = {
      tables: tablesOf(this.#options),
      only: onlyOf(this.#options),
      ...(this.#options.within !== undefined && { within: this.#options.within.table }),
      now: work.now,
      hasBeside: work.hasBeside,
    };
    const top: TopAddresses = await this.#inTurns(topAddresses(counts, lookup, max));
    return { top, addressCounts: null };
  }

  #addUp(parts: readonly AddressCounts[]): Generator<undefined, AddressCounts, undefined> {
    const { work } = this.#setup;
    return addUpAddresses(parts, work.countedAddresses, () => {
      if (work.moreAddresses === "fail")
        throw lineError("too-many-addresses", this.#position.file, this.#position.nextLine, work);
    });
  }

  /** Runs one step after the other, with the caller's pause before each. */
  async #inTurns<Result>(steps: Generator<undefined, Result, undefined>): Promise<Result> {
    for (;;) {
      await this.#options.pause?.();
      this.#options.signal?.throwIfAborted();
      const { done, value } = steps.next();
      if (done === true) return value;
    }
  }

  #times(): TimeCounts {
    const { times } = this.#totals;
    const counts = [...times.values()].filter(({ from }) => !Number.isNaN(from));
    return { counts: counts.sort((one, other) => one.from - other.from), withoutTime: times.get(NaN)?.lines ?? 0 };
  }

  #progress(): Progress {
    const { bytesRead, lines, addresses, matched } = this.#totals;
    const { matchCounts, countsOfSnapshots } = this.#setup;
    return {
      bytesRead,
      totalBytes: this.#totalBytes,
      lines,
      addresses,
      matched,
      elapsed: milliseconds() - this.#started,
      ...(matchCounts !== null && countsOfSnapshots.length === 0 && { perMatch: () => matchCounts.sums() }),
    };
  }

  #result(counted: CountedAddresses, hasKernel: boolean): IdentifyResult {
    const { lines, addresses, matched, malformed, malformedLines, repeatedAddress, emptyInputs } = this.#totals;
    const { bytesRead, bytesWritten } = this.#totals;
    const { matchCounts, countsOfSnapshots } = this.#setup;
    const [first = matchCounts, ...further] = countsOfSnapshots;
    return {
      lines,
      addresses,
      matched,
      unmatched: addresses - matched,
      withoutAddress: lines - addresses,
      perMatch: first?.sums() ?? new Float64Array(0),
      perMatchOfFurther: further.map((counts) => counts.sums()),
      times: this.#options.countTimes === undefined ? null : this.#times(),
      ...counted,
      malformed,
      malformedLines,
      repeatedAddress,
      emptyInputs,
      bytesRead,
      bytesWritten,
      outputClosed: this.#outputClosed,
      engine: hasKernel ? "webassembly" : "typescript",
      elapsed: milliseconds() - this.#started,
    };
  }
}

/** A clock that is available from the start; `performance` takes 2 ms to load. */
function milliseconds(): number {
  return process.uptime() * 1000;
}
