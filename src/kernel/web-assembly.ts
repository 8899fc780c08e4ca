/**
 * What the kernel uses of WebAssembly, in types: the ECMAScript library of TypeScript has none of it. `undefined` where
 * the platform lacks it.
 */
export const webAssembly: WebAssemblyApi | undefined = (globalThis as { WebAssembly?: WebAssemblyApi }).WebAssembly;

/** A shared memory; `grow` gives it a new `buffer` and leaves the views of the old one as they are. */
export interface KernelMemory {
  readonly buffer: SharedArrayBuffer;
  /** By so many pages of 64 KiB; returns how many there were. Throws `RangeError` when there is no room. */
  grow(pages: number): number;
}

interface WebAssemblyApi {
  readonly Memory: new (descriptor: { initial: number; maximum: number; shared: true }) => KernelMemory;
  readonly Module: new (bytes: Uint8Array) => object;
  /** What a trap throws. */
  readonly RuntimeError: new () => Error;
  readonly Instance: new (module: object, imports: { env: { memory: KernelMemory } }) => { readonly exports: unknown };
}
