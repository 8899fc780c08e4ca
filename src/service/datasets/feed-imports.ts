import { createHash } from "node:crypto";
import { statSync } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";
import { dirname } from "node:path";
import type { Logger } from "pino";
import type { Classification } from "../../cti/fields.ts";
import type { FeedFormat } from "../../cti/import-feed.ts";
import type { ImportRejection, ImportReport } from "../../cti/import-report.ts";
import { makeFolder } from "../../files/make-folder.ts";
import type { Store } from "../../store/store.ts";
import { freeBytesOf } from "../free-bytes.ts";
import { ClientSpeed } from "../access/client-speed.ts";
import type { UploadSlots } from "../access/upload-slots.ts";
import { invalid, ServiceError } from "../service-error.ts";
import { HeldLease } from "../store/held-lease.ts";
import { type ChildCommand, type ChildResult, RunningChild } from "./child-command.ts";
import { FeedFiles } from "./feed-files.ts";

/** A feed being imported to replace the threat intelligence, or the last one since the server started. */
export interface FeedImport {
  readonly organisationId: string;
  readonly startedBy: string;
  readonly source: string;
  readonly startedAt: number;
  /** Null while it runs. */
  endedAt: number | null;
  phase: "uploading" | "compiling";
  /** Bytes of the upload; null if the client did not declare a length. */
  readonly size: number | null;
  received: number;
  /** Bytes of the upload compiled so far, and lines. */
  compiled: number;
  lines: number;
  report: ImportReport | null;
  /** SHA-256 of the bytes sent, in hexadecimal; null until all of them have arrived. */
  digest: string | null;
  /** Why the previous dataset stays in use. */
  error: string | null;
}

export interface NewFeed {
  readonly organisationId: string;
  readonly startedBy: string;
  /** The feed's name in the dataset. */
  readonly source: string;
  readonly size: number | null;
  readonly body: AsyncIterable<Buffer>;
  readonly format?: FeedFormat | undefined;
  readonly classification?: Classification | undefined;
  readonly tags?: readonly string[];
  /** The largest share of the dataset's prefixes that may be removed, in percent. */
  readonly maxShrink?: number | undefined;
  /** Whether lines that cannot be read are left out; otherwise one rejects the feed. */
  readonly skipInvalid?: boolean | undefined;
}

export interface FeedImportLimits {
  /** Bytes of a feed, both as uploaded and unpacked. */
  readonly bytes: number;
  /** Bytes of the disk that must stay free. */
  readonly freeBytes: number;
  /** Milliseconds after which a compile is stopped. */
  readonly compileTime: number;
}

export interface FeedImportsOptions {
  /**
   * `ipsieve cti import`, and the file that it replaces; undefined if an import would change nothing that this server
   * uses.
   */
  readonly target: FeedTarget | undefined;
  readonly threats: { reload(): Promise<boolean> };
  readonly slots: UploadSlots;
  /** For its lease, which one of all servers and processes has at a time. */
  readonly store: Pick<Store, "record">;
  readonly limits: FeedImportLimits;
  /** Called when a new dataset has been published. */
  readonly onImported: (imported: FeedImport) => Promise<void>;
  readonly now: () => number;
  readonly log: Pick<Logger, "info" | "warn">;
}

export interface FeedTarget {
  readonly command: ChildCommand;
  readonly output: string;
}

export const DEFAULT_MAX_SHRINK = 50;
export const FREE_BYTES: number = 512 << 20;
export const COMPILE_TIME = 600_000;
/** Characters of an error that are shown. */
const MAX_ERROR = 2000;
const PREFIX = "ipsieve: ";
const IMPORT_RUNS = "another feed is being imported; wait until that has ended, or cancel it";
const IMPORT_ELSEWHERE =
  "another process or server on this database is importing a feed; wait until that has ended, or cancel it there";
const LOST =
  "the import was stopped because another server began to import a feed while the database could not be reached; the previous dataset is still in use";
const CLOSING = "the server is closing";
const CANCELLED = "the import was cancelled; the previous dataset is still in use";
const DISK_FULL = "the server's disk is too full for the feed; try again later, or ask the operator to free space";
const STOPPED = new Set([CLOSING, CANCELLED]);

