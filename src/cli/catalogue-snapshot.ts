import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { Catalogue } from "../cbs/catalogue.ts";
import { CatalogueError } from "../cbs/catalogue-error.ts";
import { openSnapshot, type Snapshot } from "../snapshot/open-snapshot.ts";
import { SnapshotError } from "../snapshot/snapshot-error.ts";
import { currentCatalogue, homeFolder } from "./home.ts";
import { UsageError } from "./usage-error.ts";

export const CATALOGUE_KIND = "catalogue";

/** The catalogue that the package brings along. */
export const BUNDLED_CATALOGUE: string = fileURLToPath(new URL("../../data/catalogue.ipsieve", import.meta.url));

/** The catalogue that a command uses where none is named: that of the last update, else the bundled one. */
export function defaultCatalogue(): string {
  const updated = currentCatalogue(homeFolder());
  return existsSync(updated) ? updated : BUNDLED_CATALOGUE;
}

/** How the help says it. */
export const DEFAULT_CATALOGUE = "the one of the last ipsieve cbs update, else the bundled one";

/**
 * Opens a snapshot of the kind "catalogue", the bundled one unless a path is given. Throws SnapshotError, UsageError.
 */
export async function openCatalogueSnapshot(path: string = BUNDLED_CATALOGUE): Promise<Snapshot> {
  const snapshot = await open(path);
  const { kind } = snapshot.info;
  if (kind === CATALOGUE_KIND) return snapshot;
  throw new UsageError(
    `${path}: its kind is "${kind}", not "${CATALOGUE_KIND}"; give a file written by "ipsieve build"`,
  );
}

/** A catalogue with its table, ready to answer; the bundled one unless a path is given. */
export async function openCatalogue(path?: string): Promise<Catalogue> {
  return catalogueOf(await openCatalogueSnapshot(path), path ?? BUNDLED_CATALOGUE);
}

/** The catalogue in a snapshot. Throws UsageError, with the path, for one that cannot be used. */
export function catalogueOf(snapshot: Snapshot, path: string): Catalogue {
  return withPath(path, () => new Catalogue(snapshot.metadata, snapshot.table));
}

/** Runs what reads a catalogue and tells its errors with the path of the file. */
export function withPath<Result>(path: string, read: () => Result): Result {
  try {
    return read();
  } catch (error) {
    throw error instanceof CatalogueError ? new UsageError(`${path}: ${error.message}`) : error;
  }
}

async function open(path: string): Promise<Snapshot> {
  try {
    return await openSnapshot(path);
  } catch (error) {
    const isMissing = path === BUNDLED_CATALOGUE && error instanceof SnapshotError && error.code === "not-found";
    throw isMissing ? new UsageError(`${path} is missing; "npm run data" builds it`) : error;
  }
}
