/**
 * How a thread's workspace is laid out, for the loader and the assembly, which is why it holds nothing but numbers. A
 * workspace is `WORKSPACE_BYTES` bytes of the memory, at a multiple of 64, that one kernel alone uses.
 */

/** Two pages. */
export const WORKSPACE_BYTES = 131072;
