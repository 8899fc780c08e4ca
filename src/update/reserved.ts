import type { Prefix } from "../address/address.ts";
import { formatPrefix, parsePrefix, prefixContains, prefixOf } from "../address/prefix.ts";
import { specialPurpose } from "../address/special-purpose.ts";

const GLOBAL_UNICAST = parsePrefix("2000::/3");
const TRANSLATED = parsePrefix("64:ff9b::/96");

/**
 * Why the prefix, or a part of it, belongs to no one on the internet: the registries of special-purpose addresses and,
 * for IPv6, all unallocated space. undefined if it is public. An address that NAT64 translates is judged by the IPv4
 * address in it.
 */
export function whyReserved(prefix: Prefix): string | undefined {
  if (prefixContains(TRANSLATED, prefix))
    return whyReserved(prefixOf({ family: 4, w0: prefix.w3, w1: 0, w2: 0, w3: 0 }, prefix.length - 96));
  const special = specialPurpose(prefix);
  if (special !== undefined && !special.globallyReachable) {
    const verb = prefixContains(special.prefix, prefix) ? "is in" : "contains";
    return `it ${verb} ${formatPrefix(special.prefix)}, ${special.name} (${special.reference})`;
  }
  if (prefix.family === 6 && !prefixContains(GLOBAL_UNICAST, prefix))
    return "it is outside 2000::/3, which contains all public IPv6 addresses";
  return undefined;
}
