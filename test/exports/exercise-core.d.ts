/** Uses every part of `ipsieve/core` once, and returns the results as JSON. */
export function exerciseCore(core: typeof import("../../src/core.ts"), bytes: Uint8Array): string;
