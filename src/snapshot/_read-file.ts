import { constants } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";
import { SectionChecksums } from "./_section-checksums.ts";
import { allocateShared, type SharedMemory } from "./_shared-memory.ts";
import { decodeHead, type SnapshotHead } from "./format.ts";
import { SnapshotError } from "./snapshot-error.ts";

/** Large enough that a read costs more than its round trip through the thread pool, small enough to overlap with checking. */
const CHUNK_BYTES = 1 << 20;

/** What is read before the head is known: enough that a small file takes one read. */
const FIRST_BYTES = 64 << 10;

/** Reads a snapshot file into shared memory, checking its head before anything is allocated and its sections on the way. */
export async function readSnapshotFile(path: string): Promise<{ shared: SharedMemory | SharedArrayBuffer; head: SnapshotHead }> {
  const { file, size } = await openRegularFile(path);
  try {
    const start = new Uint8Array(Math.min(size, FIRST_BYTES));
    await readFully(file, start, 0, path);
    const head = decodeHead(start, size, path);
    const shared = allocate(head.byteLength, path);
    const bytes = new Uint8Array(shared instanceof SharedArrayBuffer ? shared : shared.buffer, 0, head.byteLength);
    bytes.set(start);
    await readChecked(file, bytes, start.length, new SectionChecksums(bytes, head, path), path);
    return { shared, head };
  } finally {
    await file.close();
  }
}

async function openRegularFile(path: string): Promise<{ file: FileHandle; size: number }> {
  let file: FileHandle | undefined;
  try {
    // Without O_NONBLOCK, opening a named pipe would wait for somebody to write to it. (Windows has no such flag.)
    file = await open(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
    const status = await file.stat();
    if (status.isFile()) return { file, size: status.size };
  } catch (cause) {
    await file?.close();
    throw readFailure(path, cause);
  }
  await file.close();
  throw new SnapshotError("not-a-file", path, "a folder, pipe or device");
}

function readFailure(path: string, cause: unknown): SnapshotError {
  const code = (cause as NodeJS.ErrnoException).code;
  if (code === "ENOENT" || code === "ENOTDIR") return new SnapshotError("not-found", path, "no such file", { cause });
  return new SnapshotError("unreadable", path, `it cannot be read (${code ?? String(cause)})`, { cause });
}

function allocate(byteLength: number, path: string): SharedMemory | SharedArrayBuffer {
  try {
    return allocateShared(byteLength);
  } catch (cause) {
    throw new SnapshotError("too-large", path, `no memory for ${byteLength} bytes`, { cause });
  }
}

/** Reads what follows the first `at` bytes; while a chunk is on its way, the ones before it are checked. */
async function readChecked(file: FileHandle, bytes: Uint8Array, at: number, checksums: SectionChecksums, path: string): Promise<void> {
  while (at < bytes.length) {
    const end = Math.min(at + CHUNK_BYTES, bytes.length);
    const reading = readFully(file, bytes.subarray(at, end), at, path);
    // When the check throws, nobody waits for the read any more, and how it ends no longer matters.
    reading.catch(() => {});
    checksums.advance(at);
    await reading;
    at = end;
  }
  checksums.advance(bytes.length);
}

/** Fills `target` with the file's bytes from `position` on. */
async function readFully(file: FileHandle, target: Uint8Array, position: number, path: string): Promise<void> {
  for (let done = 0; done < target.length; ) {
    const { bytesRead } = await file.read(target, done, target.length - done, position + done).catch((cause) => {
      throw readFailure(path, cause);
    });
    if (bytesRead === 0) throw new SnapshotError("changed-while-reading", path, "it became shorter while it was read");
    done += bytesRead;
  }
}
