import { randomBytes } from "node:crypto";
import { type FileHandle, lstat, open, readdir, rename, stat, unlink } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { syncFolder } from "./sync-folder.ts";

/** The file operations of a publish, so that a test can record them; `FileHandle` is used for write, sync and close. */
export interface FileOperations {
  open(path: string, flags: string): Promise<FileHandle>;
  rename(from: string, to: string): Promise<void>;
  unlink(path: string): Promise<void>;
  readdir(path: string): Promise<string[]>;
  stat(path: string): Promise<{ mtimeMs: number }>;
}

/** The operations of the file system. */
export const NODE_FILES: FileOperations = { open, rename, unlink, readdir, stat };

/** A temporary file that no one wrote to for this long belongs to a writer that is gone. */
const STALE_AFTER_MS = 10 * 60_000;

/**
 * Replaces the file at `path` as a whole: a process that opens it finds all of the old one or all of the new one, also
 * after a crash of the process or the machine at any moment. When this resolves, the new one survives a power failure.
 *
 *     write .name.PID.random.tmp beside it ─▶ fsync it ─▶ rename it over `path` ─▶ fsync the folder
 *
 * The first fsync keeps the new name from ever pointing at bytes that are not on the disk; the second makes the rename
 * last. On an error the temporary file is removed, the old file stays, and the error is thrown. A symbolic link at
 * `path` is replaced, not followed; a device, pipe or socket is rejected, because a rename would replace that as well.
 *
 * A writer that is killed leaves its temporary file. The next publish to the same path removes those that have not been
 * written to for ten minutes. Should one still be alive (asleep all that time), its rename fails and it reports that; a
 * process id would be a worse witness, for writers on other machines or in other containers may share the folder.
 */
export async function publishFile(
  path: string,
  chunks: Iterable<Uint8Array> | AsyncIterable<Uint8Array>,
  files: FileOperations = NODE_FILES,
): Promise<void> {
  const found = await lstat(path).catch(() => undefined);
  if (found !== undefined && !found.isFile() && !found.isDirectory() && !found.isSymbolicLink())
    throw new Error("a device, pipe or socket has that name; name a file");
  await removeStaleTemporaries(path, files);
  const temporary = join(dirname(path), `.${basename(path)}.${process.pid}.${randomBytes(6).toString("hex")}.tmp`);
  const file = await files.open(temporary, "wx");
  try {
    // The new file has the permissions of the old one.
    if (found?.isFile()) await file.chmod(found.mode & 0o7777);
    await writeAndSync(file, chunks);
    await files.rename(temporary, path);
  } catch (error) {
    await files.unlink(temporary).catch(() => {});
    throw error;
  }
  await syncFolder(dirname(path), files.open);
}

async function writeAndSync(file: FileHandle, chunks: Iterable<Uint8Array> | AsyncIterable<Uint8Array>): Promise<void> {
  try {
    for await (const chunk of chunks) {
      for (let done = 0; done < chunk.length;) done += (await file.write(chunk, done)).bytesWritten;
    }
    await file.sync();
  } finally {
    await file.close();
  }
}

/** Best effort: a temporary file that cannot be removed does not prevent publishing. */
async function removeStaleTemporaries(path: string, files: FileOperations): Promise<void> {
  const prefix = `.${basename(path)}.`;
  const names = await files.readdir(dirname(path)).catch(() => []);
  for (const name of names) {
    if (!name.startsWith(prefix) || !/^\d+\.[0-9a-f]{12}\.tmp$/.test(name.slice(prefix.length))) continue;
    const temporary = join(dirname(path), name);
    const age = await files.stat(temporary).then(
      ({ mtimeMs }) => Date.now() - mtimeMs,
      () => 0,
    );
    if (age > STALE_AFTER_MS) await files.unlink(temporary).catch(() => {});
  }
}
