import { type OpenOptions, openSnapshot } from "../snapshot/open-snapshot.ts";
import type { Snapshot } from "../snapshot/snapshot.ts";
import { SnapshotError } from "../snapshot/snapshot-error.ts";
import { checkKind, type ExpectedKind } from "./_check-kind.ts";
import { DatasetError } from "./dataset-error.ts";

/**
 * Opens a snapshot and checks its kind; `bundled` is the file of this kind that comes with the package. Rejects with
 * SnapshotError, DatasetError.
 */
export async function openKind(
  path: string,
  bundled: string,
  expected: ExpectedKind,
  options?: OpenOptions,
): Promise<Snapshot> {
  return checkKind(await open(path, bundled, options), path, expected);
}

async function open(path: string, bundled: string, options: OpenOptions | undefined): Promise<Snapshot> {
  try {
    return await openSnapshot(path, options);
  } catch (error) {
    const isNotBuilt = path === bundled && error instanceof SnapshotError && error.code === "not-found";
    throw isNotBuilt ? new DatasetError("not-built", path, 'the file is missing; "npm run data" builds it') : error;
  }
}
