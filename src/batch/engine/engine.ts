/**
 * What finds and looks up addresses: the WebAssembly kernel, or TypeScript alone, several times slower, with the same
 * results. "auto" takes the kernel if the platform has WebAssembly with SIMD and shared memory. Fields, and lines
 * longer than a shard, are processed in TypeScript in any case.
 */
export type Engine = "auto" | "webassembly" | "typescript";
