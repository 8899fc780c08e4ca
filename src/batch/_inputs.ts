import { close, createReadStream, fstatSync, open, read } from "node:fs";
import { stat } from "node:fs/promises";
import { addAbortSignal, type Readable } from "node:stream";
import { promisify } from "node:util";
import { decompress, encodingOf, MAGIC_BYTES } from "./_decompress.ts";
import { openNamedPipe } from "./_named-pipe.ts";
import { BatchError } from "./batch-error.ts";

const STREAM_CHUNK_BYTES = 256 * 1024;
/** The first line is searched for in this much of an input; of a longer one, this much is taken for it. */
const HEAD_BYTES = 1024 * 1024;
const LF = 0x0a;
const CR = 0x0d;
const BYTE_ORDER_MARK = Buffer.from("\ufeff");

const openFile = promisify(open);
const closeFile = promisify(close);
const readFile = promisify(read);

/** An input that is ready to be read: a plain file, at any position, or the decompressed bytes of anything else, in order. */
export type OpenInput = { readonly name: string; /** The first line that is not empty; null if there is none. */ firstLine(): Promise<string | null> } & (
  | { readonly kind: "file"; readonly descriptor: number; readonly size: number; close(): Promise<void> }
  | { readonly kind: "stream"; chunks(): AsyncGenerator<Buffer> }
);

/** Whether all inputs are there, and their size altogether; null if it cannot be known. Throws BatchError. */
export async function surveyInputs(inputs: readonly (string | Readable)[]): Promise<number | null> {
  let total: number | null = 0;
  for (const input of inputs) {
    if (input === "-" && fstatSync(0).isDirectory()) throw isFolder(input);
    if (typeof input !== "string" || input === "-") {
      total = null;
      continue;
    }
    const found = await stat(input).catch((cause) => {
      throw unreadable(cause, input);
    });
    if (found.isDirectory()) throw isFolder(input);
    total = total !== null && found.isFile() ? total + found.size : null;
  }
  return total;
}

/** Opens one input. `stop` ends waiting for its data; `onBytes` is told how many stored bytes of a stream have been read. */
export async function openInput(input: string | Readable, stop: AbortSignal, onBytes: (bytes: number) => void): Promise<OpenInput> {
  if (typeof input !== "string") return openStream(input, "input stream", stop, onBytes);
  if (input === "-") return openStream(standardInput(), input, stop, onBytes);
  const found = await stat(input).catch((cause) => Promise.reject(unreadable(cause, input)));
  if (found.isFIFO()) return openStream(await openNamedPipe(input, "read", stop).catch((cause) => Promise.reject(unreadable(cause, input))), input, stop, onBytes);
  if (!found.isFile()) return openStream(createReadStream(input, { highWaterMark: STREAM_CHUNK_BYTES }), input, stop, onBytes);

  const descriptor = await openFile(input, "r").catch((cause) => Promise.reject(unreadable(cause, input)));
  try {
    const size = fstatSync(descriptor).size;
    const head = await readHead(descriptor, MAGIC_BYTES);
    if (encodingOf(head, input) === "plain") {
      const firstLine = async (): Promise<string | null> => firstLineOf(await readHead(descriptor, HEAD_BYTES));
      let closing: Promise<void> | undefined;
      return { kind: "file", name: input, descriptor, size, firstLine, close: () => (closing ??= closeFile(descriptor)) };
    }
  } catch (error) {
    await closeFile(descriptor);
    throw error;
  }
  // The stream closes the descriptor.
  return openStream(createReadStream("", { fd: descriptor, start: 0, highWaterMark: STREAM_CHUNK_BYTES }), input, stop, onBytes);
}

/** Standard input; one that is a file is read in larger pieces than `process.stdin` would. */
function standardInput(): Readable {
  return fstatSync(0).isFile() ? createReadStream("", { fd: 0, autoClose: false, highWaterMark: STREAM_CHUNK_BYTES }) : process.stdin;
}

async function readHead(descriptor: number, bytes: number): Promise<Buffer> {
  const head = Buffer.alloc(bytes);
  let done = 0;
  for (let got = -1; done < bytes && got !== 0; done += got) {
    got = (await readFile(descriptor, head, done, bytes - done, done)).bytesRead;
  }
  return head.subarray(0, done);
}

