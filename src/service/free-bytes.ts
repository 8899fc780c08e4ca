import { statfsSync } from "node:fs";

/** What a folder's disk has left; 0 where the folder is gone. */
export function freeBytesOf(folder: string): number {
  try {
    const { bavail, bsize } = statfsSync(folder);
    return bavail * bsize;
  } catch {
    return 0;
  }
}
