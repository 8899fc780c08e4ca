import { constants, openSync, write, writeSync } from "node:fs";
import { Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";

/** Bytes of lines that wait for a slow reader, or for free space on the disk. */
const MAX_WAITING = 1 << 20;
/** Bytes that a write to a pipe never mixes with those of other processes (POSIX: PIPE_BUF). */
const UNMIXED = 4096;
/** Milliseconds until a failed write is retried. */
const RETRY_AFTER = 1000;
/** The same if a terminal is merely busy. */
const POLL = 10;
/** Milliseconds for the last lines to be written. */
const LAST_LINES = 2000;

/** Consecutive lost lines. Times are in milliseconds since 1970. */
export interface LostLines {
  readonly count: number;
  readonly firstAt: number;
  readonly lastAt: number;
  readonly reason: string;
}

/** `process.stdout` or `process.stderr`. */
interface StandardStream extends NodeJS.WritableStream {
  readonly fd: number;
  readonly isTTY?: boolean;
}

/** Resolves with how many of the bytes were written. */
type Send = (bytes: Buffer) => Promise<number>;

/**
 * Writes lines to standard output or standard error, and neither fails nor blocks, whatever happens to it: a full disk,
 * a reader that goes away, or one that stops reading. Lines wait in bounded memory until they can be written; those
 * that do not fit are lost and counted.
 */
export class LineWriter {
  /** Called when lines can be written again after some were lost. */
  onRecovery: (lost: LostLines) => void = () => {};
  #lostCount = 0;
  #lost: LostLines | undefined;
  readonly #send: Send;
  /** Maximum bytes of a write, unless one line is longer. */
  readonly #atOnce: number;
  #waiting: string[] = [];
  #waitingBytes = 0;
  /** The unwritten rest of what is being written. */
  #rest: Buffer | undefined;
  #isWriting = false;
  /** Why nothing can be written at the moment. */
  #error: Error | undefined;
  #retry: NodeJS.Timeout | undefined;

  /** `isShared`: other processes write to the same stream. */
  constructor(stream: StandardStream, isShared = false) {
    this.#atOnce = isShared ? UNMIXED : MAX_WAITING;
    const descriptor = stream.isTTY === true ? openTerminal(stream.fd) : stream.fd;
    this.#send = stream instanceof Socket && stream.isTTY !== true ? toPipe(stream) : toDescriptor(descriptor);
    process.once("exit", () => this.#writeAtExit(descriptor));
  }

  /** All lines lost so far. */
  get lostCount(): number {
    return this.#lostCount;
  }

  write(line: string): void {
    const bytes = Buffer.byteLength(line);
    if (this.#waitingBytes + bytes > MAX_WAITING) return this.#lose();
    this.#waiting.push(line);
    this.#waitingBytes += bytes;
    if (!this.#isWriting && this.#retry === undefined) void this.#writeWaiting();
  }

  /** Writes what can be written within this many milliseconds. Resolves with whether that was everything. */
  async close(limit: number): Promise<boolean> {
    const end = performance.now() + limit;
    if (this.#retry !== undefined) this.#tryAgain();
    // After any error other than a slow reader, waiting would not help.
    while (!this.#isEmpty && (this.#isWriting || this.#error === undefined) && performance.now() < end)
      await sleep(POLL);
    return this.#isEmpty;
  }

  get #isEmpty(): boolean {
    return this.#rest === undefined && this.#waiting.length === 0;
  }

  async #writeWaiting(): Promise<void> {
    this.#isWriting = true;
    try {
      while (!this.#isEmpty) {
        this.#rest ??= this.#takeWaiting();
        const written = await this.#send(this.#rest);
        this.#error = undefined;
        this.#rest = written < this.#rest.length ? this.#rest.subarray(written) : undefined;
      }
    } catch (error) {
      const isSlow = (error as NodeJS.ErrnoException).code === "EAGAIN";
      if (!isSlow) this.#error = error as Error;
      this.#retry = setTimeout(() => this.#tryAgain(), isSlow ? POLL : RETRY_AFTER).unref();
    }
    this.#isWriting = false;
  }

  /** What waits, or its first lines. What came before has been written, so that the report of lost lines follows it. */
  #takeWaiting(): Buffer {
    const bytes = Buffer.from(this.#takeLines().join(""));
    this.#waitingBytes -= bytes.length;
    const lost = this.#lost;
    this.#lost = undefined;
    if (lost !== undefined) this.onRecovery(lost);
    return bytes;
  }

  #takeLines(): readonly string[] {
    if (this.#waitingBytes <= this.#atOnce) return this.#waiting.splice(0);
    let [count, size] = [0, 0];
    for (const line of this.#waiting) {
      size += Buffer.byteLength(line);
      if (count > 0 && size > this.#atOnce) break;
      count++;
    }
    return this.#waiting.splice(0, count);
  }

  #tryAgain(): void {
    clearTimeout(this.#retry);
    this.#retry = undefined;
    void this.#writeWaiting();
  }

  #lose(): void {
    const now = Date.now();
    const { count = 0, firstAt = now, reason = this.#error?.message ?? "the reader is too slow" } = this.#lost ?? {};
    this.#lost = { count: count + 1, firstAt, lastAt: now, reason };
    this.#lostCount++;
  }

  /** A process that ends with an error runs no more turns of the event loop. */
  #writeAtExit(descriptor: number): void {
    try {
      writeSync(descriptor, (this.#isWriting ? "" : (this.#rest?.toString() ?? "")) + this.#waiting.join(""));
    } catch {
      // It could not be written earlier either.
    }
  }
}

/** Writes the last lines. Resolves with whether all were written. */
export async function closeWriters(...writers: readonly LineWriter[]): Promise<boolean> {
  const areWritten = await Promise.all(writers.map((writer) => writer.close(LAST_LINES)));
  return !areWritten.includes(false);
}

/**
 * Node writes to pipes without blocking, and never closes these two. `fs.write` would occupy a thread of the pool for
 * as long as the reader does not read, and the process could not end.
 */
function toPipe(stream: Socket): Send {
  // The write's callback is called as well.
  stream.on("error", () => {});
  return (bytes) =>
    new Promise((resolve, reject) => stream.write(bytes, (error) => (error ? reject(error) : resolve(bytes.length))));
}

function toDescriptor(descriptor: number): Send {
  return (bytes) =>
    new Promise((resolve, reject) =>
      write(descriptor, bytes, (error, written) => (error === null ? resolve(written) : reject(error))),
    );
}

/**
 * A terminal that has been stopped by Ctrl-S would block its writer. Opened a second time, it can be made non-blocking
 * for this process alone.
 */
function openTerminal(descriptor: number): number {
  try {
    return openSync(`/dev/fd/${descriptor}`, constants.O_WRONLY | constants.O_NONBLOCK | constants.O_NOCTTY);
  } catch {
    return descriptor;
  }
}
