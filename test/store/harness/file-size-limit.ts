import { spawnSync } from "node:child_process";

/** Why this process's limit cannot be set. */
export const whyNoFileSizeLimit: false | string =
  spawnSync("prlimit", ["--version"]).status === 0 ? false : "prlimit is not installed";

/**
 * Prevents the files of a process from growing beyond this many bytes: writing more fails (EFBIG), which SQLite sees as
 * an I/O error. This needs no privileges; null removes the limit.
 */
export function limitFileSize(bytes: number | null, pid: number = process.pid): void {
  const { status, stderr } = spawnSync("prlimit", ["--pid", String(pid), `--fsize=${bytes ?? "unlimited"}:`], {
    encoding: "utf8",
  });
  if (status !== 0) throw new Error(stderr);
}
