import { fileURLToPath } from "node:url";
import { Catalogue, CATALOGUE_KIND } from "../cbs/catalogue.ts";
import type { Snapshot } from "../snapshot/open-snapshot.ts";
import { openKind } from "./_open-kind.ts";
import { withPath } from "./with-path.ts";

/** The catalogue that comes with the package. */
export const BUNDLED_CATALOGUE: string = fileURLToPath(new URL("../../data/catalogue.ipsieve", import.meta.url));

/**
 * Opens a snapshot of the kind "catalogue", the bundled one unless a path is given. Rejects with SnapshotError for a
 * file that cannot be opened, with UsageError for one of another kind.
 */
export async function openCatalogueSnapshot(path: string = BUNDLED_CATALOGUE): Promise<Snapshot> {
  return openKind(path, { kind: CATALOGUE_KIND, bundled: BUNDLED_CATALOGUE, writtenBy: "ipsieve build" });
}

/**
 * A catalogue with its table, ready to answer; the bundled one unless a path is given. Rejects like
 * `openCatalogueSnapshot`, and with UsageError for metadata that cannot be read.
 */
export async function openCatalogue(path: string = BUNDLED_CATALOGUE): Promise<Catalogue> {
  return catalogueOf(await openCatalogueSnapshot(path), path);
}

/** The catalogue in a snapshot. Throws DatasetError, with the path, for one that cannot be used. */
export function catalogueOf(snapshot: Snapshot, path: string): Catalogue {
  return withPath(path, () => new Catalogue(snapshot.metadata, snapshot.table));
}
