import type { Family } from "../address/address.ts";
import { readSnapshotFile } from "./_read-file.ts";
import type { TrustedKeys } from "./signing.ts";
import { Snapshot } from "./snapshot.ts";

/** How a snapshot file is opened. */
export interface OpenOptions {
  /**
   * Ed25519 public keys (`parseTrustedKeys`): one of them must have signed the file (`ipsieve sign`). By default no
   * signature is required, and an existing one is not checked.
   */
  readonly trustedKeys?: TrustedKeys | undefined;
}

/**
 * Opens a snapshot: reads it into the memory of one shared `WebAssembly.Memory`, checks the header, the section table
 * and every section's checksum, and makes views. Nothing is decoded per prefix; checksums are computed while the next part is read. The
 * file is not needed afterwards, and publishing a new one in its place does not touch this one.
 *
 * Throws `SnapshotError`; a file with any byte changed, lost or added is always rejected: by accident without keys, and
 * on purpose with `trustedKeys`, whose check takes about as long as reading. `verifySnapshot` also proves that the
 * contents make sense.
 */
export async function openSnapshot(path: string, { trustedKeys }: OpenOptions = {}): Promise<Snapshot> {
  const { shared, head } = await readSnapshotFile(path, trustedKeys);
  return new Snapshot(shared, head, path);
}

/**
 * As `openSnapshot`, for looking up a few addresses of one family: the index of the other one is neither read nor
 * checked, and has no matches. Not for `verify`, which reads all of it.
 */
export async function openSnapshotFor(family: Family, path: string): Promise<Snapshot> {
  const { shared, head } = await readSnapshotFile(path, undefined, family);
  return new Snapshot(shared, head, path);
}