/** Imports of feeds, one at a time in all servers of a database: uploaded to a file, compiled by a separate process, published as a whole. */
export class FeedImports {
  readonly #options: FeedImportsOptions;
  readonly #files: FeedFiles | undefined;
  #last: FeedImport | undefined;
  #running: { readonly end: AbortController; readonly ended: Promise<void> } | undefined;
  #child: RunningChild | undefined;
  #isClosed = false;

  constructor(options: FeedImportsOptions) {
    this.#options = options;
    this.#files = options.target && new FeedFiles(options.target.output);
  }

  get isPossible(): boolean {
    return this.#options.target !== undefined;
  }

  /** The import in progress, otherwise the last one since the server started. */
  get last(): FeedImport | undefined {
    return this.#last;
  }

  /** Removes what a crashed server left behind. */
  sweep(): void {
    this.#files?.sweep();
  }

  /**
   * Imports a feed while it arrives; resolves when its dataset is in use. On failure, the previous dataset stays in
   * use. @throws ServiceError, and what the body throws
   */
  async run(feed: NewFeed): Promise<FeedImport> {
    const target = this.#checkedTarget(feed.size);
    const [end, speed] = [new AbortController(), new ClientSpeed()];
    const leave = this.#options.slots.take({ organisationId: feed.organisationId, speed, end });
    const { organisationId, startedBy, source, size } = feed;
    const started: FeedImport = {
      organisationId,
      startedBy,
      source,
      size,
      startedAt: this.#options.now(),
      endedAt: null,
      phase: "uploading",
      received: 0,
      compiled: 0,
      lines: 0,
      report: null,
      digest: null,
      error: null,
    };
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#running = { end, ended: promise };
    let lease: HeldLease | undefined;
    try {
      lease = await this.#takeLease(end);
      this.#last = started;
      await this.#import(target, feed, started, { end, speed, leave });
    } catch (error) {
      started.error = reasonOf(error).slice(0, MAX_ERROR);
      throw error;
    } finally {
      leave();
      await lease?.release();
      this.#running = undefined;
      // Whoever sees that it has ended can begin the next one.
      started.endedAt = this.#options.now();
      if (lease !== undefined) this.#report(started);
      resolve();
    }
    return started;
  }

  /** @throws ServiceError "conflict" if another process or server is importing a feed, and StoreError */
  async #takeLease(end: AbortController): Promise<HeldLease> {
    const onLost = (): void => end.abort(new ServiceError("conflict", LOST));
    const lease = await HeldLease.take(this.#options.store, "feed-import", onLost);
    if (lease === undefined) throw new ServiceError("conflict", IMPORT_ELSEWHERE);
    return lease;
  }

  /** Cancels the import in progress; false if there is none. Resolves when its files are gone. */
  async cancel(): Promise<boolean> {
    return this.#stop(CANCELLED);
  }

  /** Cancels the import in progress and accepts no more. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#stop(CLOSING);
  }

  /** Ends everything immediately, files included: the process may be gone a moment later. */
  kill(): void {
    this.#isClosed = true;
    this.#running?.end.abort(new ServiceError("unavailable", CLOSING));
    this.#child?.kill();
    this.#files?.removeOwn();
  }

