import { MAX_PAGES, PAGE_BYTES, type SharedMemory, webAssembly } from "./web-assembly.ts";

/** Memory that threads share, if the platform supports that. */
export type Shared = SharedMemory | ArrayBufferLike;

/** Whether a native kernel can work in it. */
export function isMemory(shared: Shared): shared is SharedMemory {
  return "buffer" in shared;
}

/** Its bytes. */
export function bufferOf(shared: Shared): ArrayBufferLike {
  return isMemory(shared) ? shared.buffer : shared;
}

/**
 * Memory for `byteLength` bytes and more, zeroed, in which a native kernel can work where the bytes lie: the memory of
 * WebAssembly; or a plain `SharedArrayBuffer` where there is no WebAssembly, no address space left for one, or not
 * enough of it in one; or an `ArrayBuffer` in web pages that may share nothing. Throws `RangeError` when there is no
 * memory at all.
 */
export function allocateShared(byteLength: number): Shared {
  const { Memory } = webAssembly() ?? {};
  if (Memory !== undefined && byteLength <= MAX_PAGES * PAGE_BYTES) {
    try {
      // The maximum is a reservation of address space, not of memory.
      return new Memory({ initial: Math.ceil(byteLength / PAGE_BYTES), maximum: MAX_PAGES, shared: true });
    } catch {
      // A limit of address space (`ulimit -v`) may leave room only for the bytes themselves.
    }
  }
  // A web page that is not isolated from other origins has no SharedArrayBuffer.
  return typeof SharedArrayBuffer === "undefined" ? new ArrayBuffer(byteLength) : new SharedArrayBuffer(byteLength);
}

/** Values that are kept as long as a shared memory. */
const weights = new WeakMap<Shared, ArrayBuffer>();

/**
 * Reports to the garbage collector of this thread how large a shared memory is. The collector does not know the size by
 * itself, and keeps dropped snapshots until it has another reason to run: of 3,000 snapshots of 1 MB that were opened
 * and dropped, 3.2 GB stayed, with weights 131 MB. A weight is a buffer of the same size, which the collector does
 * know; its pages are never touched, so they take no memory.
 */
export function weigh(shared: Shared, byteLength: number): void {
  try {
    if (!weights.has(shared)) weights.set(shared, new ArrayBuffer(byteLength, { maxByteLength: byteLength }));
  } catch {
    // No address space is left for the weight; correct results do not need it.
  }
}
