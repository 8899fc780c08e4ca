import { closeSync, fstatSync, openSync, read, readFileSync, readSync, type Stats, statSync } from "node:fs";
import type { Readable } from "node:stream";
import { encodingOf, MAGIC_BYTES } from "./_encoding.ts";
import { isFolder, unreadable } from "./_input-errors.ts";
import { HEAD_BYTES, inputName, type OpenInput } from "./input.ts";

const STANDARD_INPUT = 0;
const CHUNK_BYTES = 1024 * 1024;

/** The rest of a plain file: `[start, size)`. */
interface FileRange {
  readonly descriptor: number;
  readonly start: number;
  readonly size: number;
  close(): void;
}

/** Loaded only for inputs that are not plain files, which do not need it. */
const streams = (): Promise<typeof import("./_stream-input.ts")> => import("./_stream-input.ts");

/** Checks that all inputs exist, and returns their total size; null if it cannot be known. Throws BatchError. */
export function surveyInputs(inputs: readonly (string | Readable)[]): number | null {
  let total: number | null = 0;
  for (const input of inputs) {
    const bytes = typeof input === "string" ? sizeOf(input) : null;
    total = total !== null && bytes !== null ? total + bytes : null;
  }
  return total;
}

function sizeOf(input: string): number | null {
  const found = input === "-" ? fstatSync(STANDARD_INPUT) : statusOf(input);
  if (found.isDirectory()) throw isFolder(input);
  if (!found.isFile()) return null;
  if (input !== "-") return found.size;
  const range = standardInputFile();
  return range && range.size - range.start;
}

/**
 * Opens one input. `stop` ends waiting for its data; `onBytes` is called with how many stored bytes of a stream have
 * been read.
 */
export async function openInput(
  input: string | Readable,
  stop: AbortSignal,
  onBytes: (bytes: number) => void,
): Promise<OpenInput> {
  const watch = { stop, onBytes };
  if (typeof input !== "string") return (await streams()).openStream(input, inputName(input), watch);
  if (input === "-") {
    const range = standardInputFile();
    if (range !== null && isPlain(range, input)) return plainFile(range, input, onBytes);
    return (await streams()).openStandardInput(watch);
  }
  const found = statusOf(input);
  if (!found.isFile()) return (await streams()).openPathStream(input, found.isFIFO(), watch);

  const range = openFile(input);
  try {
    if (isPlain(range, input)) return plainFile(range, input, onBytes);
  } catch (error) {
    range.close();
    throw error;
  }
  return (await streams()).openFileStream(range.descriptor, input, watch);
}

function openFile(path: string): FileRange {
  const descriptor = openForReading(path);
  let isOpen = true;
  const close = (): void => {
    if (isOpen) closeSync(descriptor);
    isOpen = false;
  };
  return { descriptor, start: 0, size: fstatSync(descriptor).size, close };
}

/**
 * The file that standard input is redirected from, from its current offset; null if it is no plain file, or the system
 * does not report the offset. The descriptor is shared with other processes: it stays open. Files of /proc have no
 * size and are read as streams.
 */
function standardInputFile(): FileRange | null {
  const found = fstatSync(STANDARD_INPUT);
  const start = found.isFile() ? offsetOf(STANDARD_INPUT) : null;
  if (start === null || start >= found.size) return null;
  return { descriptor: STANDARD_INPUT, start, size: found.size, close: () => {} };
}

/** Linux alone reports the offset of a descriptor in a file; Node has no call for it. */
function offsetOf(descriptor: number): number | null {
  try {
    const [, offset] = /^pos:\s*(\d+)/m.exec(readFileSync(`/proc/self/fdinfo/${descriptor}`, "latin1")) ?? [];
    return offset === undefined ? null : Number(offset);
  } catch {
    return null;
  }
}

function isPlain(range: FileRange, name: string): boolean {
  try {
    return encodingOf(readHead(range, MAGIC_BYTES), name) === "plain";
  } catch (cause) {
    throw unreadable(cause, name);
  }
}

function plainFile(range: FileRange, name: string, onBytes: (bytes: number) => void): OpenInput {
  const { descriptor, start, size, close } = range;
  const readTo = async (into: Buffer, at: number, length: number, position: number): Promise<number> => {
    const got = await readSome(descriptor, into, at, length, position).catch((cause) => {
      throw unreadable(cause, name);
    });
    onBytes(got);
    return got;
  };
  return {
    kind: "file",
    name,
    descriptor,
    start,
    size,
    peek: async (isEnough) => peekFile(range, isEnough),
    chunks: () => fileChunks(range, readTo),
    readTo,
    close,
  };
}

function openForReading(path: string): number {
  try {
    return openSync(path, "r");
  } catch (cause) {
    throw unreadable(cause, path);
  }
}

/** Synchronous: for a plain file, waking up a thread would take longer. */
function statusOf(path: string): Stats {
  try {
    return statSync(path);
  } catch (cause) {
    throw unreadable(cause, path);
  }
}

function readHead({ descriptor, start }: FileRange, bytes: number): Buffer {
  const head = Buffer.alloc(bytes);
  let done = 0;
  for (let got = -1; done < bytes && got !== 0; done += got)
    got = readSync(descriptor, head, done, bytes - done, start + done);
  return head.subarray(0, done);
}

/** Most first lines are within the first few kilobytes. */
function peekFile(range: FileRange, isEnough: (head: Buffer) => boolean): Buffer {
  for (let bytes = 4096; ; bytes *= 16) {
    const head = readHead(range, Math.min(bytes, HEAD_BYTES));
    if (head.length < bytes || bytes >= HEAD_BYTES || isEnough(head)) return head;
  }
}

async function* fileChunks(
  { start, size, close }: FileRange,
  readTo: (into: Buffer, at: number, length: number, position: number) => Promise<number>,
): AsyncGenerator<Buffer> {
  try {
    for (let at = start; at < size;) {
      const chunk = Buffer.allocUnsafe(CHUNK_BYTES); // one may be kept while the next is read
      const got = await readTo(chunk, 0, Math.min(CHUNK_BYTES, size - at), at);
      if (got === 0) return;
      at += got;
      yield chunk.subarray(0, got);
    }
  } finally {
    close();
  }
}

function readSome(descriptor: number, into: Buffer, to: number, length: number, position: number): Promise<number> {
  return new Promise((resolve, reject) => {
    read(descriptor, into, to, length, position, (error, bytesRead) =>
      error === null ? resolve(bytesRead) : reject(error),
    );
  });
}
