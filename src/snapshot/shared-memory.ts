/**
 * A shared `WebAssembly.Memory`, as far as it is used here (the ECMAScript library of TypeScript does not have it).
 * `grow`, by pages of 64 KiB, gives it a new `buffer`; the old one and the views of it stay as they are.
 */
export interface SharedMemory {
  readonly buffer: SharedArrayBuffer;
  grow(pages: number): number;
}

type NewMemory = new (descriptor: { initial: number; maximum: number; shared: true }) => SharedMemory;

const PAGE = 64 * 1024;
/** 4 GiB: what addresses of 32 bits reach. A reservation of address space, not of memory. */
const MOST_PAGES = 65_536;

/**
 * Memory for `byteLength` bytes and more, zeroed, in which a native kernel can work where the bytes lie: the memory of
 * WebAssembly; or a plain `SharedArrayBuffer` where there is no WebAssembly, no address space left for one, or not
 * enough of it in one. Throws `RangeError` when there is no memory at all.
 */
export function allocateShared(byteLength: number): SharedMemory | SharedArrayBuffer {
  const { Memory } = (globalThis as { WebAssembly?: { Memory: NewMemory } }).WebAssembly ?? {};
  if (Memory !== undefined && byteLength <= MOST_PAGES * PAGE) {
    try {
      return new Memory({ initial: Math.ceil(byteLength / PAGE), maximum: MOST_PAGES, shared: true });
    } catch {
      // Limits of address space (`ulimit -v`) leave room for the bytes alone, perhaps.
    }
  }
  return new SharedArrayBuffer(byteLength);
}

/** What is kept as long as a shared memory is. */
const weights = new WeakMap<SharedMemory | SharedArrayBuffer, ArrayBuffer>();

/**
 * Tells the garbage collector of this thread how large a shared memory is. It does not know by itself, and lets dropped
 * snapshots lie until it has another reason to run: of 3,000 of 1 MB that were opened and dropped, 3.2 GB stayed, with
 * weights 131 MB. A weight is a buffer of the same size, which it does know; nothing ever touches its pages, so that
 * they exist in name only.
 */
export function weigh(shared: SharedMemory | SharedArrayBuffer, byteLength: number): void {
  try {
    if (!weights.has(shared)) weights.set(shared, new ArrayBuffer(byteLength, { maxByteLength: byteLength }));
  } catch {
    // No address space is left for it; right answers do not need it.
  }
}
