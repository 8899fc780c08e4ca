import { type FileHandle, open } from "node:fs/promises";

/**
 * Makes the names in a folder durable: a file that was renamed into it is there after a power cut. The last step of
 * every publish, after the file's own bytes were synchronized and it got its name.
 */
export async function syncFolder(
  path: string,
  openFile: (path: string, flags: string) => Promise<FileHandle> = open,
): Promise<void> {
  // Windows cannot open a folder, and its renames need no such help.
  if (process.platform === "win32") return;
  const folder = await openFile(path, "r");
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}
