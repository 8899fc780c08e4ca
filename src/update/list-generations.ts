import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { readSnapshotHead } from "../snapshot/read-head.ts";

/** What the files of generations are called. */
export const EXTENSION = ".ipsieve";

/** A catalogue of the history, according to the header of its file. */
export interface ListedGeneration {
  readonly path: string;
  readonly createdAt: Date;
  /** Random; a copy of the file has the same. */
  readonly generation: string;
}

/**
 * The catalogues in a folder, oldest first; of each file only the header is read. Rejects with SnapshotError for a file
 * that is none: it may be the very one that is wanted.
 */
export async function listGenerations(folder: string): Promise<ListedGeneration[]> {
  const names = (await readdir(folder)).filter((name) => name.endsWith(EXTENSION));
  const generations: ListedGeneration[] = [];
  for (const name of names) {
    const path = join(folder, name);
    const { createdAt, generation } = await readSnapshotHead(path);
    generations.push({ path, createdAt, generation });
  }
  return generations.sort((a, b) => a.createdAt.getTime() - b.createdAt.getTime() || (a.path < b.path ? -1 : 1));
}
