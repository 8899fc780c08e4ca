import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { open, readFile, stat, truncate } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { publishFile } from "../files/publish-file.ts";
import { readSnapshotHead } from "../snapshot/read-head.ts";
import { removeIfThere, unwritable, writing } from "./list-store.ts";

/** What the headers of a server say about the file that it sent or is sending. */
export interface SentFile {
  readonly url: string;
  /** A strong entity tag, which identifies exactly these bytes. */
  readonly etag: string | null;
  readonly lastModified: string | null;
  /** Bytes of the whole file; null if unknown. */
  readonly length: number | null;
  /** Its SHA-256 in base64; null if unknown. */
  readonly digest: string | null;
}

interface State extends SentFile {
  /** Its checksum once the snapshot has been published; null while the file is still being transferred. */
  readonly generation: string | null;
}

/**
 * The files beside a pulled snapshot, hidden: the part of it that has arrived, and the headers that the server sent
 * about it.
 *
 * .NAME.part bytes from the first on; the next pull requests the missing ones
 *     .NAME.pull.json    `State`: of the part, or of NAME once that is published
 */
export class PartialPull {
  readonly path: string;
  readonly partPath: string;
  readonly lockPath: string;
  readonly #statePath: string;

  constructor(path: string) {
    const hidden = join(dirname(path), `.${basename(path)}`);
    this.path = path;
    this.partPath = `${hidden}.part`;
    this.lockPath = `${hidden}.lock`;
    this.#statePath = `${hidden}.pull.json`;
  }

  /** What the server said about the file at `path`, if that is the file last pulled from this URL. */
  async published(url: string): Promise<SentFile | undefined> {
    const state = await this.#state(url);
    if (state === undefined || state.generation === null) return undefined;
    const head = await readSnapshotHead(this.path).catch(() => undefined);
    return head?.generation === state.generation ? state : undefined;
  }

  /**
   * How many bytes of an interrupted transfer can be kept. At least one byte is still missing, so there is something to
   * request.
   */
  async resumable(url: string): Promise<(SentFile & { readonly bytes: number }) | undefined> {
    const state = await this.#state(url);
    if (state === undefined || state.generation !== null || state.etag === null || state.length === null)
      return undefined;
    const size = await stat(this.partPath).then(
      (found) => (found.isFile() ? found.size : 0),
      () => 0,
    );
    const bytes = Math.min(size, state.length - 1);
    return bytes > 0 ? { ...state, bytes } : undefined;
  }

  /** Starts a new, empty part. @throws UpdateError "unwritable" */
  async begin(file: SentFile): Promise<void> {
    await removeIfThere(this.partPath);
    await this.#write({ ...file, generation: null });
  }

  /** Appends what a server sends to the part, after its first `start` bytes. @throws UpdateError "unwritable" */
  async append(start: number, body: AsyncIterable<Uint8Array>, onChunk: (bytes: number) => void): Promise<void> {
    if (start > 0) await writing(this.partPath, () => truncate(this.partPath, start));
    const file = await open(this.partPath, "a", 0o600).catch((error: unknown) => {
      throw unwritable(this.partPath, error);
    });
    try {
      for await (const chunk of body) {
        await writing(this.partPath, () => file.appendFile(chunk));
        onChunk(chunk.length);
      }
    } finally {
      await file.close();
    }
  }

  /** The SHA-256 of the part, in base64. */
  async digest(): Promise<string> {
    const hash = createHash("sha256");
    for await (const chunk of createReadStream(this.partPath) as AsyncIterable<Buffer>) hash.update(chunk);
    return hash.digest("base64");
  }

  /** Replaces the file with the part, atomically. @throws UpdateError "unwritable" */
  async publish(file: SentFile, generation: string): Promise<void> {
    await writing(this.path, () => publishFile(this.path, createReadStream(this.partPath)));
    await this.#write({ ...file, generation });
    await removeIfThere(this.partPath);
  }

  /** Removes the part, which cannot be continued. */
  async discard(): Promise<void> {
    await removeIfThere(this.partPath);
    await removeIfThere(this.#statePath);
  }

  /** The state for this URL. If it cannot be read, the whole file is requested. */
  async #state(url: string): Promise<State | undefined> {
    try {
      const state = JSON.parse(await readFile(this.#statePath, "utf8")) as State;
      return state.url === url && isState(state) ? state : undefined;
    } catch {
      return undefined;
    }
  }

  async #write(state: State): Promise<void> {
    await writing(this.#statePath, () => publishFile(this.#statePath, [Buffer.from(JSON.stringify(state))]));
  }
}

function isState({ etag, lastModified, length, digest, generation }: State): boolean {
  const areTexts = [etag, lastModified, digest, generation].every((text) => text === null || typeof text === "string");
  return areTexts && (length === null || Number.isSafeInteger(length));
}
