import { spawnSync } from "node:child_process";

/** Why this process's limit cannot be set. */
export const whyNoFileSizeLimit: false | string =
  spawnSync("prlimit", ["--version"]).status === 0 ? false : "prlimit is not installed";

/**
 * Lets no file of a process grow beyond so many bytes: a write there fails (EFBIG), which is an I/O error to SQLite. It
 * needs no rights; null takes it back.
 */
export function limitFileSize(bytes: number | null, pid: number = process.pid): void {
  const { status, stderr } = spawnSync("prlimit", ["--pid", String(pid), `--fsize=${bytes ?? "unlimited"}:`], {
    encoding: "utf8",
  });
  if (status !== 0) throw new Error(stderr);
}
