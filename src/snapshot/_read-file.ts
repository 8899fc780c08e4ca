import { closeSync, constants, fstatSync, openSync, read, readSync } from "node:fs";
import { crc32 } from "node:zlib";
import { SectionChecksums } from "./_section-checksums.ts";
import { bufferOf, type Shared } from "../memory/shared-memory.ts";
import type { Family } from "../address/address.ts";
import { allocateFor } from "./_allocate.ts";
import { decodeHead, type SnapshotHead, type SnapshotSectionName } from "./format.ts";
import type { TrustedKeys } from "./signing.ts";
import { SnapshotError } from "./snapshot-error.ts";

/**
 * Large enough that a read costs more than its round trip through the thread pool, small enough to overlap with
 * checking.
 */
const CHUNK_BYTES = 1 << 20;

/** Bytes read before the head is known: enough that a small file takes one read. */
const FIRST_BYTES = 64 << 10;

/** Concurrent reads: two threads get memory from the system faster than one, while this thread checks. */
const CHUNKS_AHEAD = 2;

/**
 * Reads a snapshot file into shared memory, checking its head before anything is allocated, its sections on the way,
 * and at the end, if keys are given, that one of them has signed it.
 */
export async function readSnapshotFile(
  path: string,
  trustedKeys: TrustedKeys | undefined,
  only?: Family,
): Promise<{ shared: Shared; head: SnapshotHead }> {
  const file = new RegularFile(path);
  try {
    const start = new Uint8Array(Math.min(file.size, FIRST_BYTES));
    file.readNow(start, 0);
    const head = decodeHead(start, file.size, path, crc32);
    const shared = allocateFor(head, path);
    const bytes = new Uint8Array(bufferOf(shared), 0, head.byteLength);
    bytes.set(start);
    const skipped = only === undefined ? [] : indexOf(only === 4 ? 6 : 4);
    const gap = spanOf(head, skipped);
    await readChecked(file, bytes, start.length, new SectionChecksums(bytes, head, path, crc32, skipped), gap);
    // Loaded only if there are keys: loading node:crypto takes longer than reading a small snapshot.
    if (trustedKeys !== undefined) await (await import("./signing.ts")).checkSigned(bytes, head, trustedKeys, path);
    return { shared, head };
  } finally {
    await file.close();
  }
}

/** The sections that addresses of a family are looked up in, and those of the other are not. */
function indexOf(family: Family): SnapshotSectionName[] {
  return family === 4 ? ["root4", "nodes4"] : ["root6", "nodes6"];
}

/** Where sections that follow one another begin and end; an empty span for none. */
function spanOf({ sections, byteLength }: SnapshotHead, names: readonly SnapshotSectionName[]): Span {
  const spans = sections.filter(({ name }) => names.includes(name));
  const [first, last] = [spans[0], spans.at(-1)];
  if (first === undefined || last === undefined) return { start: byteLength, end: byteLength };
  return { start: first.byteOffset, end: last.byteOffset + last.byteLength };
}

interface Span {
  readonly start: number;
  readonly end: number;
}

/** An open file. Without node:fs/promises, which takes as long to load as a small snapshot takes to read. */
export class RegularFile {
  readonly size: number;
  readonly #descriptor: number;
  readonly #path: string;
  readonly #reading = new Set<Promise<void>>();

