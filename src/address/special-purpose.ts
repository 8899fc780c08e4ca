import type { Prefix } from "./address.ts";
import { parsePrefix, prefixContains, prefixOf } from "./prefix.ts";

/** An address block with a meaning of its own. */
export interface SpecialPurpose {
  readonly prefix: Prefix;
  readonly name: string;
  readonly reference: string;
  /** Only where the registry says so: "N/A" (6to4, Teredo, as reachable as what they embed) counts as false. */
  readonly globallyReachable: boolean;
}

/**
 * The entry that decides about the prefix: the most specific one that covers the whole of it, as RFC 8190 has more
 * specific entries override; else, when the prefix only contains special blocks, the first of those in address order.
 * undefined when it touches none. `prefixContains(entry.prefix, prefix)` says whether the
 * entry covers the prefix or lies in it. Linear in the fifty-odd entries of the registries.
 */
export function specialPurpose(prefix: Prefix): SpecialPurpose | undefined {
  let covering: SpecialPurpose | undefined;
  let contained: SpecialPurpose | undefined;
  entries ??= registry();
  for (const entry of entries) {
    // Of all entries, those that cover the prefix contain each other, and the order puts the less specific first: the
    // last one found is the most specific. The first inside it is the lowest: the order is by address. In order, every
    // covering entry is more specific than the one before it.
    if (prefixContains(entry.prefix, prefix)) covering = entry;
    else if (contained === undefined && prefixContains(prefix, entry.prefix)) contained = entry;
  }
  return covering ?? contained;
}

/** All of them, IPv4 first, in the order of addresses, the less specific first. */
export function specialPurposeBlocks(): readonly SpecialPurpose[] {
  return (entries ??= registry());
}

/** Made when it is asked for: parsing it takes a millisecond, which a command that does not need it should not pay. */
let entries: readonly SpecialPurpose[] | undefined;

const REACHABLE = true;
const NOT_REACHABLE = false;

/**
 * The IANA IPv4 and IPv6 Special-Purpose Address Registries (RFC 6890, RFC 8190) as of 2025-10-09, and the multicast
 * blocks, which have registries of their own. In the order of `comparePrefixes`, on which the lookup relies.
 */
