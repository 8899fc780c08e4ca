import { lstatSync, mkdirSync, type Stats } from "node:fs";
import { enableCompileCache, getCompileCacheDir } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";

const user = process.getuid?.();

/**
 * Turns on Node's compile cache, unless the environment has turned it on or off, in a folder to which only this user can
 * write: compiled code is run as it is found. In Node's own default folder, which has one name for all users of a
 * machine, another user could put code of theirs; and only the user who was first can write to it.
 */
export function cacheCompiledCode(): void {
  const { NODE_DISABLE_COMPILE_CACHE = "" } = process.env;
  if (NODE_DISABLE_COMPILE_CACHE !== "" || getCompileCacheDir() !== undefined) return;
  const folder = join(tmpdir(), `ipsieve-compiled-${user ?? "code"}`);
  try {
    const stats = lstatSync(folder, { throwIfNoEntry: false });
    if (stats === undefined) mkdirSync(folder, { mode: 0o700 });
    if (stats === undefined || isPrivate(stats)) enableCompileCache(folder);
  } catch {
    // Without a folder, this start compiles what it runs.
  }
}

/** Windows has neither these users nor these bits; the temporary folder there belongs to its user. */
function isPrivate(stats: Stats): boolean {
  return stats.isDirectory() && (user === undefined || (stats.uid === user && (stats.mode & 0o022) === 0));
}
