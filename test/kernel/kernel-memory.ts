import assert from "node:assert/strict";
import { Kernel } from "../../src/kernel/kernel.ts";
import { type SharedMemory, webAssembly } from "../../src/memory/web-assembly.ts";
import { WORKSPACE_BYTES } from "../../src/kernel/workspace.ts";
import type { PrefixTable } from "../../src/table/prefix-table.ts";

const PAGE = 65536;

/**
 * A kernel over a memory that starts with a copy of the table, followed by the workspace and `room` bytes for the test.
 */
export interface KernelRoom {
  readonly kernel: Kernel;
  readonly memory: SharedMemory;
  /** The offset of the test's own bytes, a multiple of 64 KiB; the memory ends after them. */
  readonly at: number;
  readonly bytes: Buffer;
}

export function kernelOver(table: PrefixTable, room: number): KernelRoom {
  const tablePages = Math.ceil(table.buffer.byteLength / PAGE);
  const workspace = tablePages * PAGE;
  const at = workspace + WORKSPACE_BYTES;
  const pages = Math.ceil((at + room) / PAGE);
  const memory = new (webAssembly()!.Memory)({ initial: pages, maximum: 65536, shared: true });
  new Uint8Array(memory.buffer).set(new Uint8Array(table.buffer));
  const kernel = Kernel.create(memory, table.sections, workspace);
  assert.ok(kernel !== null);
  return { kernel, memory, at, bytes: Buffer.from(memory.buffer, at, pages * PAGE - at) };
}
