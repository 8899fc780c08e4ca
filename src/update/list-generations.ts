import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { readSnapshotHead } from "../snapshot/read-head.ts";

/** The extension of the files of generations. */
export const EXTENSION = ".ipsieve";

/** A catalogue of the history, according to the header of its file. */
export interface ListedGeneration {
  readonly path: string;
  readonly createdAt: Date;
  /** The random id of the file; a copy of the file has the same one. */
  readonly generation: string;
}

/**
 * The catalogues in a folder, oldest first. Only the header of each file is read, and not even that if the file is
 * `known` from an earlier call: the files of a history are named after their time and never change. Rejects with
 * SnapshotError for a file that is not a snapshot: it may be the one that is needed.
 */
export async function listGenerations(
  folder: string,
  known: readonly ListedGeneration[] = [],
): Promise<ListedGeneration[]> {
  const names = (await readdir(folder)).filter((name) => name.endsWith(EXTENSION));
  const knownAt = new Map(known.map((generation) => [generation.path, generation]));
  const generations: ListedGeneration[] = [];
  for (const name of names) {
    const path = join(folder, name);
    generations.push(knownAt.get(path) ?? (await readGeneration(path)));
  }
  return generations.sort((a, b) => a.createdAt.getTime() - b.createdAt.getTime() || (a.path < b.path ? -1 : 1));
}

async function readGeneration(path: string): Promise<ListedGeneration> {
  const { createdAt, generation } = await readSnapshotHead(path);
  return { path, createdAt, generation };
}
