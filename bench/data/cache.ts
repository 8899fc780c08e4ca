import { mkdirSync, renameSync } from "node:fs";
import { fileURLToPath } from "node:url";

/**
 * Where generated inputs are kept between runs; git ignores it, and deleting it costs only the time to make them again.
 */
export const CACHE_FOLDER = fileURLToPath(new URL("../.cache/", import.meta.url));

export function cachePath(fileName: string): string {
  mkdirSync(CACHE_FOLDER, { recursive: true });
  return `${CACHE_FOLDER}${fileName}`;
}

/**
 * Runs `write` on a temporary name and moves the result into place, so that a run that was cut off leaves no half
 * input.
 */
export async function writeWhole(path: string, write: (temporary: string) => Promise<void> | void): Promise<void> {
  const temporary = `${path}.${process.pid}.partial`;
  await write(temporary);
  renameSync(temporary, path);
}