  async #stop(reason: string): Promise<boolean> {
    const running = this.#running;
    if (running === undefined) return false;
    running.end.abort(
      reason === CLOSING
        ? new ServiceError("unavailable", reason, { retryAfter: 10 })
        : new ServiceError("conflict", reason),
    );
    await running.ended;
    return true;
  }

  /** @throws ServiceError */
  #checkedTarget(size: number | null): FeedTarget {
    const { target, limits } = this.#options;
    if (target === undefined)
      throw new ServiceError(
        "conflict",
        "this server uses the dataset given by --cti, which imports do not change; start it without --cti",
      );
    if (this.#isClosed) throw new ServiceError("unavailable", CLOSING, { retryAfter: 10 });
    if (this.#running !== undefined) throw new ServiceError("conflict", IMPORT_RUNS);
    if (size !== null && size > limits.bytes) throw tooLong(limits.bytes);
    makeFolder(dirname(target.output), 0o700);
    this.sweep();
    if (freeBytesOf(dirname(target.output)) < limits.freeBytes + (size ?? 0))
      throw new ServiceError("unavailable", DISK_FULL, { retryAfter: 60 });
    return target;
  }

  async #import(
    target: FeedTarget,
    feed: NewFeed,
    started: FeedImport,
    { end, speed, leave }: { end: AbortController; speed: ClientSpeed; leave: () => void },
  ): Promise<void> {
    const { log } = this.#options;
    end.signal.throwIfAborted();
    log.info({ user: feed.startedBy, source: feed.source }, "an import of a threat feed was started in the dashboard");
    const path = this.#files!.next();
    try {
      await this.#receive(path, untilAborted(speed.follow(feed.body), end.signal), started);
      leave();
      started.phase = "compiling";
      await this.#compile(target, path, feed, started, end.signal);
    } finally {
      this.#files!.remove(path);
    }
  }

  /** @throws ServiceError "too-long", "unavailable" */
  async #receive(path: string, body: AsyncIterable<Buffer>, started: FeedImport): Promise<void> {
    const { bytes } = this.#options.limits;
    const hash = createHash("sha256");
    const file = await onDisk(() => open(path, "wx", 0o600));
    try {
      for await (const part of body) {
        started.received += part.length;
        if (started.received > bytes) throw tooLong(bytes);
        hash.update(part);
        await onDisk(() => writeAll(file, part));
      }
      if (started.received === 0) throw invalid({ body: ["is empty; send a feed"] });
    } finally {
      await file.close();
    }
    started.digest = hash.digest("hex");
  }

  /** @throws ServiceError */
  async #compile(
    { command, output }: FeedTarget,
    path: string,
    feed: NewFeed,
    started: FeedImport,
    signal: AbortSignal,
  ): Promise<void> {
    signal.throwIfAborted();
    const { limits } = this.#options;
    const before = identityOf(output);
    const messages: string[] = [];
    const args = [...command.args, path, "-o", output, ...optionsOf(feed, limits.bytes)];
    const child = new RunningChild({ ...command, args }, (line) => takeLine(started, messages, line));
    this.#child = child;
    const stop = (): void => child.end();
    signal.addEventListener("abort", stop);
    const timer = setTimeout(stop, limits.compileTime);
    try {
      const result = await child.ended;
      const isReplaced = identityOf(output) !== before;
      if (result.code !== 0 && !isReplaced) throw this.#failureOf(result, messages, signal);
      started.report = reportIn(result);
    } finally {
      clearTimeout(timer);
      signal.removeEventListener("abort", stop);
      this.#child = undefined;
      this.#files!.removeDrafts(child.pid);
    }
    await this.#publish(started);
  }

  /** The file is already in place. */
  async #publish(started: FeedImport): Promise<void> {
    const { threats, onImported } = this.#options;
    const isLoaded = await threats.reload();
    await onImported(started);
    if (!isLoaded) throw new Error("the dataset was written, but cannot be loaded; the log of the server says why");
  }

  #failureOf(result: ChildResult, messages: readonly string[], signal: AbortSignal): Error {
    if (signal.aborted) return signal.reason as Error;
    const report = reportIn(result);
    this.#last!.report = report;
    if (report?.refusal != null) return errorOf(report.refusal, report);
    const seconds = this.#options.limits.compileTime / 1000;
    if (result.signal !== null)
      return new Error(
        `the import was ended by ${result.signal}; it may take at most ${seconds} s, and needs enough memory`,
      );
    return new Error(messages.at(-1) ?? `the import ended with exit code ${result.code} and did not say why`);
  }

  #report({ startedBy, source, received, error, report }: FeedImport): void {
    const { log } = this.#options;
    const about = { user: startedBy, source, bytes: received };
    if (error === null) log.info({ ...about, ...report?.dataset }, "the import of the threat feed has ended");
    else if (STOPPED.has(error)) log.info(about, error);
    else log.warn({ ...about, error }, "the import of the threat feed has failed");
  }
}

function optionsOf(
  { source, format, classification, tags = [], maxShrink, skipInvalid = false }: NewFeed,
  bytes: number,
): string[] {
  return [
    "--json",
    "--progress",
    "json",
    "--source",
    source,
    "--max-shrink",
    String(maxShrink ?? DEFAULT_MAX_SHRINK),
    "--max-bytes",
    String(bytes),
    ...(skipInvalid ? ["--skip-invalid"] : []),
    ...(format === undefined ? [] : ["--format", format]),
    ...(classification === undefined ? [] : ["--classification", classification]),
    ...tags.flatMap((tag) => ["--tag", tag]),
  ];
}

