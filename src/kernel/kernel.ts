import { HEADER_ROOT_BITS_4, HEADER_ROOT_BITS_6 } from "../table/layout.ts";
import type { TableSections } from "../table/sections.ts";
import { MODULE } from "./_module.ts";
import { type KernelMemory, webAssembly } from "./web-assembly.ts";

/** The functions that `assembly/index.ts` exports. Addresses and sizes are in bytes. */
interface Exports {
  setTable(root4: number, shift4: number, nodes4: number, root6: number, shift6: number, nodes6: number): void;
  setWorkspace(at: number): void;
  lookupBatch4(words: number, out: number, count: number): void;
  lookupBatch6(words: number, out: number, count: number): void;
}

/**
 * The native kernel over a memory that holds a table: one per thread. It owns no memory; all that it reads and writes are
 * addresses (byte offsets into the memory) that it is given.
 */
export class Kernel {
  readonly #exports: Exports;

  private constructor(exports: Exports) {
    this.#exports = exports;
  }

  /**
   * `sections` are those of the table in `memory`; `workspace` is the address of `WORKSPACE_BYTES` bytes that this
   * thread alone uses, a multiple of 64. Returns null where WebAssembly, or what the kernel needs of it, is missing.
   */
  static create(memory: KernelMemory, sections: TableSections, workspace: number): Kernel | null {
    const module = compiledModule();
    if (module === null) return null;
    const exports = new webAssembly!.Instance(module, { env: { memory } }).exports as Exports;
    const header = new Int32Array(memory.buffer, sections.header.byteOffset);
    exports.setTable(
      sections.root4.byteOffset,
      32 - header[HEADER_ROOT_BITS_4]!,
      sections.nodes4.byteOffset,
      sections.root6.byteOffset,
      32 - header[HEADER_ROOT_BITS_6]!,
      sections.nodes6.byteOffset,
    );
    exports.setWorkspace(workspace);
    return new Kernel(exports);
  }

  /** Looks up `count` IPv4 addresses, a word each at the address `words`, and writes their match ids to the address `out`. */
  lookupBatch4(words: number, out: number, count: number): void {
    this.#exports.lookupBatch4(words, out, count);
  }

  /** As `lookupBatch4`, for IPv6 addresses of four words. */
  lookupBatch6(words: number, out: number, count: number): void {
    this.#exports.lookupBatch6(words, out, count);
  }
}

let compiled: object | null | undefined;

/** The module, compiled once per thread (the engine shares the code between threads); null where the platform cannot. */
function compiledModule(): object | null {
  if (compiled === undefined) compiled = webAssembly === undefined ? null : compile(webAssembly);
  return compiled;
}

function compile(api: NonNullable<typeof webAssembly>): object | null {
  const bytes = Uint8Array.from(atob(MODULE), (character) => character.charCodeAt(0));
  try {
    return new api.Module(bytes);
  } catch {
    return null; // without SIMD or shared memories the module is not valid
  }
}
