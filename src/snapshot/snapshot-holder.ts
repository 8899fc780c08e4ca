import { EventEmitter } from "node:events";
import { type BigIntStats, stat } from "node:fs";
import { PathWatcher } from "./_path-watcher.ts";
import { openSnapshot } from "./open-snapshot.ts";
import type { Snapshot } from "./snapshot.ts";
import { SnapshotError } from "./snapshot-error.ts";

/** The content loaded from one file. */
export interface Generation<Content> {
  /** How many files have been loaded, this one included. */
  readonly number: number;
  /** The result of `load` for the file. */
  readonly content: Content;
  readonly path: string;
  /** When it was loaded, in milliseconds since 1970 UTC. */
  readonly loadedAt: number;
}

/** A generation in use: "retire" is not emitted for it before `release` is called (more calls do nothing). */
export interface Lease<Content> extends Generation<Content>, Disposable {
  /** Ends this use; further calls do nothing. */
  release(): void;
}

/** The events of a `SnapshotHolder`; none of them needs a listener. */
export interface HolderEvents<Content> {
  /** A file was loaded and is in use from now on. Called with it and the previous generation, if there was one. */
  swap: [current: Generation<Content>, before: Generation<Content> | undefined];
  /** A file cannot be used; the previous generation stays in use. The error is what `load` rejected with. */
  failure: [error: unknown, path: string];
  /** A generation was replaced and has no users left. */
  retire: [generation: Generation<Content>];
}

/** How a `SnapshotHolder` loads its file. */
export interface HolderOptions<Content> {
  /**
   * Opens and checks a file; rejects if the file must not be used. Default: `openSnapshot`, which checks every
   * checksum. To prove the contents as well, call `verifySnapshot` first.
   */
  readonly load: (path: string) => Promise<Content>;
}

/** How a file is watched. */
export interface WatchOptions {
  /** Milliseconds between two checks of the file, where the system reports no changes; 1000 by default. */
  readonly interval?: number;
}

/** Milliseconds between two checks of the file on systems that do not report changes. */
const POLL_MS = 1000;
/** A file that has not changed for this many milliseconds is not being written at the moment. */
const SETTLED_MS = 50;
/** A file can change within this time without its times changing: network file systems count in seconds. */
const YOUNG_MS = 2500;

interface FoundFile {
  readonly path: string;
  /** Identifies a file; changes once the file is written to, unless it is young. */
  readonly identity: string;
  readonly isYoung: boolean;
}

interface Users<Content> {
  readonly generation: Generation<Content>;
  count: number;
}

/**
 * Holds the newest generation of a snapshot file. A new file at the path is loaded while the current generation stays
 * in use; then the two are swapped atomically. A file that cannot be used, or that disappears, changes nothing.
 *
 *     file ──load──▶ generation 2 ◀── acquire
 *                    generation 1 ◀── its users, until they release it ──▶ "retire"
 *
 * It emits "swap", "failure" and "retire" (`HolderEvents`).
 */
export class SnapshotHolder<Content = Snapshot> extends EventEmitter<HolderEvents<Content>> {
  readonly #paths: readonly string[];
  readonly #load: (path: string) => Promise<Content>;
  #current: Users<Content> | undefined;
  #watcher: PathWatcher | undefined;
  #loading: Promise<boolean> | undefined;
  #wantsMore = false;
  /** The identity of the file that was last loaded, or tried. */
  #tried = "";
  /**
   * Whether that file failed while it was young: it may have been read half written, and the rest written within the
   * same tick of its times. It is tried once more when it is no longer young.
   */
  #triesAgain = false;

  /** Of several paths, the first one with a file counts. Nothing is read before `open` or `watch`. */
  constructor(paths: string | readonly string[], options: HolderOptions<Content>) {
    super();
    this.#paths = typeof paths === "string" ? [paths] : paths;
    this.#load = options.load;
  }

  /**
   * The generation in use, for callers that need not report when they are done; undefined before anything is loaded.
   */
  get current(): Generation<Content> | undefined {
    return this.#current?.generation;
  }

