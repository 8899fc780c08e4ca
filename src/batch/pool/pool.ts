import { availableParallelism } from "node:os";
import type { Family } from "../../address/address.ts";
import { Snapshot } from "../../snapshot/snapshot.ts";
import { checkTime } from "../../table/active-matches.ts";
import { SnapshotHolder } from "../../snapshot/snapshot-holder.ts";
import { BatchError } from "../batch-error.ts";
import { identifyWith } from "../identify.ts";
import type { Engine } from "../engine/engine.ts";
import type { IdentifyOptions } from "../identify-options.ts";
import type { IdentifyResult } from "../identify-result.ts";
import { type BufferMatches, Matcher } from "../engine/matcher.ts";
import { type ChunkedInput, LineChunks, TextChunks, WordChunks } from "./_chunked-input.ts";
import { HelpedLookup } from "./_helped-lookup.ts";
import { sharedSnapshot } from "../threads/share-snapshot.ts";
import { WorkerThreads } from "../threads/worker-threads.ts";

/** How a pool is created. */
export interface PoolOptions {
  /** Threads that work at a time, including the calling one. Default: as many as the machine has. */
  readonly threads?: number;
  /**
   * What addresses are looked up in: a snapshot, until `swap` is called with another one, or the newest one of a
   * holder.
   */
  readonly snapshot: Snapshot | SnapshotHolder;
  /** Default "auto". */
  readonly engine?: Engine;
}

/** Options of one call. */
export interface PoolCallOptions {
  /**
   * What has expired at this time, in milliseconds since 1970 UTC, is skipped. Default: the clock, read once per call.
   */
  readonly now?: number;
  /** Aborting rejects with the signal's reason, within some milliseconds; the workers stay. */
  readonly signal?: AbortSignal;
}

/** The result of a lookup of many addresses. */
export interface PoolMatches {
  /** The match id of each address, in order: 0 for none. In shared memory. */
  readonly matches: Uint32Array;
  /** The snapshot of all results: match ids have a meaning in its table only. */
  readonly snapshot: Snapshot;
}

/** For smaller inputs, passing chunks to workers costs more than it saves: addresses, texts, bytes of lines. */
const MIN_WORDS = 128 * 1024;
const MIN_TEXTS = 32 * 1024;
const MIN_LINE_BYTES = 1 << 20;

/** Milliseconds: the longest that a timer takes. */
const FOREVER = 2 ** 31 - 1;

interface Use {
  readonly snapshot: Snapshot;
  release(): void;
}

/**
 * Worker threads that keep running, with a kernel each, for lookups of many addresses and for logs: repeated calls
 * need not start them again. The calling thread works as well; it pauses for others about every 3 ms. Workers help with
 * one call at a time; if all are busy, the calling thread does the whole call.
 *
 * A call uses one snapshot, the newest one when it began. An idle pool does not keep the process alive.
 */
export class Pool implements AsyncDisposable {
  /** Threads that work at a time, including the calling one. */
  readonly threads: number;
  readonly #engine: Engine;
  readonly #holder: SnapshotHolder | null;
  readonly #workers: WorkerThreads | null;
  readonly #forced = new AbortController();
  readonly #calls = new Set<Promise<unknown>>();
  /** How many calls use a snapshot. */
  readonly #users = new Map<Snapshot, number>();
  #snapshot: Snapshot | null;
  #isClosed = false;

  /** For `createPool`. Throws the same RangeError and SnapshotError. */
  constructor({ threads = availableParallelism(), snapshot, engine = "auto" }: PoolOptions) {
    if (!Number.isSafeInteger(threads) || threads < 1)
      throw new RangeError(`threads is ${threads}; give a whole number of 1 or more`);
    this.threads = threads;
    this.#engine = engine;
    this.#holder = snapshot instanceof SnapshotHolder ? snapshot : null;
    this.#snapshot = this.#holder === null ? checkedSnapshot(snapshot) : null;
    void new Matcher(this.snapshot, { engine }); // makes this thread's kernel, or throws if there is none
    this.#workers = threads < 2 ? null : new WorkerThreads(threads - 1);
    this.#holder?.on("swap", this.#forgetBefore);
  }

