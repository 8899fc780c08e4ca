import { fileURLToPath } from "node:url";
import { CTI_KIND, CtiDataset } from "../cti/dataset.ts";
import type { Snapshot } from "../snapshot/open-snapshot.ts";
import { openKind } from "./_open-kind.ts";
import { withPath } from "./with-path.ts";

/** The sample that comes with the package: invented, in ranges for documentation. */
export const SAMPLE_DATASET: string = fileURLToPath(new URL("../../data/cti-sample.ipsieve", import.meta.url));

/**
 * Opens a snapshot of the kind "cti", the sample unless a path is given. Rejects with SnapshotError for a file that
 * cannot be opened, with UsageError for one of another kind.
 */
export async function openCtiSnapshot(path: string = SAMPLE_DATASET): Promise<Snapshot> {
  return openKind(path, { kind: CTI_KIND, bundled: SAMPLE_DATASET, writtenBy: "ipsieve cti import" });
}

/**
 * A dataset ready to answer; the sample unless a path is given. Rejects like `openCtiSnapshot`, and with UsageError for
 * metadata that cannot be read.
 */
export async function openCtiDataset(path: string = SAMPLE_DATASET): Promise<CtiDataset> {
  return ctiDatasetOf(await openCtiSnapshot(path), path);
}

/** The dataset in a snapshot. Throws DatasetError, with the path, for one that cannot be used. */
export function ctiDatasetOf(snapshot: Snapshot, path: string): CtiDataset {
  return withPath(path, () => new CtiDataset(snapshot.metadata, snapshot.table));
}