  /**
   * The generation in use, which must be released. Acquire it once per response, so that the response comes from one
   * generation. @throws SnapshotError "not-found" before anything is loaded
   */
  acquire(): Lease<Content> {
    const users = this.#current;
    if (users === undefined) throw new SnapshotError("not-found", this.#paths[0]!, "nothing is loaded yet");
    users.count++;
    let isHeld = true;
    const release = (): void => {
      if (isHeld) this.#release(users);
      isHeld = false;
    };
    return { ...users.generation, release, [Symbol.dispose]: release };
  }

  /**
   * Loads the file for the first time. Rejects with the error of `load`. If there is no file, it rejects unless the
   * file may be missing.
   */
  async open({ mayBeMissing = false }: { mayBeMissing?: boolean } = {}): Promise<void> {
    const found = await this.#find();
    if (found === undefined && mayBeMissing) return;
    const path = found?.path ?? this.#paths[0]!;
    const content = await this.#load(path);
    this.#tried = found?.identity ?? "";
    this.#replace(content, path);
  }

  /**
   * Loads every new file from now on, until `close`: as soon as the system reports it, and within `interval`
   * milliseconds (1000) where it reports nothing. Does not keep the process alive.
   */
  watch({ interval = POLL_MS }: WatchOptions = {}): void {
    this.#watcher ??= new PathWatcher(this.#paths, interval, () => this.#poll());
  }

  /** Stops watching. What is loaded stays, and can be acquired. */
  close(): void {
    this.#watcher?.close();
    this.#watcher = undefined;
  }

  /** Closes the holder, at the end of a `using` block. */
  [Symbol.dispose](): void {
    this.close();
  }

  /**
   * Loads the file again, changed or not; resolves to whether the newest file is now in use. Calls made while one is
   * loading lead to one more load. Never rejects: failures are events.
   */
  reload(): Promise<boolean> {
    this.#wantsMore = true;
    return (this.#loading ??= this.#loadNewest());
  }

  /**
   * No call of `reload` is lost: while a load runs, it sets `#wantsMore` and leads to another iteration, and nothing is
   * awaited between the last test of `#wantsMore` and the end of `#loading`.
   */
  async #loadNewest(): Promise<boolean> {
    let isLoaded = false;
    try {
      while (this.#wantsMore) {
        this.#wantsMore = false;
        isLoaded = await this.#tryLoad();
      }
    } finally {
      this.#loading = undefined;
    }
    return isLoaded;
  }

  async #tryLoad(): Promise<boolean> {
    const found = await this.#find();
    if (found === undefined && this.#current === undefined) return false; // it may appear later
    const path = found?.path ?? this.#paths[0]!;
    this.#tried = found?.identity ?? "";
    this.#triesAgain = false;
    let content: Content;
    try {
      content = await this.#load(path);
    } catch (error) {
      this.#triesAgain = found?.isYoung ?? false;
      this.emit("failure", error, path);
      return false;
    }
    this.#replace(content, path);
    return true;
  }

  /**
   * Loads the file if it has changed and is not being written to: two looks, SETTLED_MS apart, must find the same file.
   *
   *     looks    A  .  B  .  C  .  C        loaded at the last: B and C were still changing
   */
  async #poll(): Promise<void> {
    for (let before = await this.#find(); before !== undefined && this.#isNew(before);) {
      await new Promise((resolve) => setTimeout(resolve, SETTLED_MS).unref());
      const after = await this.#find();
      if (after?.identity === before.identity) {
        if (this.#isNew(after)) await this.reload(); // not if another call has loaded it meanwhile
        return;
      }
      before = after;
    }
  }

  #isNew({ identity, isYoung }: FoundFile): boolean {
    return identity !== this.#tried || (this.#triesAgain && !isYoung);
  }

  async #find(): Promise<FoundFile | undefined> {
    for (const path of this.#paths) {
      const file = await statOf(path);
      if (file?.isFile() === true) return foundFile(path, file);
    }
    return undefined;
  }

  /**
   * "retire" is emitted exactly once for each generation that was replaced: here if it has no users, otherwise when the
   * last of them releases it. A lease counts down only once (`isHeld`), and a generation that is no longer current gets
   * no new users: from then on its count reaches 0 only once.
   */
  #replace(content: Content, path: string): void {
    const before = this.#current;
    const generation = { number: (before?.generation.number ?? 0) + 1, content, path, loadedAt: Date.now() };
    this.#current = { generation, count: 0 };
    this.emit("swap", generation, before?.generation);
    if (before?.count === 0) this.emit("retire", before.generation);
  }

  #release(users: Users<Content>): void {
    users.count--;
    if (users.count === 0 && users !== this.#current) this.emit("retire", users.generation);
  }
}

/**
 * Opens the snapshot at `path` and watches it from then on. The file may be replaced by rename at any time, deleted, or
 * be on a network file system; a file that is half written or corrupt causes a "failure" event and is not used. Close
 * the holder at the end. @throws SnapshotError as `openSnapshot`, for the first file
 */
export async function watchSnapshot(path: string, options?: WatchOptions): Promise<SnapshotHolder> {
  return watchAs(path, openSnapshot, options);
}

/** The same for what `load` makes of a file. Rejects as `load` does, for the first file. */
export async function watchAs<Content>(
  path: string,
  load: (path: string) => Promise<Content>,
  options?: WatchOptions,
): Promise<SnapshotHolder<Content>> {
  const holder = new SnapshotHolder<Content>(path, { load });
  await holder.open();
  holder.watch(options);
  return holder;
}

/** Only inspects the file, by a call that delays nothing else if the file system hangs. */
function statOf(path: string): Promise<BigIntStats | undefined> {
  return new Promise((resolve) => {
    stat(path, { bigint: true }, (error, found) => resolve(error === null ? found : undefined));
  });
}

function foundFile(path: string, { dev, ino, size, mtimeNs, mtimeMs }: BigIntStats): FoundFile {
  const identity = JSON.stringify([path, ...[dev, ino, size, mtimeNs].map(String)]);
  return { path, identity, isYoung: Date.now() - Number(mtimeMs) < YOUNG_MS };
}
