/**
 * What finds and looks up addresses: the WebAssembly kernel, or TypeScript alone, several times slower, with the same
 * answers. "auto" takes the kernel where the platform has WebAssembly with SIMD and shared memory. What the kernel does
 * not do (fields, and lines longer than a shard) is done in TypeScript in any case.
 */
export type Engine = "auto" | "webassembly" | "typescript";
