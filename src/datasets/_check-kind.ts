import type { Snapshot } from "../snapshot/snapshot.ts";
import { DatasetError } from "./dataset-error.ts";

/** The required kind of a snapshot. */
export interface ExpectedKind {
  /** The kind in its header. */
  readonly kind: string;
  /** The command that writes such files, for the error about one of another kind. */
  readonly writtenBy: string;
}

/** Returns a snapshot of the expected kind. Throws DatasetError for a snapshot of another kind. */
export function checkKind(snapshot: Snapshot, path: string, { kind, writtenBy }: ExpectedKind): Snapshot {
  const found = snapshot.info.kind;
  if (found === kind) return snapshot;
  throw new DatasetError(
    "wrong-kind",
    path,
    `its kind is "${found}", not "${kind}"; give a file written by "${writtenBy}"`,
  );
}