  /** Throws `SnapshotError`. */
  constructor(path: string) {
    this.#path = path;
    let descriptor: number | undefined;
    try {
      // Without O_NONBLOCK, opening a named pipe would wait for someone to write to it. (Windows has no such flag.)
      descriptor = openSync(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
      const status = fstatSync(descriptor);
      if (!status.isFile()) throw new SnapshotError("not-a-file", path, "a folder, pipe or device");
      this.size = status.size;
      this.#descriptor = descriptor;
    } catch (cause) {
      if (descriptor !== undefined) closeSync(descriptor);
      throw cause instanceof SnapshotError ? cause : readFailure(path, cause);
    }
  }

  /** As `read`, for a few bytes: waking up a thread takes longer than reading them. */
  readNow(target: Uint8Array, position: number): void {
    for (let done = 0; done < target.length;) {
      const bytesRead = this.#readSomeNow(target, done, position + done);
      if (bytesRead === 0) throw this.#shorter();
      done += bytesRead;
    }
  }

  /** Fills `target` with the file's bytes from `position` on. */
  read(target: Uint8Array, position: number): Promise<void> {
    const reading = this.#readFully(target, position);
    this.#reading.add(reading);
    // When a check throws, the other reads are no longer awaited, and their outcome does not matter.
    reading.catch(() => {}).finally(() => this.#reading.delete(reading));
    return reading;
  }

  async #readFully(target: Uint8Array, position: number): Promise<void> {
    for (let done = 0; done < target.length;) {
      const bytesRead = await this.#readSome(target, done, position + done);
      if (bytesRead === 0) throw this.#shorter();
      done += bytesRead;
    }
  }

  #shorter(): SnapshotError {
    return new SnapshotError("changed-while-reading", this.#path, "it became shorter while it was read");
  }

  #readSomeNow(target: Uint8Array, at: number, position: number): number {
    try {
      return readSync(this.#descriptor, target, at, target.length - at, position);
    } catch (cause) {
      throw readFailure(this.#path, cause);
    }
  }

  #readSome(target: Uint8Array, at: number, position: number): Promise<number> {
    return new Promise((resolve, reject) => {
      read(this.#descriptor, target, at, target.length - at, position, (cause, bytesRead) => {
        if (cause === null) resolve(bytesRead);
        else reject(readFailure(this.#path, cause));
      });
    });
  }

  /**
   * The file is closed only once all reads are over: the descriptor's number may belong to another file a moment later.
   */
  async close(): Promise<void> {
    await Promise.allSettled(this.#reading);
    closeSync(this.#descriptor);
  }
}

function readFailure(path: string, cause: unknown): SnapshotError {
  const code = (cause as NodeJS.ErrnoException).code;
  if (code === "ENOENT" || code === "ENOTDIR") return new SnapshotError("not-found", path, "no such file", { cause });
  return new SnapshotError("unreadable", path, `cannot be read (${code ?? String(cause)})`, { cause });
}

/**
 * Reads what follows the first `at` bytes; while chunks are being read, the ones before them are checked.
 *
 *     bytes        | start | chunk | chunk | chunk | chunk | ...
 *     checked      |#######|#######|
 *     being read                   |.......|.......|             `ahead`: at most CHUNKS_AHEAD, in the file's order
 *                                                  ^ at
 *
 * Nothing is read of `gap`, and its sections are not checked.
 *
 * Invariant: every byte before the first chunk of `ahead` has been read, so `advance` never looks at bytes that are
 * still being written. Each turn takes one chunk from `ahead`: the loop ends after length / CHUNK_BYTES turns.
 */
async function readChecked(
  file: RegularFile,
  bytes: Uint8Array,
  at: number,
  checksums: SectionChecksums,
  gap: Span,
): Promise<void> {
  const ahead: { readonly read: Promise<void>; readonly end: number }[] = [];
  while (at < bytes.length || ahead.length > 0) {
    while (at < bytes.length && ahead.length < CHUNKS_AHEAD) {
      if (at >= gap.start && at < gap.end) {
        at = gap.end;
        continue;
      }
      const end = Math.min(at + CHUNK_BYTES, at < gap.start ? gap.start : bytes.length, bytes.length);
      ahead.push({ read: file.read(bytes.subarray(at, end), at), end });
      at = end;
    }
    const { read: reading, end } = ahead.shift()!;
    await reading;
    checksums.advance(end);
  }
  checksums.advance(bytes.length);
}
