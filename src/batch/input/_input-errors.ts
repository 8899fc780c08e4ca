import { BatchError } from "../batch-error.ts";

export function isFolder(file: string, cause?: unknown): BatchError {
  return new BatchError("input-is-a-folder", "this is a folder; name the files in it", { file, cause });
}

export function unreadable(cause: unknown, file: string): unknown {
  const code = (cause as NodeJS.ErrnoException).code;
  if (code === "ENOENT" || code === "ENOTDIR") return new BatchError("input-missing", "no such file", { file, cause });
  if (code === "EISDIR") return isFolder(file, cause);
  if (code === "EACCES" || code === "EPERM")
    return new BatchError("input-unreadable", "reading it is not permitted", { file, cause });
  return typeof code === "string" && /^E[A-Z]+$/.test(code)
    ? new BatchError("input-unreadable", `cannot be read (${code})`, { file, cause })
    : cause;
}
