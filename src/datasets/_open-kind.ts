import { openSnapshot, type Snapshot } from "../snapshot/open-snapshot.ts";
import { SnapshotError } from "../snapshot/snapshot-error.ts";
import { DatasetError } from "./dataset-error.ts";

/** What a snapshot has to be. */
export interface Expected {
  /** The kind in its header. */
  readonly kind: string;
  /** The file of this kind that comes with the package. */
  readonly bundled: string;
  /** The command that writes such files, for the error about one of another kind. */
  readonly writtenBy: string;
}

/** Opens a snapshot and checks its kind. Rejects with SnapshotError, DatasetError. */
export async function openKind(path: string, { kind, bundled, writtenBy }: Expected): Promise<Snapshot> {
  const snapshot = await open(path, bundled);
  const found = snapshot.info.kind;
  if (found === kind) return snapshot;
  throw new DatasetError(
    "wrong-kind",
    path,
    `its kind is "${found}", not "${kind}"; give a file written by "${writtenBy}"`,
  );
}

async function open(path: string, bundled: string): Promise<Snapshot> {
  try {
    return await openSnapshot(path);
  } catch (error) {
    const isNotBuilt = path === bundled && error instanceof SnapshotError && error.code === "not-found";
    throw isNotBuilt ? new DatasetError("not-built", path, 'the file is missing; "npm run data" builds it') : error;
  }
}
