import type { Prefix } from "../../src/address/address.ts";

/** IPv4 first, then by address, then the wider one. */
export function comparePrefixes(a: Prefix, b: Prefix): number {
  return a.family - b.family || a.w0 - b.w0 || a.w1 - b.w1 || a.w2 - b.w2 || a.w3 - b.w3 || a.length - b.length;
}
