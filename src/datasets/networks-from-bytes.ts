import { NETWORKS_KIND } from "../networks/networks-kind.ts";
import { Networks } from "../networks/networks.ts";
import { metadataInPlace } from "../snapshot/metadata-in-place.ts";
import { snapshotFromBytes } from "../snapshot/snapshot-from-bytes.ts";
import type { Snapshot } from "../snapshot/snapshot.ts";
import { checkKind, type ExpectedKind } from "./_check-kind.ts";
import { withPath } from "./with-path.ts";

/** The kind of a snapshot of networks. */
export const NETWORKS_SNAPSHOT: ExpectedKind = { kind: NETWORKS_KIND, writtenBy: "ipsieve cbs update" };

/**
 * A dataset of networks from the bytes of its snapshot, ready for lookups, on any platform; `name` stands for them in
 * errors.
 * @throws SnapshotError for bytes that are not a valid snapshot @throws UsageError for a snapshot of another kind, or
 * one whose metadata cannot be read
 */
export function networksFromBytes(bytes: Uint8Array | ArrayBufferLike, name: string = "networks"): Networks {
  return networksOf(checkKind(snapshotFromBytes(bytes, name), name, NETWORKS_SNAPSHOT), name);
}

/**
 * The networks in a snapshot, whose bytes are read where they are. Throws DatasetError, with the path, for one that
 * cannot be used.
 */
export function networksOf(snapshot: Snapshot, path: string): Networks {
  return withPath(path, () => new Networks(metadataInPlace(snapshot, path), snapshot.table));
}