  /** For `createPool`: rejects with BatchError "worker-failed" if a worker cannot start. */
  async started(): Promise<this> {
    // Workers without a task keep no process: on a busy machine, Node ended one that awaited their start (code 13).
    const awake = setInterval(() => {}, FOREVER);
    try {
      await this.#workers?.ready();
      return this;
    } catch (error) {
      await this.close();
      throw error;
    } finally {
      clearInterval(awake);
    }
  }

  /** The snapshot of the next call. Throws SnapshotError "not-found" if a holder has loaded nothing yet. */
  get snapshot(): Snapshot {
    return this.#snapshot ?? this.#acquireHeld((lease) => lease.release());
  }

  /** Uses another snapshot from the next call on. Throws TypeError if the pool follows a holder. */
  swap(snapshot: Snapshot): void {
    if (this.#snapshot === null) throw new TypeError("this pool uses the snapshot of its holder; swap it there");
    const before = this.#snapshot;
    this.#snapshot = checkedSnapshot(snapshot);
    if (before !== snapshot) this.#forgetUnused(before);
  }

  /**
   * Looks up addresses of one family: one unsigned 32-bit word each (IPv4), or four in network order (IPv6). The array
   * must not change until the promise settles.
   * @throws RangeError if the words are not a whole number of addresses; TypeError if they are no Uint32Array; TableError for a corrupt table; BatchError
   * "worker-failed", "pool-closed"; the signal's reason when aborted
   */
  lookupBatch(family: Family, words: Uint32Array, options: PoolCallOptions = {}): Promise<PoolMatches> {
    return this.#call(async ({ snapshot }) => {
      checkWords(family, words);
      const now = timeOf(options);
      const input = new WordChunks(family, words, this.#matcher(snapshot), now);
      await this.#lookUp(input, { snapshot, now }, input.matches.length >= MIN_WORDS, options);
      return { matches: input.matches, snapshot };
    });
  }

