import { statfsSync } from "node:fs";

/** Free bytes on the disk of a folder; 0 if the folder is gone. */
export function freeBytesOf(folder: string): number {
  try {
    const { bavail, bsize } = statfsSync(folder);
    return bavail * bsize;
  } catch {
    return 0;
  }
}