const registry = (): readonly SpecialPurpose[] => [
  row("0.0.0.0/8", "This network", "RFC 791, section 3.2", NOT_REACHABLE),
  row("0.0.0.0/32", "This host on this network", "RFC 1122, section 3.2.1.3", NOT_REACHABLE),
  row("10.0.0.0/8", "Private-Use", "RFC 1918", NOT_REACHABLE),
  row("100.64.0.0/10", "Shared Address Space", "RFC 6598", NOT_REACHABLE),
  row("127.0.0.0/8", "Loopback", "RFC 1122, section 3.2.1.3", NOT_REACHABLE),
  row("169.254.0.0/16", "Link Local", "RFC 3927", NOT_REACHABLE),
  row("172.16.0.0/12", "Private-Use", "RFC 1918", NOT_REACHABLE),
  row("192.0.0.0/24", "IETF Protocol Assignments", "RFC 6890, section 2.1", NOT_REACHABLE),
  row("192.0.0.0/29", "IPv4 Service Continuity Prefix", "RFC 7335", NOT_REACHABLE),
  row("192.0.0.8/32", "IPv4 dummy address", "RFC 7600", NOT_REACHABLE),
  row("192.0.0.9/32", "Port Control Protocol Anycast", "RFC 7723", REACHABLE),
  row("192.0.0.10/32", "Traversal Using Relays around NAT Anycast", "RFC 8155", REACHABLE),
  row("192.0.0.170/32", "NAT64/DNS64 Discovery", "RFC 8880, RFC 7050, section 2.2", NOT_REACHABLE),
  row("192.0.0.171/32", "NAT64/DNS64 Discovery", "RFC 8880, RFC 7050, section 2.2", NOT_REACHABLE),
  row("192.0.2.0/24", "Documentation (TEST-NET-1)", "RFC 5737", NOT_REACHABLE),
  row("192.31.196.0/24", "AS112-v4", "RFC 7535", REACHABLE),
  row("192.52.193.0/24", "AMT", "RFC 7450", REACHABLE),
  row("192.88.99.0/24", "Deprecated (6to4 Relay Anycast)", "RFC 7526", NOT_REACHABLE),
  row("192.88.99.2/32", "6a44-relay anycast address", "RFC 6751", NOT_REACHABLE),
  row("192.168.0.0/16", "Private-Use", "RFC 1918", NOT_REACHABLE),
  row("192.175.48.0/24", "Direct Delegation AS112 Service", "RFC 7534", REACHABLE),
  row("198.18.0.0/15", "Benchmarking", "RFC 2544", NOT_REACHABLE),
  row("198.51.100.0/24", "Documentation (TEST-NET-2)", "RFC 5737", NOT_REACHABLE),
  row("203.0.113.0/24", "Documentation (TEST-NET-3)", "RFC 5737", NOT_REACHABLE),
  row("224.0.0.0/4", "Multicast", "RFC 5771", NOT_REACHABLE),
  row("240.0.0.0/4", "Reserved", "RFC 1112, section 4", NOT_REACHABLE),
  row("255.255.255.255/32", "Limited Broadcast", "RFC 8190, RFC 919, section 7", NOT_REACHABLE),

  row("::/128", "Unspecified Address", "RFC 4291", NOT_REACHABLE),
  row("::1/128", "Loopback Address", "RFC 4291", NOT_REACHABLE),
  // Not parsed: a mapped prefix would be read as 0.0.0.0/0. It can only be found inside an IPv6 prefix.
  {
    prefix: prefixOf({ family: 6, w0: 0, w1: 0, w2: 0xffff, w3: 0 }, 96),
    name: "IPv4-mapped Address",
    reference: "RFC 4291",
    globallyReachable: NOT_REACHABLE,
  },
  row("64:ff9b::/96", "IPv4-IPv6 Translation", "RFC 6052", REACHABLE),
  row("64:ff9b:1::/48", "IPv4-IPv6 Translation", "RFC 8215", NOT_REACHABLE),
  row("100::/64", "Discard-Only Address Block", "RFC 6666", NOT_REACHABLE),
  row("100:0:0:1::/64", "Dummy IPv6 Prefix", "RFC 9780", NOT_REACHABLE),
  row("2001::/23", "IETF Protocol Assignments", "RFC 2928", NOT_REACHABLE),
  row("2001::/32", "TEREDO", "RFC 4380, RFC 8190", NOT_REACHABLE),
  row("2001:1::1/128", "Port Control Protocol Anycast", "RFC 7723", REACHABLE),
  row("2001:1::2/128", "Traversal Using Relays around NAT Anycast", "RFC 8155", REACHABLE),
  row("2001:1::3/128", "DNS-SD Service Registration Protocol Anycast", "RFC 9665", REACHABLE),
  row("2001:2::/48", "Benchmarking", "RFC 5180, RFC Errata 1752", NOT_REACHABLE),
  row("2001:3::/32", "AMT", "RFC 7450", REACHABLE),
  row("2001:4:112::/48", "AS112-v6", "RFC 7535", REACHABLE),
  row("2001:10::/28", "Deprecated (previously ORCHID)", "RFC 4843", NOT_REACHABLE),
  row("2001:20::/28", "ORCHIDv2", "RFC 7343", REACHABLE),
  row("2001:30::/28", "Drone Remote ID Protocol Entity Tags (DETs) Prefix", "RFC 9374", REACHABLE),
  row("2001:db8::/32", "Documentation", "RFC 3849", NOT_REACHABLE),
  row("2002::/16", "6to4", "RFC 3056", NOT_REACHABLE),
  row("2620:4f:8000::/48", "Direct Delegation AS112 Service", "RFC 7534", REACHABLE),
  row("3fff::/20", "Documentation", "RFC 9637", NOT_REACHABLE),
  row("5f00::/16", "Segment Routing (SRv6) SIDs", "RFC 9602", NOT_REACHABLE),
  row("fc00::/7", "Unique-Local", "RFC 4193, RFC 8190", NOT_REACHABLE),
  row("fe80::/10", "Link-Local Unicast", "RFC 4291", NOT_REACHABLE),
  row("ff00::/8", "Multicast", "RFC 4291, section 2.7", NOT_REACHABLE),
];

function row(prefix: string, name: string, reference: string, globallyReachable: boolean): SpecialPurpose {
  return { prefix: parsePrefix(prefix), name, reference, globallyReachable };
}
