/** The unit in which memories grow. */
export const PAGE_BYTES: number = 64 * 1024;
/** 4 GiB: the range of 32-bit addresses. */
export const MAX_PAGES = 65_536;

/**
 * The types of the used parts of WebAssembly, which TypeScript's ECMAScript library lacks. `undefined` on platforms
 * without it.
 */
export function webAssembly(): WebAssemblyApi | undefined {
  return (globalThis as { WebAssembly?: WebAssemblyApi }).WebAssembly;
}

/** A shared `WebAssembly.Memory`; `grow` gives it a new `buffer` and leaves the old one and its views as they are. */
export interface SharedMemory {
  readonly buffer: SharedArrayBuffer;
  /** Grows by this many pages of 64 KiB; returns the previous number. Throws `RangeError` when there is no room. */
  grow(pages: number): number;
}

export interface WebAssemblyApi {
  readonly Memory: new (descriptor: { initial: number; maximum: number; shared: true }) => SharedMemory;
  readonly Module: new (bytes: Uint8Array) => object;
  /** The error of a trap. */
  readonly RuntimeError: new () => Error;
  readonly Instance: new (module: object, imports: { env: { memory: SharedMemory } }) => { readonly exports: unknown };
}
