import { once } from "node:events";
import { createWriteStream, fstatSync, type Stats } from "node:fs";
import { type FileHandle, open, readlink, realpath, rename, stat, unlink } from "node:fs/promises";
import { Socket } from "node:net";
import { basename, dirname, join, resolve } from "node:path";
import type { Writable } from "node:stream";
import { createGzip, createZstdCompress } from "node:zlib";
import { syncFolder } from "../../files/sync-folder.ts";
import { openNamedPipe } from "../_named-pipe.ts";
import { OutputClosed } from "./output-closed.ts";
import { BatchError } from "../batch-error.ts";

/** Where rows go. */
export interface RowOutput {
  /** Resolves when the bytes may be overwritten. Rejects with `OutputClosed` if there is no reader any more. */
  write(rows: Buffer): Promise<void>;
  /** Makes the output complete. */
  finish(): Promise<void>;
  /** Leaves nothing behind, as far as that is possible. */
  discard(): Promise<void>;
}

/** Maximum links that are followed, as in the kernel. */
const MAX_LINKS = 40;

/** If the path is a link, its target is written: a file is replaced, a named pipe or a device written to directly. */
export async function openOutput(output: Writable | { readonly path: string }, stop: AbortSignal): Promise<RowOutput> {
  if (!("path" in output) || "write" in output) return new StreamOutput(output as Writable, false);
  const requested = output.path;
  const failed = (cause: unknown): never => {
    if (stop.aborted) throw stop.reason;
    throw new BatchError(
      "output-unusable",
      `cannot be written (${(cause as NodeJS.ErrnoException).code}); choose another path`,
      { file: requested, cause },
    );
  };
  if (requested === "") failed({ code: "ENOENT" }); // not the current folder
  const path = await followLinks(requested).catch(failed);
  const descriptor = descriptorOf(path);
  if (descriptor !== null) {
    try {
      return new StreamOutput(descriptorStream(descriptor), false);
    } catch (cause) {
      failed(cause);
    }
  }
  const found = await stat(path).catch(() => null);
  if (found?.isDirectory())
    throw new BatchError("output-unusable", "this is a folder; name a file in it", { file: requested });
  const plain = found?.isFIFO()
    ? new StreamOutput(await openNamedPipe(path, "write", stop).catch(failed), true)
    : await FileOutput.open(path, found).catch(failed);
  return /\.(gz|zst)$/i.test(path)
    ? new CompressedOutput(plain, /\.gz$/i.test(path) ? createGzip() : createZstdCompress())
    : plain;
}

/** The target of the links at the end of the path, whether it exists or not; stops at a name of an open descriptor. */
async function followLinks(requested: string): Promise<string> {
  let path = resolve(requested);
  for (let links = 0; links < MAX_LINKS && descriptorOf(path) === null; links++) {
    const folder = await realpath(dirname(path)).catch(() => dirname(path));
    path = join(folder, basename(path));
    if (descriptorOf(path) !== null) break;
    const target = await readlink(path).catch(() => null);
    if (target === null) break;
    path = resolve(folder, target);
  }
  return path;
}

/**
 * Opening such a name again would lose the position in the file, and replacing its target is not what was requested.
 */
function descriptorOf(path: string): number | null {
  if (path === "/dev/stdout") return 1;
  if (path === "/dev/stderr") return 2;
  const [, pid, descriptor] = /^(?:\/dev|\/proc\/(self|\d+))\/fd\/(\d+)$/.exec(path) ?? [];
  if (descriptor === undefined || (pid !== undefined && pid !== "self" && Number(pid) !== process.pid)) return null;
  return Number(descriptor);
}

function descriptorStream(fd: number): Writable {
  if (fd === 1) return process.stdout;
  if (fd === 2) return process.stderr;
  const found = fstatSync(fd);
  return found.isFIFO() || found.isSocket()
    ? new Socket({ fd, readable: false, writable: true })
    : createWriteStream("", { fd, autoClose: false });
}

