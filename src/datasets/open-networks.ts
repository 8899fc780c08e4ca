import { fileURLToPath } from "node:url";
import type { Networks } from "../networks/networks.ts";
import { type OpenOptions, openSnapshotFor } from "../snapshot/open-snapshot.ts";
import type { Family } from "../address/address.ts";
import { checkKind } from "./_check-kind.ts";
import type { Snapshot } from "../snapshot/snapshot.ts";
import { openKind } from "./_open-kind.ts";
import { NETWORKS_SNAPSHOT, networksOf } from "./networks-from-bytes.ts";

/** The networks that come with the package. */
export const BUNDLED_NETWORKS: string = fileURLToPath(new URL("../../data/networks.ipsieve", import.meta.url));

/**
 * Opens a snapshot of the kind "networks", the bundled one unless a path is given. Rejects with SnapshotError for a
 * file that cannot be opened, with UsageError for one of another kind.
 */
export async function openNetworksSnapshot(path: string = BUNDLED_NETWORKS, options?: OpenOptions): Promise<Snapshot> {
  return openKind(path, BUNDLED_NETWORKS, NETWORKS_SNAPSHOT, options);
}

/**
 * AS number, organisation and country of every routed prefix, ready for lookups; the bundled dataset unless a path is
 * given. Nothing is decoded per prefix. Rejects like `openNetworksSnapshot`, and with UsageError for metadata that
 * cannot be read.
 */
export async function openNetworks(path: string = BUNDLED_NETWORKS): Promise<Networks> {
  return networksOf(await openNetworksSnapshot(path), path);
}

/**
 * As `openNetworksSnapshot`, for looking up a few addresses of one family: a third of the file is not read, nor checked.
 */
export async function openNetworksFor(family: Family, path: string = BUNDLED_NETWORKS): Promise<Snapshot> {
  return checkKind(await openSnapshotFor(family, path), path, NETWORKS_SNAPSHOT);
}
