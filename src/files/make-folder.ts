import { mkdirSync, statSync } from "node:fs";
import { dirname } from "node:path";

/**
 * Creates a folder and its parents if they do not exist, with this mode. Returns whether it was created. Throws the system's error. Node's own `recursive`
 * never returns where the parent exists and the system says that it does not, as in /proc.
 */
export function makeFolder(path: string, mode: number): boolean {
  try {
    mkdirSync(path, { mode });
    return true;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (isFolder(path)) return false;
    const parent = dirname(path);
    if (code !== "ENOENT" || parent === path || isFolder(parent)) throw error;
    makeFolder(parent, mode);
    return makeFolder(path, mode);
  }
}

function isFolder(path: string): boolean {
  try {
    return statSync(path).isDirectory();
  } catch {
    return false;
  }
}
