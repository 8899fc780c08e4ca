import type { CtiDataset } from "../cti/dataset.ts";
import type { Snapshot } from "../snapshot/snapshot.ts";
import { openKind } from "./_open-kind.ts";
import { CTI_SNAPSHOT, ctiDatasetOf } from "./cti-dataset-from-bytes.ts";
import { SAMPLE_DATASET } from "./sample-dataset.ts";

/**
 * Opens a snapshot of the kind "cti", the sample unless a path is given. Rejects with SnapshotError for a file that
 * cannot be opened, with UsageError for one of another kind.
 */
export async function openCtiSnapshot(path: string = SAMPLE_DATASET): Promise<Snapshot> {
  return openKind(path, SAMPLE_DATASET, CTI_SNAPSHOT);
}

/**
 * A dataset ready for lookups; the sample unless a path is given. Rejects like `openCtiSnapshot`, and with UsageError
 * for metadata that cannot be read.
 */
export async function openCtiDataset(path: string = SAMPLE_DATASET): Promise<CtiDataset> {
  return ctiDatasetOf(await openCtiSnapshot(path), path);
}
