import { once } from "node:events";
import { type FileHandle, open, realpath, rename, stat, unlink } from "node:fs/promises";
import { dirname } from "node:path";
import type { Writable } from "node:stream";
import { createGzip, createZstdCompress } from "node:zlib";
import { BatchError } from "./batch-error.ts";

/** Where rows go. */
export interface RowOutput {
  /** Resolves when the bytes may be overwritten. Rejects with `OutputClosed` if nobody reads any more. */
  write(rows: Buffer): Promise<void>;
  /** Makes the output complete. */
  finish(): Promise<void>;
  /** Leaves nothing behind, as far as that is possible. */
  discard(): Promise<void>;
}

/** The reader of a pipe has gone. */
export class OutputClosed extends Error {}

export async function openOutput(output: Writable | { readonly path: string }): Promise<RowOutput> {
  if (!("path" in output) || "write" in output) return new StreamOutput(output as Writable);
  return FileOutput.open(output.path);
}

/** A stream that somebody else owns: it is not ended. */
class StreamOutput implements RowOutput {
  readonly #stream: Writable;
  readonly #onError = (error: NodeJS.ErrnoException): void => {
    this.#error = error;
  };
  #error: NodeJS.ErrnoException | undefined;

  constructor(stream: Writable) {
    this.#stream = stream;
    stream.on("error", this.#onError);
  }

  async write(rows: Buffer): Promise<void> {
    // The buffer is used again, and only of stdout is it known that it keeps nothing it has been given.
    const bytes = this.#stream === process.stdout ? rows : Buffer.from(rows);
    await new Promise<void>((resolve, reject) => {
      this.#stream.write(bytes, (error) => {
        const reason = (error ?? this.#error) as NodeJS.ErrnoException | null | undefined;
        if (reason === null || reason === undefined) resolve();
        else reject(streamFailure(reason));
      });
    });
  }

  async finish(): Promise<void> {
    this.#stream.off("error", this.#onError);
  }

  /** The listener stays: a broken pipe may be reported late. */
  async discard(): Promise<void> {}
}

function streamFailure(cause: NodeJS.ErrnoException): Error {
  if (cause.code === "EPIPE" || cause.code === "ERR_STREAM_DESTROYED" || cause.code === "ERR_STREAM_WRITE_AFTER_END") return new OutputClosed();
  return new BatchError("output-failed", `the results cannot be written (${cause.code ?? cause.message})`, { cause });
}

/**
 * A file that is there complete or not at all: rows are written to PATH.partial, which is made durable and then renamed to
 * PATH. A PATH.partial that is left from a run that was killed is replaced. PATH may be a link, then the file it leads to is
 * replaced; or a device or named pipe, then that is written to directly. Names that end in .gz and .zst are compressed.
 */
class FileOutput implements RowOutput {
  readonly #path: string;
  /** What is written: PATH.partial, or PATH itself if it is no regular file. */
  readonly #partial: string;
  readonly #file: FileHandle;
  readonly #compressor: ReturnType<typeof createGzip> | ReturnType<typeof createZstdCompress> | undefined;
  #compressed: Promise<void> = Promise.resolve();

  private constructor(path: string, partial: string, file: FileHandle) {
    this.#path = path;
    this.#partial = partial;
    this.#file = file;
    this.#compressor = /\.gz$/i.test(path) ? createGzip() : /\.zst$/i.test(path) ? createZstdCompress() : undefined;
    if (this.#compressor !== undefined) {
      this.#compressed = this.#writeCompressed(this.#compressor);
      this.#compressed.catch(() => {}); // awaited in write and finish
    }
  }

  static async open(asked: string): Promise<FileOutput> {
    const failed = (cause: unknown): never => {
      throw new BatchError("output-unusable", `it cannot be written (${(cause as NodeJS.ErrnoException).code}); choose another path`, { file: asked, cause });
    };
    const path = await realpath(asked).catch(() => asked);
    const found = await stat(path).catch(() => null);
    if (found?.isDirectory()) throw new BatchError("output-unusable", "this is a folder; name a file in it", { file: asked });
    const isDirect = found !== null && !found.isFile();
    const partial = isDirect ? path : `${path}.partial`;
    if (!isDirect) await unlink(partial).catch((cause: NodeJS.ErrnoException) => (cause.code === "ENOENT" ? undefined : failed(cause)));
    // "wx": two runs that begin at the same moment do not write into one file.
    const file = await open(partial, isDirect ? "w" : "wx").catch(failed);
    return new FileOutput(path, partial, file);
  }

  async write(rows: Buffer): Promise<void> {
    if (this.#compressor === undefined) return this.#writeToFile(rows);
    // When the callback comes, all of the bytes have gone through; if the file cannot take them, it never comes.
    const taken = new Promise<void>((resolve) => this.#compressor!.write(rows, () => resolve()));
    await Promise.race([taken, this.#compressed.then(() => taken)]);
  }

  async #writeCompressed(compressor: AsyncIterable<Buffer>): Promise<void> {
    for await (const chunk of compressor) await this.#writeToFile(chunk);
  }

  async #writeToFile(bytes: Buffer): Promise<void> {
    try {
      for (let done = 0; done < bytes.length; ) done += (await this.#file.write(bytes, done)).bytesWritten;
    } catch (cause) {
      if ((cause as NodeJS.ErrnoException).code === "EPIPE") throw new OutputClosed();
      throw this.#failed(cause);
    }
  }

  async finish(): Promise<void> {
    this.#compressor?.end();
    await this.#compressed;
    if (this.#partial === this.#path) return this.#file.close();
    try {
      await this.#file.sync();
      // Another run may have put its own file there in the meantime; that one must not be published half written.
      const [ours, there] = await Promise.all([this.#file.stat(), stat(this.#partial)]);
      if (ours.ino !== there.ino) throw new Error("another run writes the same file");
      await rename(this.#partial, this.#path);
      await this.#file.close();
      await syncFolder(dirname(this.#path));
    } catch (cause) {
      throw this.#failed(cause);
    }
  }

  async discard(): Promise<void> {
    if (this.#compressor !== undefined && !this.#compressor.destroyed) {
      this.#compressor.destroy();
      await once(this.#compressor, "close").catch(() => {});
    }
    await this.#compressed.catch(() => {});
    const ours = await this.#file.stat().catch(() => null);
    await this.#file.close().catch(() => {});
    if (this.#partial === this.#path) return;
    const there = await stat(this.#partial).catch(() => null);
    if (there !== null && there.ino === ours?.ino) await unlink(this.#partial).catch(() => {});
  }

  #failed(cause: unknown): BatchError {
    const { code, message } = cause as NodeJS.ErrnoException;
    const cure = code === "ENOSPC" ? "make room or choose another path" : "nothing was left behind";
    return new BatchError("output-failed", `it cannot be written (${code ?? message}); ${cure}`, { file: this.#path, cause });
  }
}

async function syncFolder(path: string): Promise<void> {
  if (process.platform === "win32") return; // it has no such thing
  const folder = await open(path, "r");
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}
