import type { SharedMemory } from "../../memory/web-assembly.ts";
import { WORKSPACE_BYTES } from "../../kernel/workspace.ts";
import { KernelHeap } from "../engine/kernel/kernel-heap.ts";
import type { SharedBytes, Workspace } from "../engine/messages.ts";
import { INPUT_BUFFERS } from "../engine/thread-sizes.ts";

/** Larger blocks get a buffer of their own, which is returned to the system. */
const MAX_BLOCK_BYTES = 64 * 1024 * 1024;

/** Bytes that threads share, and this thread's view of them. */
export interface SharedBuffer {
  readonly block: SharedBytes;
  readonly bytes: Buffer;
}

/**
 * The memory that one run uses in all its threads: blocks of the kernel's memory if there is one; otherwise buffers.
 */
export class RunMemory {
  readonly memory: SharedMemory | null;
  readonly #heap: KernelHeap | null;
  #held: SharedBytes | null = null;
  #isReleased = false;
  readonly #taken: { readonly address: number; readonly byteLength: number }[] = [];

  /** Without a memory, everything gets buffers of its own. */
  constructor(memory: SharedMemory | null) {
    this.memory = memory;
    this.#heap = memory === null ? null : KernelHeap.of(memory);
  }

  /** This many bytes, for reading or writing; their initial content is undefined. */
  take(byteLength: number): SharedBuffer {
    const address = byteLength > MAX_BLOCK_BYTES ? null : this.#takeBlock(byteLength);
    if (address !== null) return viewOf({ buffer: null, at: address, byteLength }, this.memory);
    return viewOf({ buffer: new SharedArrayBuffer(byteLength), at: 0, byteLength }, null);
  }

  /**
   * The workspace of a thread with a kernel; null if there is no memory for it. `inputBytes` is the size of an input
   * buffer, `templateBytes` that of an area for row templates, and `sharedTemplateOf` the address of their list, 0
   * without rows, and `tailBytes` the size of the area for texts that rows end with.
   */
  takeWorkspace(
    inputBytes: number,
    templateBytes: number,
    matchCount: number,
    sharedTemplateOf: number,
    tailBytes: number,
  ): Workspace | null {
    const writesRows = sharedTemplateOf !== 0;
    const kernel = this.#takeBlock(WORKSPACE_BYTES);
    const inputs = Array.from({ length: INPUT_BUFFERS }, () => this.#takeBlock(inputBytes));
    const templateOf = writesRows ? this.#takeBlock((matchCount + 2) * 4) : 0;
    const templates = writesRows ? this.#takeBlock(templateBytes) : 0;
    const sharedTemplates = writesRows ? this.#takeBlock(templateBytes) : 0;
    const tails = writesRows && tailBytes > 0 ? this.#takeBlock(tailBytes) : null;
    if (
      kernel === null ||
      templateOf === null ||
      templates === null ||
      sharedTemplates === null ||
      !inputs.every((input) => input !== null)
    )
      return null;
    return {
      kernel,
      inputs,
      inputBytes,
      templateBytes,
      sharedTemplateOf,
      sharedTemplates,
      templateOf,
      templates,
      tails: tails === null ? null : { buffer: null, at: tails, byteLength: tailBytes },
    };
  }

  #takeBlock(byteLength: number): number | null {
    if (this.#heap === null) return null;
    try {
      const address = this.#heap.take(byteLength);
      this.#taken.push({ address, byteLength });
      return address;
    } catch {
      return null; // it has 4 GiB, or the system has no more
    }
  }

  /** Declares that an output reads these bytes until `letGo`: if the run is given up, that may be after its end. */
  hold(block: SharedBytes): void {
    this.#held = block;
  }

  letGo(): void {
    this.#held = null;
    if (this.#isReleased) this.release();
  }

  /** Returns the blocks for later runs; the held one as soon as it is let go. No thread may use them any more. */
  release(): void {
    this.#isReleased = true;
    const held = this.#held?.buffer === null ? this.#held.at : null;
    for (const block of this.#taken.splice(0)) {
      if (block.address === held) this.#taken.push(block);
      else this.#heap!.give(block.address, block.byteLength);
    }
  }
}

/** This thread's view of bytes that threads share; `memory` is the run's. */
export function viewOf(block: SharedBytes, memory: SharedMemory | null): SharedBuffer {
  return { block, bytes: Buffer.from(block.buffer ?? memory!.buffer, block.at, block.byteLength) };
}
