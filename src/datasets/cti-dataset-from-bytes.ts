import { CTI_KIND } from "../cti/cti-kind.ts";
import { CtiDataset } from "../cti/dataset.ts";
import { metadataInPlace } from "../snapshot/metadata-in-place.ts";
import { snapshotFromBytes } from "../snapshot/snapshot-from-bytes.ts";
import type { Snapshot } from "../snapshot/snapshot.ts";
import { checkKind, type ExpectedKind } from "./_check-kind.ts";
import { withPath } from "./with-path.ts";

/** The kind of a snapshot of threat intelligence. */
export const CTI_SNAPSHOT: ExpectedKind = { kind: CTI_KIND, writtenBy: "ipsieve cti import" };

/**
 * A dataset from the bytes of its snapshot, ready for lookups, on any platform; `name` stands for them in errors.
 * @throws SnapshotError for bytes that are not a valid snapshot @throws UsageError for a snapshot of another kind, or
 * one whose metadata cannot be read
 */
export function ctiDatasetFromBytes(bytes: Uint8Array | ArrayBufferLike, name: string = "dataset"): CtiDataset {
  return ctiDatasetOf(checkKind(snapshotFromBytes(bytes, name), name, CTI_SNAPSHOT), name);
}

/** The dataset in a snapshot, whose bytes are read where they are. Throws DatasetError, with the path, for one that cannot be used. */
export function ctiDatasetOf(snapshot: Snapshot, path: string): CtiDataset {
  return withPath(path, () => new CtiDataset(metadataInPlace(snapshot, path), snapshot.table));
}
