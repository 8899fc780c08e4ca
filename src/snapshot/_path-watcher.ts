import { type FSWatcher, watch } from "node:fs";
import { dirname } from "node:path";

/**
 * Calls `look` soon after something happened in the folder of one of the paths, and at least once every `interval`
 * milliseconds: network file systems report nothing, and a folder that was deleted and recreated is a different one.
 * One call at a time; a file system that hangs delays only this watcher. Does not keep the process alive.
 */
export class PathWatcher {
  readonly #poll: () => Promise<void>;
  readonly #interval: number;
  readonly #folders = new Map<string, FSWatcher | null>();
  #timer: NodeJS.Timeout | undefined;
  #isLooking = false;
  /** Something happened while `look` was running. */
  #happened = false;
  #isClosed = false;

  constructor(paths: readonly string[], interval: number, look: () => Promise<void>) {
    this.#poll = look;
    this.#interval = interval;
    for (const path of paths) this.#folders.set(dirname(path), null);
    this.#watchFolders();
    this.#wait();
  }

  close(): void {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    for (const [folder, watcher] of this.#folders) {
      watcher?.close();
      this.#folders.set(folder, null);
    }
  }

  /** A folder that cannot be watched (it does not exist, or the system has no watches left) is only polled. */
  #watchFolders(): void {
    for (const [folder, watcher] of this.#folders) {
      if (watcher !== null) continue;
      try {
        this.#folders.set(folder, this.#watchFolder(folder));
      } catch {
        // It is tried again before the next `look`.
      }
    }
  }

  #watchFolder(folder: string): FSWatcher {
    const watcher = watch(folder, { persistent: false }, () => void this.#lookNow());
    watcher.on("error", () => {
      watcher.close();
      this.#folders.set(folder, null);
    });
    return watcher;
  }

  #wait(): void {
    if (this.#isClosed) return;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => void this.#lookNow(), this.#interval).unref();
  }

  /**
   * No event is lost: one that happens while `look` runs sets `#happened` and leads to another iteration, and nothing
   * is awaited between the last test of `#happened` and the end of `#isLooking`.
   */
  async #lookNow(): Promise<void> {
    if (this.#isClosed) return;
    this.#happened = true;
    if (this.#isLooking) return;
    this.#isLooking = true;
    clearTimeout(this.#timer);
    try {
      while (this.#happened && !this.#isClosed) {
        this.#happened = false;
        await this.#poll();
      }
    } finally {
      this.#isLooking = false;
      this.#watchFolders();
      this.#wait();
    }
  }
}
