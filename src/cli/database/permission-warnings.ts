import { shellWord } from "../output/shell-word.ts";
import { statSync } from "node:fs";
import { dirname, resolve } from "node:path";

/** The bits of the group and of all others. */
const OTHERS = 0o077;

/**
 * One line for each part of a database and its home folder that users other than the owner may read or change, with the
 * command that prevents it.
 */
export function permissionWarnings(database: string, home: string): string[] {
  const files = ["", "-wal", "-shm"].map((ending) => database + ending).filter(isOpenToOthers);
  const folders = [home].filter((folder) => folder === resolve(dirname(database))).filter(isOpenToOthers);
  return [...warningOf(files, 600), ...warningOf(folders, 700)];
}

function warningOf(paths: readonly string[], mode: number): string[] {
  if (paths.length === 0) return [];
  return [
    `${paths.join(", ")}: other users of this machine may read or change it; run: chmod ${mode} ${paths.map(shellWord).join(" ")}`,
  ];
}

function isOpenToOthers(path: string): boolean {
  const found = statSync(path, { throwIfNoEntry: false });
  // Windows has no permission bits in the file mode.
  return found !== undefined && process.platform !== "win32" && (found.mode & OTHERS) !== 0;
}