/** A stream, which is ended only if it is owned. */
class StreamOutput implements RowOutput {
  readonly #stream: Writable;
  readonly #onError = (error: NodeJS.ErrnoException): void => {
    this.#error = error;
  };
  readonly #isOwned: boolean;
  #error: NodeJS.ErrnoException | undefined;

  constructor(stream: Writable, isOwned: boolean) {
    this.#stream = stream;
    this.#isOwned = isOwned;
    // Node has put listeners of its own on stdout for every worker: one more is no reason to warn.
    const most = stream.getMaxListeners();
    stream.setMaxListeners(0);
    stream.on("error", this.#onError);
    stream.setMaxListeners(most);
  }

  async write(rows: Buffer): Promise<void> {
    // The buffer is reused, and only stdout is known not to keep what it has been given.
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
    if (this.#isOwned) {
      await new Promise<void>((resolve, reject) => {
        this.#stream.once("close", () => (this.#error === undefined ? resolve() : reject(streamFailure(this.#error))));
        this.#stream.end(() => this.#stream.destroy());
      });
    }
    this.#stream.off("error", this.#onError);
  }

  /** The listener stays: a broken pipe may be reported late. */
  async discard(): Promise<void> {
    if (this.#isOwned) this.#stream.destroy();
  }
}

function streamFailure(cause: NodeJS.ErrnoException): Error {
  if (cause.code === "EPIPE" || cause.code === "ERR_STREAM_DESTROYED" || cause.code === "ERR_STREAM_WRITE_AFTER_END")
    return new OutputClosed();
  return new BatchError("output-failed", `the results cannot be written (${cause.code ?? cause.message})`, { cause });
}

/** Compresses the rows for another output. */
class CompressedOutput implements RowOutput {
  readonly #plain: RowOutput;
  readonly #compressor: ReturnType<typeof createGzip> | ReturnType<typeof createZstdCompress>;
  readonly #compressed: Promise<void>;

  constructor(plain: RowOutput, compressor: ReturnType<typeof createGzip> | ReturnType<typeof createZstdCompress>) {
    this.#plain = plain;
    this.#compressor = compressor;
    this.#compressed = this.#writeCompressed();
    this.#compressed.catch(() => {}); // awaited in write and finish
  }

  async write(rows: Buffer): Promise<void> {
    // When the callback is called, all of the bytes have gone through; if the output does not accept them, it is never
    // called.
    const taken = new Promise<void>((done) => this.#compressor.write(rows, () => done()));
    await Promise.race([taken, this.#compressed.then(() => taken)]);
  }

  async #writeCompressed(): Promise<void> {
    for await (const chunk of this.#compressor) await this.#plain.write(chunk as Buffer);
  }

  async finish(): Promise<void> {
    this.#compressor.end();
    await this.#compressed;
    await this.#plain.finish();
  }

  async discard(): Promise<void> {
    if (!this.#compressor.destroyed) {
      this.#compressor.destroy();
      await once(this.#compressor, "close").catch(() => {});
    }
    await this.#plain.discard();
    await this.#compressed.catch(() => {});
  }
}

/**
 * A file that is either complete or does not exist: rows are written to PATH.partial, which is made durable and then
 * renamed to PATH, with the permissions of the previous file. A PATH.partial left by a run that was killed is replaced.
 * A device is written to directly.
 */
class FileOutput implements RowOutput {
  readonly #path: string;
  /** The written file: PATH.partial, or PATH itself if it is not a regular file. */
  readonly #partial: string;
  readonly #file: FileHandle;

  private constructor(path: string, partial: string, file: FileHandle) {
    this.#path = path;
    this.#partial = partial;
    this.#file = file;
  }

  /** `found` is the current file at the path. Throws the errors of the file system. */
  static async open(path: string, found: Stats | null): Promise<FileOutput> {
    if (found !== null && !found.isFile()) return new FileOutput(path, path, await open(path, "w"));
    const partial = `${path}.partial`;
    await unlink(partial).catch((cause: NodeJS.ErrnoException) =>
      cause.code === "ENOENT" ? undefined : Promise.reject(cause),
    );
    const mode = found === null ? 0o666 : found.mode & 0o777;
    // "wx": two runs that start at the same moment do not write to the same file.
    const file = await open(partial, "wx", mode);
    const output = new FileOutput(path, partial, file);
    // Restores what the umask removed; it never makes a mode wider than it was.
    if (found !== null) await file.chmod(mode).catch((cause) => output.discard().then(() => Promise.reject(cause)));
    return output;
  }

  async write(rows: Buffer): Promise<void> {
    try {
      for (let done = 0; done < rows.length;) done += (await this.#file.write(rows, done)).bytesWritten;
    } catch (cause) {
      if ((cause as NodeJS.ErrnoException).code === "EPIPE") throw new OutputClosed();
      throw this.#failed(cause);
    }
  }

  async finish(): Promise<void> {
    if (this.#partial === this.#path) return this.#file.close();
    try {
      await this.#file.sync();
      // Another run may have put its own file there in the meantime, which must not be published half written.
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
    const ours = await this.#file.stat().catch(() => null);
    await this.#file.close().catch(() => {});
    if (this.#partial === this.#path) return;
    const there = await stat(this.#partial).catch(() => null);
    if (there !== null && there.ino === ours?.ino) await unlink(this.#partial).catch(() => {});
  }

  #failed(cause: unknown): BatchError {
    const { code, message } = cause as NodeJS.ErrnoException;
    const cure = code === "ENOSPC" ? "make room or choose another path" : "no partial output was left";
    return new BatchError("output-failed", `cannot be written (${code ?? message}); ${cure}`, {
      file: this.#path,
      cause,
    });
  }
}
