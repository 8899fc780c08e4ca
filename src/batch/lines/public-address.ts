import { prefixOf } from "../../address/prefix.ts";
import { specialPurpose } from "../../address/special-purpose.ts";

/**
 * The blocks of 16 bits (IPv4: 8 bits) that contain something special, by family and number; most contain nothing and
 * need no search.
 */
const special = new Map<number, boolean>();

/**
 * Whether the address is reachable from the internet according to the registries of special-purpose addresses: not
 * private, loopback, link-local, documentation, multicast and so on. `words` are as `parseAddressBytes` writes them.
 */
export function isPublicAddress(family: 4 | 6, words: Uint32Array): boolean {
  const [w0, w1, w2, w3] = words as unknown as readonly [number, number, number, number];
  const key = family === 4 ? w0 >>> 24 : 0x1_0000 + (w0 >>> 16);
  let isSpecial = special.get(key);
  const address = family === 4 ? { family, w0, w1: 0, w2: 0, w3: 0 } : { family, w0, w1, w2, w3 };
  if (isSpecial === undefined)
    special.set(key, (isSpecial = specialPurpose(prefixOf(address, family === 4 ? 8 : 16)) !== undefined));
  return !isSpecial || (specialPurpose(prefixOf(address, family === 4 ? 32 : 128))?.globallyReachable ?? true);
}
