import { Catalogue, CATALOGUE_KIND, type CatalogueChecks } from "../cbs/catalogue.ts";
import { metadataInPlace } from "../snapshot/metadata-in-place.ts";
import { snapshotFromBytes } from "../snapshot/snapshot-from-bytes.ts";
import type { Snapshot } from "../snapshot/snapshot.ts";
import { checkKind, type ExpectedKind } from "./_check-kind.ts";
import { withPath } from "./with-path.ts";

/** The kind of a snapshot of a catalogue. */
export const CATALOGUE_SNAPSHOT: ExpectedKind = { kind: CATALOGUE_KIND, writtenBy: "ipsieve build" };

/**
 * A catalogue from the bytes of its snapshot, ready for lookups, on any platform; `name` stands for them in errors.
 * @throws SnapshotError for bytes that are not a valid snapshot @throws UsageError for a snapshot of another kind, or
 * one whose metadata cannot be read
 */
export function catalogueFromBytes(bytes: Uint8Array | ArrayBufferLike, name: string = "catalogue"): Catalogue {
  return catalogueOf(checkKind(snapshotFromBytes(bytes, name), name, CATALOGUE_SNAPSHOT), name);
}

/**
 * The catalogue in a snapshot, as of `now` (milliseconds since the Unix epoch; by default, nothing has expired). Throws
 * DatasetError, with the path, for one that cannot be used.
 */
export function catalogueOf(snapshot: Snapshot, path: string, now?: number, checks?: CatalogueChecks): Catalogue {
  // The bytes of a hundred thousand nodes are not copied for a few of them.
  const metadata = checks === "on demand" ? metadataInPlace(snapshot, path) : snapshot.metadata;
  return withPath(path, () => new Catalogue(metadata, snapshot.table, now, checks));
}
