import { createHash } from "node:crypto";
import { chmod, open, readdir, rename, stat, unlink } from "node:fs/promises";
import { join, resolve } from "node:path";
import { makeFolder } from "../../files/make-folder.ts";
import type { StoreLocation } from "../../store/open-store.ts";

/** The mode of the folder, and of its files: they hold the data of users. */
const PRIVATE_FOLDER = 0o700;
const PRIVATE_FILE = 0o600;
/** The suffix that turns the SQLite file's name into the folder's name. */
const FOLDER_ENDING = "-rulesets";
const ENDING = ".ipsieve";
const FILE_NAME = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\.ipsieve$/;
const TEMPORARY_NAME = /^\.[0-9a-f-]{36}\.ipsieve\.\d+\.[0-9a-f]{12}\.tmp$/;
/** A temporary file that has not been written to for this long belongs to a writer that is gone. */
const STALE_AFTER = 10 * 60_000;

/** How files of the folder are written: for their owner alone, whatever the umask, from their first byte on. */
export const PRIVATE_FILES = {
  open: (path: string, flags: string) => open(path, flags, PRIVATE_FILE),
  rename,
  unlink,
  readdir,
  stat,
};

/**
 * The folder that a setting names. By default the one beside a SQLite file; for PostgreSQL one for each database in
 * `home`, the folder of the server's own files; none without such a folder.
 */
export function snapshotFolderOf(
  setting: string,
  location: StoreLocation,
  home: string | undefined,
): SnapshotFolder | undefined {
  if (setting === "off") return undefined;
  if (setting !== "") return new SnapshotFolder(resolve(setting));
  if ("file" in location) return new SnapshotFolder(resolve(location.file + FOLDER_ENDING));
  return home === undefined ? undefined : new SnapshotFolder(join(resolve(home), nameOf(location.url)));
}

/** The folder's name for a database of PostgreSQL: the same whatever the password, and without anything of the URL. */
function nameOf(url: string): string {
  const named = new URL(url);
  named.password = "";
  return `postgres-${createHash("sha256").update(named.href).digest("hex").slice(0, 16)}${FOLDER_ENDING}`;
}

/** The folder of the snapshots of a database's rulesets, a file for each: `RULESET_ID.ipsieve`. */
export class SnapshotFolder {
  readonly path: string;

  constructor(path: string) {
    this.path = path;
  }

  pathOf(rulesetId: string): string {
    return join(this.path, rulesetId + ENDING);
  }

  /** Creates the folder, unless it exists, accessible to its owner alone. Rejects with the system's error. */
  async make(): Promise<void> {
    if (makeFolder(this.path, PRIVATE_FOLDER)) await chmod(this.path, PRIVATE_FOLDER);
  }

  /** The ids of the rulesets that have a file, the largest file first; none where there is no folder. */
  async rulesetIds(): Promise<string[]> {
    const names = (await this.#names()).filter((name) => FILE_NAME.test(name));
    const sizes = await Promise.all(names.map((name) => this.#statusOf(name).then((status) => status?.size ?? 0)));
    return names
      .map((name, index) => ({ id: name.slice(0, -ENDING.length), size: sizes[index]! }))
      .sort((one, other) => other.size - one.size)
      .map(({ id }) => id);
  }

  /**
   * Removes the files of rulesets that are not known, and what writers that were killed have left. Best effort: what
   * cannot be removed is ignored.
   */
  async sweep(isKnown: (rulesetId: string) => boolean): Promise<void> {
    for (const name of await this.#names()) {
      const isForgotten = FILE_NAME.test(name) && !isKnown(name.slice(0, -ENDING.length));
      if (isForgotten || (TEMPORARY_NAME.test(name) && (await this.#isStale(name))))
        await unlink(join(this.path, name)).catch(() => {});
    }
  }

  async #isStale(name: string): Promise<boolean> {
    const status = await this.#statusOf(name);
    return status !== undefined && Date.now() - status.mtimeMs > STALE_AFTER;
  }

  #statusOf(name: string): Promise<{ readonly size: number; readonly mtimeMs: number } | undefined> {
    return stat(join(this.path, name)).catch(() => undefined);
  }

  #names(): Promise<string[]> {
    return readdir(this.path).catch(() => []);
  }
}
