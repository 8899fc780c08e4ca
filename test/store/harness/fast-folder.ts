import { existsSync, mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/**
 * A temporary folder, in memory where the system has such a place: what a disk does when it fails is for other tests,
 * and waiting for it tells nothing.
 */
export function makeFastFolder(): string {
  return mkdtempSync(join(existsSync("/dev/shm") ? "/dev/shm" : tmpdir(), "ipsieve-store-"));
}
