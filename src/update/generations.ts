import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { CATALOGUE_KIND, type CatalogueMetadata, sourceKey } from "../cbs/catalogue.ts";
import { openSnapshot } from "../snapshot/open-snapshot.ts";
import type { Snapshot } from "../snapshot/snapshot.ts";
import { publishFile } from "../files/publish-file.ts";
import { SnapshotError } from "../snapshot/snapshot-error.ts";
import { writeSnapshot } from "../snapshot/write-snapshot.ts";
import type { PrefixTable } from "../table/prefix-table.ts";
import { SECTION_NAMES } from "../table/sections.ts";
import { makeFolder, removeIfThere, writing } from "./list-store.ts";

const GENERATION = /^\d{8}T\d{6}\.\d{3}Z\.ipsieve$/;
/** The unfinished generation of a killed update; each has a name of its own, so no later one replaces it. */
const UNFINISHED = /^\.\d{8}T\d{6}\.\d{3}Z\.ipsieve\..*\.tmp$/;

/** Where catalogues are published. */
export interface CatalogueFiles {
  /**
   * Replaced by rename: a process that opens it gets the old catalogue or the new one, and one that watches it sees one
   * rename.
   */
  readonly current: string;
  /** Every catalogue that differs from the previous one, by its time: `20261121T111900.000Z.ipsieve`. */
  readonly history: string;
}

/**
 * Publishes a catalogue: into the history if it differs from the newest one there, then as the current one. Returns the
 * path in the history, or null if only the times of its sources differ. The history keeps the newest `keep`
 * generations. The caller must hold the lock of the home folder.
 */
export async function publishCatalogue(
  files: CatalogueFiles,
  table: PrefixTable,
  metadata: CatalogueMetadata,
  keep: number,
): Promise<string | null> {
  await makeFolder(files.history);
  const content = { table, metadata, kind: CATALOGUE_KIND, createdAt: new Date(metadata.createdAt) };
  const own = generationName(metadata.createdAt);
  // Generations with a time in the future, from a clock that was wrong, are ignored: one would stay the newest for
  // long.
  const newest = (await generationsIn(files.history)).findLast((name) => name <= own);
  if (newest !== undefined && (await isSame(join(files.history, newest), table, metadata))) {
    await writeSnapshot(files.current, content);
    return null;
  }
  const path = join(files.history, own);
  await writeSnapshot(path, content);
  const bytes = await readFile(path);
  await writing(files.current, () => publishFile(files.current, [bytes]));
  const unfinished = (await readdir(files.history)).filter((name) => UNFINISHED.test(name));
  // Generations with a time in the future do not count; otherwise the one just written could be deleted as the oldest.
  const generations = (await generationsIn(files.history)).filter((name) => name <= own);
  for (const name of [...unfinished, ...generations.slice(0, -keep)]) await removeIfThere(join(files.history, name));
  return path;
}

/** ISO 8601 in its basic format, which sorts and is a valid name on every file system. */
function generationName(createdAt: string): string {
  return `${createdAt.replaceAll(/[-:]/g, "")}.ipsieve`;
}

/** Oldest first. */
async function generationsIn(folder: string): Promise<string[]> {
  return (await readdir(folder)).filter((name) => GENERATION.test(name)).sort();
}

async function isSame(path: string, table: PrefixTable, metadata: CatalogueMetadata): Promise<boolean> {
  let snapshot: Snapshot;
  try {
    snapshot = await openSnapshot(path);
  } catch (error) {
    if (error instanceof SnapshotError) return false;
    throw error;
  }
  const { title, nodes, claims, sources } = snapshot.metadata as Partial<CatalogueMetadata>;
  const haveSameClaims = areSame(claims, metadata.claims) && keysOf(sources) === keysOf(metadata.sources);
  return (
    title === metadata.title &&
    haveSameNodes(nodes, metadata.nodes) &&
    haveSameClaims &&
    haveSameBytes(snapshot.table, table)
  );
}

/** `a` comes from a file, of any format version. */
function haveSameNodes(a: Partial<CatalogueMetadata["nodes"]> | undefined, b: CatalogueMetadata["nodes"]): boolean {
  return a?.texts === b.texts && areSame(a.places, b.places);
}

/** Claims refer to sources by index. */
function keysOf(sources: CatalogueMetadata["sources"] = []): string {
  return JSON.stringify(sources.map(sourceKey));
}

function areSame(a: unknown, b: Uint8Array): boolean {
  return a instanceof Uint8Array && Buffer.compare(a, b) === 0;
}

/** Equal contents have equal bytes: freezing is deterministic. */
function haveSameBytes(a: PrefixTable, b: PrefixTable): boolean {
  return SECTION_NAMES.every((name) => bytesOf(a, name).equals(bytesOf(b, name)));
}

function bytesOf({ buffer, sections }: PrefixTable, name: (typeof SECTION_NAMES)[number]): Buffer {
  const { byteOffset, byteLength } = sections[name];
  return Buffer.from(buffer as ArrayBuffer, byteOffset, byteLength);
}
