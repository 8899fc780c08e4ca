import type { Prefix } from "../address/address.ts";
import { comparePrefixes, prefixContains } from "../address/prefix.ts";
import { AddressSet } from "../sets/address-set.ts";
import type { EntryList } from "./entry.ts";

/** Where IPv6 keeps IPv4 addresses in mapped form. No text is parsed to this prefix: it would be 0.0.0.0/0. */
const MAPPED: Prefix = { family: 6, w0: 0, w1: 0, w2: 0xffff, w3: 0, length: 96 };

/**
 * The prefix without IPv4 addresses in mapped form, for consumers that hold IPv4 addresses so: there, `::/0` would list all
 * of them. At most 96 prefixes for one.
 */
export function withoutMapped(prefix: Prefix): Iterable<Prefix> {
  if (!prefixContains(prefix, MAPPED)) return [prefix];
  return AddressSet.of([prefix])
    .difference(AddressSet.of([MAPPED]))
    .prefixes();
}

/** Whether an entry covers all of the prefix. O(entries up to it). */
export function covers(list: EntryList<"catalogue">, prefix: Prefix): boolean {
  for (const entry of list.entries(prefix.family)) {
    if (prefixContains(entry.prefix, prefix)) return true;
    if (comparePrefixes(entry.prefix, prefix) > 0) return false;
  }
  return false;
}

/**
 * Whether an IPv6 entry covers ::ffff:0:0/96. Here that has no meaning for IPv4, but consumers that look IPv4 addresses
 * up in mapped form would apply it to them; a line for all of IPv4 prevents that.
 */
export function needsIpv4Stop(list: EntryList<"catalogue">): boolean {
  if (!covers(list, MAPPED)) return false;
  for (const { prefix } of list.entries(4)) return prefix.length > 0;
  return true;
}
