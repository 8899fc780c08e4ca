import { type FileHandle, open, readdir, rename, stat, unlink } from "node:fs/promises";
import { basename } from "node:path";
import type { FileOperations } from "../../../src/files/publish-file.ts";

/** The operations on the file system, in order; files are numbered, and names are within the one folder. */
export type FileOperation =
  | { readonly kind: "create"; readonly name: string; readonly file: number }
  | { readonly kind: "empty"; readonly name: string }
  | { readonly kind: "write"; readonly file: number; readonly offset: number; readonly bytes: Uint8Array }
  | { readonly kind: "sync"; readonly file: number }
  | { readonly kind: "rename"; readonly from: string; readonly to: string }
  | { readonly kind: "unlink"; readonly name: string }
  | { readonly kind: "sync-folder" };

/** The file that has a name before a trace begins. */
export const EXISTING_FILE = 0;

/** Real file operations that also record what they do. */
export function recordFiles(): { files: FileOperations; trace: FileOperation[] } {
  const trace: FileOperation[] = [];
  let opened = EXISTING_FILE;
  const files: FileOperations = {
    readdir,
    stat,
    async open(path, flags) {
      const handle = await open(path, flags);
      if (flags === "r") return recordSync(handle, trace, { kind: "sync-folder" });
      const file = flags === "wx" ? ++opened : EXISTING_FILE;
      trace.push(
        flags === "wx" ? { kind: "create", name: basename(path), file } : { kind: "empty", name: basename(path) },
      );
      return recordSync(recordWrites(handle, trace, file), trace, { kind: "sync", file });
    },
    async rename(from, to) {
      await rename(from, to);
      trace.push({ kind: "rename", from: basename(from), to: basename(to) });
    },
    async unlink(path) {
      await unlink(path);
      trace.push({ kind: "unlink", name: basename(path) });
    },
  };
  return { files, trace };
}

function recordWrites(handle: FileHandle, trace: FileOperation[], file: number): FileHandle {
  const write = handle.write.bind(handle);
  let offset = 0;
  handle.write = (async (chunk: Uint8Array, from = 0) => {
    const result = await write(chunk, from);
    trace.push({
      kind: "write",
      file,
      offset,
      bytes: Uint8Array.prototype.slice.call(chunk, from, from + result.bytesWritten),
    });
    offset += result.bytesWritten;
    return result;
  }) as typeof handle.write;
  return handle;
}

function recordSync(handle: FileHandle, trace: FileOperation[], operation: FileOperation): FileHandle {
  const sync = handle.sync.bind(handle);
  handle.sync = async () => {
    await sync();
    trace.push(operation);
  };
  return handle;
}