async function openStream(stream: Readable, name: string, stop: AbortSignal, onBytes: (bytes: number) => void): Promise<OpenInput> {
  addAbortSignal(stop, stream);
  const stored = new PeekedChunks(countedChunks(stream, name, onBytes));
  const encoding = encodingOf(await stored.peek((head) => head.length >= MAGIC_BYTES), name);
  const text = encoding === "plain" ? stored : new PeekedChunks(decompress(stored.chunks(), encoding, name));
  return {
    kind: "stream",
    name,
    firstLine: async () => firstLineOf(await text.peek(firstLineSearch())),
    chunks: () => text.chunks(),
  };
}

async function* countedChunks(stream: Readable, name: string, onBytes: (bytes: number) => void): AsyncGenerator<Buffer> {
  try {
    for await (const chunk of stream) {
      const bytes = bytesOf(chunk);
      onBytes(bytes.length);
      yield bytes;
    }
  } catch (cause) {
    throw unreadable(cause, name);
  }
}

/** Streams in object mode give whatever was put into them. */
function bytesOf(chunk: unknown): Buffer {
  if (Buffer.isBuffer(chunk)) return chunk;
  if (typeof chunk === "string") return Buffer.from(chunk);
  if (chunk instanceof Uint8Array) return Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
  throw new TypeError(`an input stream gave ${chunk === null ? "null" : `a value of type ${typeof chunk}`}; it must give Uint8Array or strings`);
}

/** A stream of chunks whose beginning can be looked at before it is read. */
class PeekedChunks {
  readonly #source: AsyncGenerator<Buffer>;
  #seen: Buffer[] = [];

  constructor(source: AsyncGenerator<Buffer>) {
    this.#source = source;
  }

  /** Reads until the beginning is enough or all there is, and returns it. */
  async peek(isEnough: (head: Buffer) => boolean): Promise<Buffer> {
    let head = Buffer.concat(this.#seen);
    let fill = head.length;
    while (!isEnough(head.subarray(0, fill))) {
      const { value, done } = await this.#source.next();
      if (done) break;
      this.#seen.push(value);
      // The room doubles: however small the chunks are, each byte is copied a constant number of times.
      if (fill + value.length > head.length) head = Buffer.concat([head.subarray(0, fill)], 2 * (fill + value.length));
      fill += value.copy(head, fill);
    }
    return head.subarray(0, fill);
  }

  async *chunks(): AsyncGenerator<Buffer> {
    yield* this.#seen;
    this.#seen = [];
    yield* this.#source;
  }
}

/** Tells of a growing beginning whether the first line that is not empty is in it, or enough of it. Looks at each byte once. */
function firstLineSearch(): (head: Buffer) => boolean {
  let start = 0; // what is before is no part of the line
  let searched = 0; // no LF between start and here
  return (head) => {
    if (start === 0 && head.subarray(0, 3).equals(BYTE_ORDER_MARK)) start = 3;
    while (head[start] === LF || head[start] === CR) start++;
    const found = head.indexOf(LF, Math.max(start, searched)) >= 0;
    searched = head.length;
    return found || head.length >= HEAD_BYTES;
  };
}

/** Without its line end, and without a byte order mark at the very beginning. */
function firstLineOf(head: Buffer): string | null {
  return /[^\r\n][^\n]*/.exec(head.toString("utf8").replace(/^\ufeff/, ""))?.[0].replace(/\r$/, "") ?? null;
}

function isFolder(file: string, cause?: unknown): BatchError {
  return new BatchError("input-is-a-folder", "this is a folder; name the files in it", { file, cause });
}

function unreadable(cause: unknown, file: string): unknown {
  const code = (cause as NodeJS.ErrnoException).code;
  if (code === "ENOENT" || code === "ENOTDIR") return new BatchError("input-missing", "no such file", { file, cause });
  if (code === "EISDIR") return isFolder(file, cause);
  if (code === "EACCES" || code === "EPERM") return new BatchError("input-unreadable", "reading it is not permitted", { file, cause });
  return typeof code === "string" && /^E[A-Z]+$/.test(code) ? new BatchError("input-unreadable", `it cannot be read (${code})`, { file, cause }) : cause;
}
