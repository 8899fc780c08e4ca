import { MAX_PAGES, PAGE_BYTES, type SharedMemory } from "../../../memory/web-assembly.ts";

/** Minimum size of a block. */
const MIN_BLOCK_BYTES = 4096;
/**
 * Memory grows by as much as this thread has grown it so far, but by no more pages than this: growing is a system call
 * and notifies all threads. Little at first, because what a thread has grown is lost when it ends.
 */
const MAX_GROWTH_PAGES = 256;

const heaps = new WeakMap<SharedMemory, KernelHeap>();

/**
 * Allocates blocks of a memory after its initial content, and takes them back for later use: a memory never shrinks.
 * Sizes are powers of two, so that blocks of different runs fit one another. Each thread has blocks of its own, even if
 * several threads have a heap in the same memory: each has grown its own pages.
 */
export class KernelHeap {
  readonly #memory: SharedMemory;
  /** Addresses of free blocks by size. */
  readonly #free = new Map<number, number[]>();
  /** Grown, and never allocated: [#next, #end). */
  #next = 0;
  #end = 0;
  #grownPages = 0;

  private constructor(memory: SharedMemory) {
    this.#memory = memory;
  }

  static of(memory: SharedMemory): KernelHeap {
    const known = heaps.get(memory) ?? new KernelHeap(memory);
    heaps.set(memory, known);
    return known;
  }

  /**
   * The address of `byteLength` bytes or more, a multiple of 64; their content is undefined. Throws `RangeError` if the
   * memory cannot grow.
   */
  take(byteLength: number): number {
    const size = sizeFor(byteLength);
    const free = this.#free.get(size)?.pop();
    if (free !== undefined) return free;
    if (this.#end - this.#next < size) this.#grow(size);
    const address = this.#next;
    this.#next += size;
    return address;
  }

  /** Takes back a block of this many bytes. */
  give(address: number, byteLength: number): void {
    const size = sizeFor(byteLength);
    const free = this.#free.get(size);
    if (free === undefined) this.#free.set(size, [address]);
    else free.push(address);
  }

  #grow(size: number): void {
    const needed = Math.ceil(size / PAGE_BYTES);
    const there = this.#memory.buffer.byteLength / PAGE_BYTES;
    const pages = Math.max(needed, Math.min(this.#grownPages, MAX_GROWTH_PAGES, MAX_PAGES - there));
    const start = this.#memory.grow(pages) * PAGE_BYTES;
    this.#grownPages += pages;
    // The remainder is lost, unless no other thread has grown the memory in the meantime.
    if (start !== this.#end) this.#next = start;
    this.#end = start + pages * PAGE_BYTES;
  }
}

function sizeFor(byteLength: number): number {
  return Math.max(MIN_BLOCK_BYTES, 2 ** Math.ceil(Math.log2(byteLength)));
}
