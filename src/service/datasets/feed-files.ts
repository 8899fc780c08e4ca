import { randomBytes } from "node:crypto";
import { readdirSync, rmSync, statSync } from "node:fs";
import { hostname } from "node:os";
import { basename, dirname, join } from "node:path";

const PREFIX = ".feed.";
/** An upload that stalls is given up long before this. */
const STALE_AFTER_MS = 3_600_000;
const NAME = /^\.feed\.([0-9a-z-]*)\.(\d+)\.[0-9a-f]{12}\.tmp$/;

/**
 * The files of feeds that are being uploaded, in the folder of the dataset. Their names contain the id of their
 * process. So a server that starts can remove the files left by one that crashed, and leave those of a running one
 * alone.
 *
 *     .feed.HOST.PID.random.tmp
 */
export class FeedFiles {
  readonly #folder: string;
  readonly #output: string;
  readonly #host = hostname()
    .toLowerCase()
    .replaceAll(/[^0-9a-z-]/g, "-");

  constructor(output: string) {
    this.#folder = dirname(output);
    this.#output = basename(output);
  }

  /** The path for another file. */
  next(): string {
    return join(this.#folder, `${PREFIX}${this.#host}.${process.pid}.${randomBytes(6).toString("hex")}.tmp`);
  }

  remove(path: string): void {
    try {
      rmSync(path, { force: true });
    } catch {
      // The next sweep may succeed.
    }
  }

  /** Removes the drafts that the process with this id was writing beside the dataset when it ended. */
  removeDrafts(pid: number | undefined): void {
    const prefix = `.${this.#output}.${pid}.`;
    this.#removeWhere((name) => name.startsWith(prefix) && name.endsWith(".tmp"));
  }

  /** Removes the files of this process. */
  removeOwn(): void {
    this.#removeWhere((name) => name.startsWith(`${PREFIX}${this.#host}.${process.pid}.`));
  }

  /** Removes the files of processes that are gone: no process of this machine has their id, or they are too old. */
  sweep(): void {
    this.#removeWhere((name) => {
      const [, host, pid] = NAME.exec(name) ?? [];
      if (pid === undefined) return false;
      return host === this.#host ? !isOther(Number(pid)) : this.#isStale(name);
    });
  }

  #isStale(name: string): boolean {
    const found = statSync(join(this.#folder, name), { throwIfNoEntry: false });
    return found !== undefined && Date.now() - found.mtimeMs > STALE_AFTER_MS;
  }

  #removeWhere(isUnwanted: (name: string) => boolean): void {
    for (const name of this.#names()) if (isUnwanted(name)) this.remove(join(this.#folder, name));
  }

  #names(): readonly string[] {
    try {
      return readdirSync(this.#folder);
    } catch {
      return [];
    }
  }
}

/**
 * Whether another process with this id is running. In a container every server may have the same id: then it is this
 * process.
 */
function isOther(pid: number): boolean {
  if (pid === process.pid) return false;
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}
