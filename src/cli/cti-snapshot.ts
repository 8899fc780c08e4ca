import { existsSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { CtiDataset } from "../cti/dataset.ts";
import { CtiError } from "../cti/cti-error.ts";
import { openSnapshot, type Snapshot } from "../snapshot/open-snapshot.ts";
import { SnapshotError } from "../snapshot/snapshot-error.ts";
import { homeFolder } from "./home.ts";
import { UsageError } from "./usage-error.ts";

export const CTI_KIND = "cti";

/** The sample that the package brings along: invented, in ranges for documentation. */
export const SAMPLE_DATASET: string = fileURLToPath(new URL("../../data/cti-sample.ipsieve", import.meta.url));

/** The dataset that imports have made in the home folder; undefined where there is none. */
export function importedDataset(): string | undefined {
  const path = datasetPath(homeFolder());
  return existsSync(path) ? path : undefined;
}

/** Where the dataset of commands and server stands in a home folder. */
export function datasetPath(home: string): string {
  return join(home, "cti.ipsieve");
}

/** How the help says it. */
export const DEFAULT_DATASET = "cti.ipsieve in the home folder, as the server's, else the invented sample";

/** Opens a snapshot of the kind "cti", the sample unless a path is given. Throws SnapshotError, UsageError. */
export async function openCtiSnapshot(path: string = SAMPLE_DATASET): Promise<Snapshot> {
  const snapshot = await open(path);
  const { kind } = snapshot.info;
  if (kind === CTI_KIND) return snapshot;
  throw new UsageError(
    `${path}: its kind is "${kind}", not "${CTI_KIND}"; give a file written by "ipsieve cti import"`,
  );
}

/** A dataset ready to answer; the sample unless a path is given. */
export async function openCtiDataset(path?: string): Promise<CtiDataset> {
  return ctiDatasetOf(await openCtiSnapshot(path), path ?? SAMPLE_DATASET);
}

/** The dataset in a snapshot. Throws UsageError, with the path, for one that cannot be used. */
export function ctiDatasetOf(snapshot: Snapshot, path: string): CtiDataset {
  return withCtiPath(path, () => new CtiDataset(snapshot.metadata, snapshot.table));
}

/** Runs what reads a dataset and tells its errors with the path of the file. */
export function withCtiPath<Result>(path: string, read: () => Result): Result {
  try {
    return read();
  } catch (error) {
    throw error instanceof CtiError ? new UsageError(`${path}: ${error.message}`) : error;
  }
}

async function open(path: string): Promise<Snapshot> {
  try {
    return await openSnapshot(path);
  } catch (error) {
    const isMissing = path === SAMPLE_DATASET && error instanceof SnapshotError && error.code === "not-found";
    throw isMissing ? new UsageError(`${path} is missing; "npm run data" builds it`) : error;
  }
}
