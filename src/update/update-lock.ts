import { randomBytes } from "node:crypto";
import { readFileSync } from "node:fs";
import { link, readdir, readFile, rename, stat, unlink, writeFile } from "node:fs/promises";
import { hostname } from "node:os";
import { basename, dirname, join } from "node:path";
import { writing } from "./list-store.ts";
import { UpdateError } from "./update-error.ts";

/** Who holds a lock. */
interface Holder {
  readonly token: string;
  readonly pid: number;
  readonly host: string;
  /** When the process started, in the system's own count; null where that is unknown. */
  readonly processStart: string | null;
}

/** No one takes so long to take a lock. */
const STALE_AFTER_MS = 10 * 60_000;

/** The locks that this process holds. */
const held = new Set<string>();

/**
 * Takes the lock at `path` and returns what gives it back. A lock whose process is dead is taken over:
 *
 *     write own.tmp ─▶ link it to `path`: mine, whole from the first moment
 *           exists, and its holder is dead ─▶ take the lock `path`.TOKEN in the same way, so that of all who saw that
 *           holder dead one replaces its lock ─▶ is the holder still that one? rename own.tmp over `path`
 *
 * @throws UpdateError "locked"
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
    await writing(path, () => writeFile(temporary, JSON.stringify(own), { flag: "wx", mode: 0o600 }));
    await putInPlace(path, temporary);
    await removeLeftovers(path);
  } catch (error) {
    held.delete(own.token);
    throw error;
  } finally {
    await unlink(temporary).catch(() => {});
  }
  return async () => {
    // Removed by hand, it may be another's by now.
    if ((await holderOf(path).catch(() => undefined))?.token === own.token) await unlink(path);
    held.delete(own.token);
  };
}

/** Gives `temporary` the name of the lock, or throws. */
async function putInPlace(path: string, temporary: string): Promise<void> {
  while (!(await isLinked(temporary, path))) {
    const holder = await holderOf(path);
    if (holder === undefined) continue;
    if (isAlive(holder)) throw inUse(path, holder);
    if (await replaceDead(path, holder, temporary)) return;
  }
}

/** What processes left that were killed while they took the lock. */
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

/** undefined if it was given back in the meantime. */
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
    // Not written by an update.
  }
  throw new UpdateError(
    "locked",
    `${path} is not a lock file of ipsieve cbs update; remove it if no update is running`,
  );
}

/** Of a process on another machine no one knows. A process id that was given again has another start. */
function isAlive({ token, pid, host, processStart }: Holder): boolean {
  if (host !== hostname()) return true;
  if (pid === process.pid) return held.has(token);
  try {
    process.kill(pid, 0);
  } catch (error) {
    // EPERM: someone else's, and alive.
    return (error as NodeJS.ErrnoException).code !== "ESRCH";
  }
  return processStart === null || processStart === startOf(pid);
}

/** Field 22 of Linux's `stat`; the second one, the name, may hold blanks and parentheses. */
function startOf(pid: number): string | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    return stat.slice(stat.lastIndexOf(")") + 2).split(" ")[19] ?? null;
  } catch {
    return null;
  }
}

function inUse(path: string, { pid, host }: Holder): UpdateError {
  const cure =
    host === hostname() ? "wait until it is done" : `wait until it is done, or remove ${path} if that machine is gone`;
  return new UpdateError("locked", `another update is running: process ${pid} on ${host}; ${cure}`);
}
