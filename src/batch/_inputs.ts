import { closeSync, fstatSync, openSync, readSync, type Stats, statSync } from "node:fs";
import type { Readable } from "node:stream";
import { encodingOf, MAGIC_BYTES } from "./_encoding.ts";
import { BatchError } from "./batch-error.ts";

/** The first line is searched for in this much of an input; of a longer one, this much is taken for it. */
export const HEAD_BYTES: number = 1024 * 1024;
export const BYTE_ORDER_MARK: Buffer = Buffer.from("\ufeff");

/** Loaded for inputs that are no plain files: those should not pay for it. */
const streams = (): Promise<typeof import("./_stream-input.ts")> => import("./_stream-input.ts");

/** An input that is ready to be read: a plain file, at any position, or the decompressed bytes of anything else, in order. */
export type OpenInput = { readonly name: string; /** The first line that is not empty; null if there is none. */ firstLine(): Promise<string | null> } & (
  | { readonly kind: "file"; readonly descriptor: number; readonly size: number; close(): void }
  | { readonly kind: "stream"; chunks(): AsyncGenerator<Buffer> }
);

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

/** Opens one input. `stop` ends waiting for its data; `onBytes` is told how many stored bytes of a stream have been read. */
export async function openInput(input: string | Readable, stop: AbortSignal, onBytes: (bytes: number) => void): Promise<OpenInput> {
  const watch = { stop, onBytes };
  if (typeof input !== "string") return (await streams()).openStream(input, "input stream", watch);
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
      return { kind: "file", name: input, descriptor, size, firstLine: async () => firstLineOf(readHead(descriptor, HEAD_BYTES)), close };
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

/** Without its line end, and without a byte order mark at the very beginning. */
export function firstLineOf(head: Buffer): string | null {
  return /[^\r\n][^\n]*/.exec(head.toString("utf8").replace(/^\ufeff/, ""))?.[0].replace(/\r$/, "") ?? null;
}

function isFolder(file: string, cause?: unknown): BatchError {
  return new BatchError("input-is-a-folder", "this is a folder; name the files in it", { file, cause });
}

export function unreadable(cause: unknown, file: string): unknown {
  const code = (cause as NodeJS.ErrnoException).code;
  if (code === "ENOENT" || code === "ENOTDIR") return new BatchError("input-missing", "no such file", { file, cause });
  if (code === "EISDIR") return isFolder(file, cause);
  if (code === "EACCES" || code === "EPERM") return new BatchError("input-unreadable", "reading it is not permitted", { file, cause });
  return typeof code === "string" && /^E[A-Z]+$/.test(code) ? new BatchError("input-unreadable", `it cannot be read (${code})`, { file, cause }) : cause;
}