  /**
   * Looks up addresses of both families as texts. The array may not change until the promise settles.
   * @throws AddressError for the first malformed text, TypeError for what is not a string, both with its `index`;
   * otherwise as `lookupBatch`
   */
  lookupTexts(texts: readonly string[], options: PoolCallOptions = {}): Promise<PoolMatches> {
    return this.#call(async ({ snapshot }) => {
      const now = timeOf(options);
      const input = new TextChunks(texts, this.#matcher(snapshot), now);
      const { isMalformed } = await this.#lookUp(input, { snapshot, now }, texts.length >= MIN_TEXTS, options);
      if (isMalformed) input.throwFirst();
      return { matches: input.matches, snapshot };
    });
  }

  /**
   * Finds and looks up the first address of each line of a text, as `Matcher.identifyBuffer` does. The bytes must not
   * change until the promise settles.
   * @throws as `lookupBatch`
   */
  identifyBuffer(
    bytes: Uint8Array,
    options: PoolCallOptions = {},
  ): Promise<BufferMatches & { readonly snapshot: Snapshot }> {
    return this.#call(async ({ snapshot }) => {
      const now = timeOf(options);
      const input = new LineChunks(bytes, this.#matcher(snapshot), now);
      await this.#lookUp(input, { snapshot, now }, bytes.length >= MIN_LINE_BYTES, options);
      return { ...input.joined(), snapshot };
    });
  }

  /**
   * Like the function `identifyLines`, for files and streams, with the snapshot and the threads of the pool.
   * @throws as that function, and BatchError "pool-closed"
   */
  identifyLines(options: Omit<IdentifyOptions, "snapshot" | "threads">): Promise<IdentifyResult> {
    return this.#call(({ snapshot }) => {
      const signal = this.#signals(options.signal);
      const { threads } = this;
      return identifyWith({ engine: this.#engine, ...options, signal, snapshot, threads }, this.#workers);
    });
  }

  /**
   * Waits for the calls in progress, then ends the workers; with `force`, those calls reject with BatchError
   * "pool-closed". Later calls always do. A holder is not closed.
   */
  async close({ force = false }: { force?: boolean } = {}): Promise<void> {
    this.#isClosed = true;
    this.#holder?.off("swap", this.#forgetBefore);
    if (force) this.#forced.abort(poolClosed());
    await Promise.allSettled(this.#calls);
    await this.#workers?.close();
  }

  /** Closes the pool, at the end of an `await using` block. */
  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  async #call<Result>(work: (use: Use) => Promise<Result>): Promise<Result> {
    if (this.#isClosed) throw poolClosed();
    const use = this.#acquire();
    const call = work(use).finally(() => use.release());
    this.#calls.add(call);
    try {
      return await call;
    } finally {
      this.#calls.delete(call);
    }
  }

  #acquire(): Use {
    let releaseHeld = (): void => {};
    const snapshot = this.#snapshot ?? this.#acquireHeld((lease) => (releaseHeld = lease.release));
    this.#users.set(snapshot, (this.#users.get(snapshot) ?? 0) + 1);
    const release = (): void => {
      releaseHeld();
      const left = this.#users.get(snapshot)! - 1;
      if (left > 0) this.#users.set(snapshot, left);
      else this.#users.delete(snapshot);
      if (left === 0 && !this.#isNewest(snapshot)) this.#forgetUnused(snapshot);
    };
    return { snapshot, release };
  }

  #acquireHeld(use: (lease: { readonly content: Snapshot; release(): void }) => void): Snapshot {
    const lease = this.#holder!.acquire();
    use(lease);
    return lease.content;
  }

  #isNewest(snapshot: Snapshot): boolean {
    return snapshot === (this.#snapshot ?? this.#holder!.current?.content);
  }

  readonly #forgetBefore = (_: unknown, before: { readonly content: Snapshot } | undefined): void => {
    if (before !== undefined) this.#forgetUnused(before.content);
  };

  /** Workers keep the snapshot that they used last: idle ones release it now, busy ones with their next task. */
  #forgetUnused(snapshot: Snapshot): void {
    if (this.#users.has(snapshot) || this.#workers === null) return;
    const { number } = sharedSnapshot(snapshot);
    for (let worker = this.#workers.idle; worker > 0; worker--) this.#workers.run("forget", number).catch(() => {});
  }

  #matcher(snapshot: Snapshot): Matcher {
    return new Matcher(snapshot, { engine: this.#engine });
  }

  #lookUp(
    input: ChunkedInput,
    { snapshot, now }: { readonly snapshot: Snapshot; readonly now: number },
    isLarge: boolean,
    { signal }: PoolCallOptions,
  ): Promise<{ readonly isMalformed: boolean }> {
    const lookup = new HelpedLookup(input, this.#signals(signal));
    return lookup.run(isLarge ? this.#workers : null, {
      snapshot: sharedSnapshot(snapshot),
      engine: this.#engine,
      now,
    });
  }

  #signals(signal: AbortSignal | undefined): AbortSignal {
    return signal === undefined ? this.#forced.signal : AbortSignal.any([signal, this.#forced.signal]);
  }
}

/**
 * A pool with running workers.
 *
 *     const pool = await createPool({ snapshot: await openSnapshot("blocklist.ipsieve") });
 *     const { matches } = await pool.lookupTexts(["192.0.2.1", "2001:db8::1"]);
 *     await pool.close();
 *
 * @throws RangeError for an invalid number of threads, or an engine that is not available; SnapshotError "not-found"
 * if a holder has loaded nothing; BatchError "worker-failed" when a worker cannot start
 */
export async function createPool(options: PoolOptions): Promise<Pool> {
  return new Pool(options).started();
}

function poolClosed(): BatchError {
  return new BatchError("pool-closed", "the pool has been closed; create another one");
}

/** For callers without types. */
function checkedSnapshot(snapshot: unknown): Snapshot {
  if (snapshot instanceof Snapshot) return snapshot;
  throw new TypeError("snapshot must be a Snapshot or a SnapshotHolder; openSnapshot and watchSnapshot give them");
}

function checkWords(family: Family, words: Uint32Array): void {
  if (!(words instanceof Uint32Array)) throw new TypeError("words must be a Uint32Array");
  if (family !== 4 && family !== 6) throw new RangeError(`family is ${String(family)}; give 4 or 6`);
  if (family === 6 && words.length % 4 !== 0)
    throw new RangeError(`words has ${words.length} words; give four for each IPv6 address`);
}

function timeOf({ now = Date.now() }: PoolCallOptions): number {
  checkTime(now);
  return now;
}
