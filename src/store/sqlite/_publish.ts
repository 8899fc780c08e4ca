import { open, rename, rm } from "node:fs/promises";
import { dirname } from "node:path";

/** Lets `write` make a file, and gives it its name only when it is whole and on the disk; there is the old file or the new one. */
export async function publish(path: string, write: (part: string) => Promise<void>): Promise<void> {
  const part = `${path}.part`;
  await rm(part, { force: true });
  try {
    await write(part);
    await sync(part);
    await rename(part, path);
    await sync(dirname(path));
  } finally {
    await rm(part, { force: true });
  }
}

async function sync(path: string): Promise<void> {
  const file = await open(path, "r");
  try {
    await file.sync();
  } finally {
    await file.close();
  }
}
