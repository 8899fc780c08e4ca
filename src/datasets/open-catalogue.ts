import { fileURLToPath } from "node:url";
import type { Catalogue } from "../cbs/catalogue.ts";
import type { OpenOptions } from "../snapshot/open-snapshot.ts";
import type { Snapshot } from "../snapshot/snapshot.ts";
import { openKind } from "./_open-kind.ts";
import { CATALOGUE_SNAPSHOT, catalogueOf } from "./catalogue-from-bytes.ts";

/** The catalogue that comes with the package. */
export const BUNDLED_CATALOGUE: string = fileURLToPath(new URL("../../data/catalogue.ipsieve", import.meta.url));

/**
 * Opens a snapshot of the kind "catalogue", the bundled one unless a path is given. Rejects with SnapshotError for a
 * file that cannot be opened, with UsageError for one of another kind.
 */
export async function openCatalogueSnapshot(
  path: string = BUNDLED_CATALOGUE,
  options?: OpenOptions,
): Promise<Snapshot> {
  return openKind(path, BUNDLED_CATALOGUE, CATALOGUE_SNAPSHOT, options);
}

/**
 * A catalogue with its table, ready for lookups as of `now` (milliseconds since the Unix epoch; by default, nothing has
 * expired); the bundled one unless a path is given. Rejects like `openCatalogueSnapshot`, and with UsageError for
 * metadata that cannot be read.
 */
export async function openCatalogue(path: string = BUNDLED_CATALOGUE, now?: number): Promise<Catalogue> {
  return catalogueOf(await openCatalogueSnapshot(path), path, now);
}

/**
 * As `openCatalogue`, for looking up a few addresses: opening takes no time per node. The call that needs an invalid
 * node throws CatalogueError.
 */
export async function openCatalogueLazily(path: string = BUNDLED_CATALOGUE, now?: number): Promise<Catalogue> {
  return catalogueOf(await openCatalogueSnapshot(path), path, now, "on demand");
}
