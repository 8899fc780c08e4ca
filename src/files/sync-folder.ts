import { type FileHandle, open } from "node:fs/promises";

/**
 * Makes the names in a folder durable: a file that was renamed into it survives a power failure. It is the last step of
 * every publishing, after the bytes of the file were synchronized and it got its name.
 */
export async function syncFolder(
  path: string,
  openFile: (path: string, flags: string) => Promise<FileHandle> = open,
): Promise<void> {
  // Windows cannot open a folder, and its renames are durable without this.
  if (process.platform === "win32") return;
  const folder = await openFile(path, "r");
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}