/** Progress, or a message for people; anything else a process may print is ignored. */
function takeLine(started: FeedImport, messages: string[], line: string): void {
  if (line.startsWith(PREFIX)) messages.push(line.slice(PREFIX.length));
  if (!line.startsWith("{")) return;
  try {
    const { bytesRead, lines } = JSON.parse(line) as { bytesRead: number; lines: number };
    Object.assign(started, { compiled: bytesRead, lines });
  } catch {
    // Half a line of a process that was killed.
  }
}

function reportIn({ stdout }: ChildResult): ImportReport | null {
  try {
    return JSON.parse(stdout) as ImportReport;
  } catch {
    return null;
  }
}

function errorOf(refusal: ImportRejection, { replaced, feeds }: ImportReport): Error {
  const { reason, line, message, removedPercent = 0, maxShrink = 0 } = refusal;
  if (reason === "too-long") return new ServiceError("too-long", message);
  if (reason === "unwritable") return new ServiceError("unavailable", DISK_FULL, { retryAfter: 60 });
  if (reason === "skipped") return invalid({ body: [skippedText(feeds[0]!)] });
  if (reason !== "shrinks") return invalid({ body: [line === null ? message : `line ${line}: ${message}`] });
  const { prefixes: totalPrefixes, added, removed, kept } = replaced!;
  return new ServiceError(
    "dataset-shrinks",
    `the feed is not imported: the dataset would lose ${removed} of ${totalPrefixes} prefixes (${removedPercent} %), and at most ${maxShrink} % may be removed; check the feed, and send max_shrink=${removedPercent} if it is right`,
    { counts: { totalPrefixes, added, removed, kept, removedPercent, maxShrink } },
  );
}

/** Why a feed with lines that cannot be read is rejected. */
function skippedText({ skipped, skippedLines: [first] }: ImportReport["feeds"][0]): string {
  const others = skipped > 1 ? `; ${skipped} lines in all cannot be read` : "";
  return `line ${first!.line}, column ${first!.column}: ${first!.message}${others}. Correct the feed, or leave such lines out with skip_invalid=true`;
}

function tooLong(bytes: number): ServiceError {
  return new ServiceError(
    "too-long",
    `the feed is larger than the ${bytes} bytes that this server accepts; shorten it, or ask the operator to raise --feed-limit`,
  );
}

/** The reason in words that the user who imports the feed may read. */
function reasonOf(error: unknown): string {
  if (error instanceof ServiceError && error.fields !== undefined) return Object.values(error.fields)[0]![0]!;
  return (error as Error).message;
}

/** Runs work that writes to the disk. @throws ServiceError "unavailable" for a disk that fails */
async function onDisk<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch {
    throw new ServiceError("unavailable", DISK_FULL, { retryAfter: 60 });
  }
}

async function writeAll(file: FileHandle, part: Buffer): Promise<void> {
  for (let done = 0; done < part.length;) done += (await file.write(part, done)).bytesWritten;
}

/** Identifies the file at a path. */
function identityOf(path: string): string {
  const found = statSync(path, { throwIfNoEntry: false });
  return found === undefined ? "" : `${found.ino} ${found.mtimeMs} ${found.size}`;
}

/** The parts of a body, until the signal is aborted, even while waiting for a part that never comes. */
async function* untilAborted(body: AsyncIterable<Buffer>, signal: AbortSignal): AsyncGenerator<Buffer> {
  const parts = body[Symbol.asyncIterator]();
  const aborted = new Promise<never>((_resolve, reject) => {
    signal.addEventListener("abort", () => reject(asServiceError(signal.reason)));
  });
  aborted.catch(() => {});
  for (;;) {
    const next = await Promise.race([parts.next(), aborted]);
    if (next.done === true) return;
    yield next.value;
  }
}

/** Uploads that give way to others end with an error that says so. */
function asServiceError(reason: unknown): Error {
  if (reason instanceof ServiceError) return reason;
  return new ServiceError("too-many-requests", (reason as Error).message, { retryAfter: 10 });
}
