import { readSnapshotFile } from "./_read-file.ts";
import { Snapshot } from "./snapshot.ts";

/**
 * Opens a snapshot: reads it into the memory of one shared `WebAssembly.Memory`, checks the header, the section table
 * and every section's checksum, and makes views. Nothing is decoded per prefix; checksums are computed while the next part is read. The
 * file is not needed afterwards, and publishing a new one in its place does not touch this one.
 *
 * Throws `SnapshotError`; a file with any byte changed, lost or added is always rejected. `verifySnapshot` also proves
 * that the contents make sense.
 */
export async function openSnapshot(path: string): Promise<Snapshot> {
  const { shared, head } = await readSnapshotFile(path);
  return new Snapshot(shared, head, path);
}
