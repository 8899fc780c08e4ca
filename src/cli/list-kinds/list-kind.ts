import type { ResultColumn } from "../../batch/arrow/result-column.ts";
import type { IdentifyOptions } from "../../batch/identify-options.ts";
import type { Snapshot } from "../../snapshot/snapshot.ts";
import type { SnapshotCounts } from "../output/snapshot-counts.ts";

/** How `identify` works with one kind of snapshot. */
export interface ListKind {
  /** Opens a file, and checks everything that threads would otherwise report without its path. */
  open(path: string): Promise<Snapshot>;
  readonly rows: Pick<IdentifyOptions, "renderer" | "columns" | "appendAs">;
  /** What it adds to an Arrow stream. */
  arrowColumns(snapshot: Snapshot, path: string, now: number): readonly ResultColumn[];
  /** What counts say about it. The modules that count are loaded only when needed. */
  counts(snapshot: Snapshot, path: string, now: number): Promise<SnapshotCounts>;
  /** Reads everything that rows and counts may read. Throws UsageError, with the path. */
  checkContents(snapshot: Snapshot, path: string): void;
}
