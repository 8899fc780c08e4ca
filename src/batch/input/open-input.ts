import { closeSync, fstatSync, openSync, read, readSync, type Stats, statSync } from "node:fs";
import type { Readable } from "node:stream";
import { encodingOf, MAGIC_BYTES } from "./_encoding.ts";
import { isFolder, unreadable } from "./_input-errors.ts";
import { HEAD_BYTES, inputName, type OpenInput } from "./input.ts";

const CHUNK_BYTES = 1024 * 1024;

/** Loaded for inputs that are no plain files: those should not pay for it. */
const streams = (): Promise<typeof import("./_stream-input.ts")> => import("./_stream-input.ts");

/** Whether all inputs are there, and their size altogether; null if it cannot be known. Throws BatchError. */
export function surveyInputs(inputs: readonly (string | Readable)[]): number | null {
  let total: number | null = 0;
  for (const input of inputs) {
    if (input === "-" && fstatSync(0).isDirectory()) throw isFolder(input);
    if (typeof input !== "string" || input === "-") {
      total = null;
      continue;
    }
    const found = statusOf(input);
    if (found.isDirectory()) throw isFolder(input);
    total = total !== null && found.isFile() ? total + found.size : null;
  }
  return total;
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
  if (input === "-") return (await streams()).openStandardInput(watch);
  const found = statusOf(input);
  if (!found.isFile()) return (await streams()).openPathStream(input, found.isFIFO(), watch);

  const descriptor = openForReading(input);
  try {
    const size = fstatSync(descriptor).size;
    if (encodingOf(readHead(descriptor, MAGIC_BYTES), input) === "plain") {
      let isOpen = true;
      const close = (): void => {
        if (isOpen) closeSync(descriptor);
        isOpen = false;
      };
      const chunks = (): AsyncGenerator<Buffer> => fileChunks(descriptor, input, size, onBytes, close);
      return {
        kind: "file",
        name: input,
        descriptor,
        size,
        peek: async (isEnough) => peekFile(descriptor, isEnough),
        chunks,
        close,
      };
    }
  } catch (error) {
    closeSync(descriptor);
    throw error;
  }
  return (await streams()).openFileStream(descriptor, input, watch);
}

function openForReading(path: string): number {
  try {
    return openSync(path, "r");
  } catch (cause) {
    throw unreadable(cause, path);
  }
}

/** Not in the background: for what a plain file costs, a thread is not woken up. */
function statusOf(path: string): Stats {
  try {
    return statSync(path);
  } catch (cause) {
    throw unreadable(cause, path);
  }
}

function readHead(descriptor: number, bytes: number): Buffer {
  const head = Buffer.alloc(bytes);
  let done = 0;
  for (let got = -1; done < bytes && got !== 0; done += got) got = readSync(descriptor, head, done, bytes - done, done);
  return head.subarray(0, done);
}

/** Most first lines are in the first few kilobytes. */
function peekFile(descriptor: number, isEnough: (head: Buffer) => boolean): Buffer {
  for (let bytes = 4096; ; bytes *= 16) {
    const head = readHead(descriptor, Math.min(bytes, HEAD_BYTES));
    if (head.length < bytes || bytes >= HEAD_BYTES || isEnough(head)) return head;
  }
}

async function* fileChunks(
  descriptor: number,
  name: string,
  size: number,
  onBytes: (bytes: number) => void,
  close: () => void,
): AsyncGenerator<Buffer> {
  try {
    for (let at = 0; at < size;) {
      const chunk = Buffer.allocUnsafe(CHUNK_BYTES); // one may be kept while the next is read
      const got = await readSome(descriptor, chunk, Math.min(CHUNK_BYTES, size - at), at);
      if (got === 0) return;
      onBytes(got);
      at += got;
      yield chunk.subarray(0, got);
    }
  } catch (cause) {
    throw unreadable(cause, name);
  } finally {
    close();
  }
}

function readSome(descriptor: number, chunk: Buffer, bytes: number, at: number): Promise<number> {
  return new Promise((resolve, reject) => {
    read(descriptor, chunk, 0, bytes, at, (error, bytesRead) => (error === null ? resolve(bytesRead) : reject(error)));
  });
}
