import { allocateShared, type Shared } from "../memory/shared-memory.ts";
import type { SnapshotHead } from "./format.ts";
import { SnapshotError } from "./snapshot-error.ts";

/** Memory for a snapshot with this head. Throws `SnapshotError` `too-large`. */
export function allocateFor({ byteLength }: SnapshotHead, path: string): Shared {
  try {
    return allocateShared(byteLength);
  } catch (cause) {
    throw new SnapshotError("too-large", path, `no memory for ${byteLength} bytes`, { cause });
  }
}
