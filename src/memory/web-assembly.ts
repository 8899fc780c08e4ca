/** The unit in which memories grow. */
export const PAGE_BYTES: number = 64 * 1024;
/** 4 GiB: what addresses of 32 bits reach. */
export const MAX_PAGES = 65_536;

/**
 * What is used of WebAssembly, in types: the ECMAScript library of TypeScript has none of it. `undefined` where the
 * platform lacks it.
 */
export function webAssembly(): WebAssemblyApi | undefined {
  return (globalThis as { WebAssembly?: WebAssemblyApi }).WebAssembly;
}

/** A shared `WebAssembly.Memory`; `grow` gives it a new `buffer` and leaves the old one and its views as they are. */
export interface SharedMemory {
  readonly buffer: SharedArrayBuffer;
  /** By so many pages of 64 KiB; returns how many there were. Throws `RangeError` when there is no room. */
  grow(pages: number): number;
}

export interface WebAssemblyApi {
  readonly Memory: new (descriptor: { initial: number; maximum: number; shared: true }) => SharedMemory;
  readonly Module: new (bytes: Uint8Array) => object;
  /** What a trap throws. */
  readonly RuntimeError: new () => Error;
  readonly Instance: new (module: object, imports: { env: { memory: SharedMemory } }) => { readonly exports: unknown };
}
