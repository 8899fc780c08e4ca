import { existsSync, mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/**
 * A temporary folder, in memory if the system has such a file system: failing disks are covered by other tests, and
 * waiting for a disk shows nothing.
 */
export function makeFastFolder(): string {
  return mkdtempSync(join(existsSync("/dev/shm") ? "/dev/shm" : tmpdir(), "ipsieve-store-"));
}
