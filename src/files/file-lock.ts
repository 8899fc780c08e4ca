import { randomBytes } from "node:crypto";
import { readFileSync } from "node:fs";
import { link, readdir, readFile, rename, stat, unlink, writeFile } from "node:fs/promises";
import { hostname } from "node:os";
import { basename, dirname, join } from "node:path";

/** The process that holds a lock. */
interface Holder {
  readonly token: string;
  readonly pid: number;
  readonly host: string;
  /** When the process started, in the system's own unit; null if unknown. */
  readonly processStart: string | null;
}

/** The error of a lock that cannot be taken; `path` is that of the lock. */
export class LockError extends Error {
  override readonly name = "LockError";
  readonly path: string;
  /** The process that holds the lock; null if the file is not a lock. */
  readonly holder: { readonly pid: number; readonly host: string; readonly isHere: boolean } | null;

  constructor(path: string, holder: LockError["holder"]) {
    super(
      holder === null
        ? `${path} is not a lock file; remove it`
        : `${path} is held by process ${holder.pid} on ${holder.host}`,
    );
    this.path = path;
    this.holder = holder;
  }
}

/** Taking a lock never takes this long. */
const STALE_AFTER_MS = 10 * 60_000;

/** The locks that this process holds. */
const held = new Set<string>();

/**
 * Takes the lock at `path` and returns a function that releases it. A lock whose process is dead is taken over:
 *
 *     write own.tmp ─▶ link it to `path`: mine, whole from the first moment
 *           exists, and its holder is dead ─▶ take the lock `path`.TOKEN in the same way, so that of all who saw that
 *           holder dead one replaces its lock ─▶ is the holder still that one? rename own.tmp over `path`
 *
 * @throws LockError if another process holds it, and the file system's errors
 */
export async function takeLock(path: string): Promise<() => Promise<void>> {
  const own: Holder = {
    token: randomBytes(8).toString("hex"),
    pid: process.pid,
    host: hostname(),
    processStart: startOf(process.pid),
  };
  const temporary = `${path}.${own.token}.tmp`;
  held.add(own.token);
  try {
    await writeFile(temporary, JSON.stringify(own), { flag: "wx", mode: 0o600 });
    await putInPlace(path, temporary);
    await removeLeftovers(path);
  } catch (error) {
    held.delete(own.token);
    throw error;
  } finally {
    await unlink(temporary).catch(() => {});
  }
  return async () => {
    // If the lock was removed by hand, it may be another process's by now.
    if ((await holderOf(path).catch(() => undefined))?.token === own.token) await unlink(path);
    held.delete(own.token);
  };
}

/** Gives `temporary` the name of the lock, or throws. */
async function putInPlace(path: string, temporary: string): Promise<void> {
  while (!(await isLinked(temporary, path))) {
    const holder = await holderOf(path);
    if (holder === undefined) continue;
    if (isAlive(holder))
      throw new LockError(path, { pid: holder.pid, host: holder.host, isHere: holder.host === hostname() });
    if (await replaceDead(path, holder, temporary)) return;
  }
}

/** Files left by processes that were killed while they took the lock. */
async function removeLeftovers(path: string): Promise<void> {
  for (const name of await readdir(dirname(path))) {
    if (!name.startsWith(`${basename(path)}.`)) continue;
    const leftover = join(dirname(path), name);
    const age = await stat(leftover).then(
      ({ mtimeMs }) => Date.now() - mtimeMs,
      () => 0,
    );
    if (age > STALE_AFTER_MS) await unlink(leftover).catch(() => {});
  }
}

async function isLinked(temporary: string, path: string): Promise<boolean> {
  try {
    await link(temporary, path);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EEXIST") return false;
    throw error;
  }
}

async function replaceDead(path: string, dead: Holder, temporary: string): Promise<boolean> {
  const release = await takeLock(`${path}.${dead.token}`);
  try {
    if ((await holderOf(path))?.token !== dead.token) return false;
    await rename(temporary, path);
    return true;
  } finally {
    await release();
  }
}

/** undefined if it was released in the meantime. */
async function holderOf(path: string): Promise<Holder | undefined> {
  let text: string;
  try {
    text = await readFile(path, "utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
  try {
    const holder = JSON.parse(text) as Holder;
    if (/^[0-9a-f]{16}$/.test(holder.token) && Number.isInteger(holder.pid)) return holder;
  } catch {
    // The file was not written by `takeLock`.
  }
  throw new LockError(path, null);
}

/** Nothing is known about a process on another machine. A process id that was reused has another start time. */
function isAlive({ token, pid, host, processStart }: Holder): boolean {
  if (host !== hostname()) return true;
  if (pid === process.pid) return held.has(token);
  try {
    process.kill(pid, 0);
  } catch (error) {
    // EPERM: another user's process, and alive.
    return (error as NodeJS.ErrnoException).code !== "ESRCH";
  }
  return processStart === null || processStart === startOf(pid);
}

/** Field 22 of Linux's `stat`; the second one, the name, may contain spaces and parentheses. */
function startOf(pid: number): string | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    return stat.slice(stat.lastIndexOf(")") + 2).split(" ")[19] ?? null;
  } catch {
    return null;
  }
}
