import { execFileSync } from "node:child_process";
import { mkdtempSync, rmdirSync, rmSync, statSync, truncateSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** A file system of its own, which a test can fill. */
export interface SmallDisk extends Disposable {
  readonly path: string;
  /** Fills it except for this many bytes, a whole number of the system's pages; by default none. */
  fill(leave?: number): void;
  /** Removes what `fill` wrote. */
  free(): void;
}

export const PAGE = 4096;

/** Why none can be mounted here. */
export const whyNoSmallDisk: false | string = reason();

export function mountSmallDisk(bytes: number): SmallDisk {
  const path = mkdtempSync(join(tmpdir(), "ipsieve-disk-"));
  execFileSync("mount", ["-t", "tmpfs", "-o", `size=${bytes},mode=0755`, "tmpfs", path], { stdio: "pipe" });
  const filling = join(path, "filling");
  return {
    path,
    fill(leave = 0) {
      // Whole pages of the system, in ever smaller pieces, until there is no space left.
      for (let size = bytes; size >= PAGE; size /= 2) {
        try {
          for (;;) writeFileSync(filling, Buffer.alloc(size), { flag: "a" });
        } catch (error) {
          if ((error as NodeJS.ErrnoException).code !== "ENOSPC") throw error;
        }
      }
      truncateSync(filling, Math.max(0, statSync(filling).size - leave));
    },
    free: () => rmSync(filling),
    [Symbol.dispose]() {
      execFileSync("umount", ["--lazy", path]);
      rmdirSync(path);
    },
  };
}

function reason(): false | string {
  if (process.platform !== "linux") return "a small file system is mounted by Linux's tmpfs";
  try {
    mountSmallDisk(1 << 20)[Symbol.dispose]();
    return false;
  } catch (error) {
    return `no file system can be mounted here: ${(error as Error).message.split("\n")[0]}`;
  }
}
