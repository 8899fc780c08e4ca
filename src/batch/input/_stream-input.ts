import { createReadStream, fstatSync } from "node:fs";
import { addAbortSignal, type Readable } from "node:stream";
import { decompress } from "./_decompress.ts";
import { encodingOf, showsEncoding } from "./_encoding.ts";
import { unreadable } from "./_input-errors.ts";
import { BatchError } from "../batch-error.ts";
import { HEAD_BYTES, type OpenInput } from "./input.ts";
import { openNamedPipe } from "../_named-pipe.ts";

const STREAM_CHUNK_BYTES = 256 * 1024;

/**
 * For an input that is not a plain file: `stop` ends waiting for it, and the callback gets the number of stored bytes
 * that were read.
 */
export interface StreamWatch {
  readonly stop: AbortSignal;
  readonly onBytes: (bytes: number) => void;
}

/** A file that has to be read from its start: a compressed one. The stream closes the descriptor. */
export function openFileStream(descriptor: number, name: string, watch: StreamWatch): Promise<OpenInput> {
  return openStream(createReadStream("", { fd: descriptor, start: 0, highWaterMark: STREAM_CHUNK_BYTES }), name, watch);
}

/** A named pipe, or a device. */
export async function openPathStream(path: string, isPipe: boolean, watch: StreamWatch): Promise<OpenInput> {
  if (!isPipe) return openStream(createReadStream(path, { highWaterMark: STREAM_CHUNK_BYTES }), path, watch);
  return openStream(
    await openNamedPipe(path, "read", watch.stop).catch((cause) => Promise.reject(unreadable(cause, path))),
    path,
    watch,
  );
}

let isStandardInputRead = false;

/** Rejects with BatchError the second time: whoever reads it again would take what is left of it, nothing, for all. */
export async function openStandardInput(watch: StreamWatch): Promise<OpenInput> {
  if (isStandardInputRead)
    throw new BatchError("input-unreadable", "it has been read, and can be read only once; save it to a file", {
      file: "-",
    });
  isStandardInputRead = true;
  return openStream(standardInput(), "-", watch);
}

/** Standard input; if it is a file, it is read in larger pieces than `process.stdin` would. */
function standardInput(): Readable {
  return fstatSync(0).isFile()
    ? createReadStream("", { fd: 0, autoClose: false, highWaterMark: STREAM_CHUNK_BYTES })
    : process.stdin;
}

export async function openStream(stream: Readable, name: string, { stop, onBytes }: StreamWatch): Promise<OpenInput> {
  addAbortSignal(stop, stream);
  const stored = new PeekedChunks(countedChunks(stream, name, onBytes));
  const encoding = encodingOf(await stored.peek(showsEncoding), name);
  const text = encoding === "plain" ? stored : new PeekedChunks(decompress(stored.chunks(), encoding, name));
  return {
    kind: "stream",
    name,
    peek: (isEnough) => text.peek((head) => head.length >= HEAD_BYTES || isEnough(head)),
    chunks: () => text.chunks(),
  };
}

async function* countedChunks(
  stream: Readable,
  name: string,
  onBytes: (bytes: number) => void,
): AsyncGenerator<Buffer> {
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

/** Streams in object mode return whatever was put into them. */
function bytesOf(chunk: unknown): Buffer {
  if (Buffer.isBuffer(chunk)) return chunk;
  if (typeof chunk === "string") return Buffer.from(chunk);
  if (chunk instanceof Uint8Array) return Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
  throw new TypeError(
    `an input stream yielded ${chunk === null ? "null" : `a value of type ${typeof chunk}`}; it must yield Uint8Array or strings`,
  );
}

/** A stream of chunks whose beginning can be examined before it is read. */
class PeekedChunks {
  readonly #source: AsyncGenerator<Buffer>;
  #seen: Buffer[] = [];

  constructor(source: AsyncGenerator<Buffer>) {
    this.#source = source;
  }

  /** Reads until the beginning is enough, or to the end, and returns it. */
  async peek(isEnough: (head: Buffer) => boolean): Promise<Buffer> {
    let head = Buffer.concat(this.#seen);
    let fill = head.length;
    while (!isEnough(head.subarray(0, fill))) {
      const { value, done } = await this.#source.next();
      if (done) break;
      this.#seen.push(value);
      // The buffer doubles: however small the chunks are, each byte is copied a constant number of times.
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
