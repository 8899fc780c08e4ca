import type { Prefix } from "../address/address.ts";
import { comparePrefixes, formatPrefix } from "../address/prefix.ts";
import type { NetworkOwner, Networks } from "./networks.ts";

/** A prefix with another owner than before, or with none in one of the two. */
export interface NetworkMove {
  readonly cidr: string;
  readonly before: NetworkOwner | null;
  readonly after: NetworkOwner | null;
}

/** What changed between two datasets of networks. */
export interface NetworksDiff {
  readonly prefixes_added: number;
  readonly prefixes_removed: number;
  /** Prefixes of both, with another AS number or country; another name of the same number is no move. */
  readonly prefixes_moved: number;
  /** In the order of addresses. */
  readonly prefixes: readonly NetworkMove[];
}

/** The changes that turn one dataset into the other. O(prefixes). */
export function diffNetworks(before: Networks, after: Networks): NetworksDiff {
  const prefixes: NetworkMove[] = [];
  for (const family of [4, 6] as const) {
    const [old, now] = [before.table.entries(family), after.table.entries(family)];
    let [one, other] = [old.next(), now.next()];
    while (one.done !== true || other.done !== true) {
      const order =
        one.done === true ? 1 : other.done === true ? -1 : comparePrefixes(one.value.prefix, other.value.prefix);
      const was = order <= 0 && one.done !== true ? before.ownerOf(one.value.match) : null;
      const is = order >= 0 && other.done !== true ? after.ownerOf(other.value.match) : null;
      if (was?.asn !== is?.asn || was?.country !== is?.country)
        prefixes.push({ cidr: formatPrefix(prefixOf(one, other, order)), before: was, after: is });
      if (order <= 0) one = old.next();
      if (order >= 0) other = now.next();
    }
  }
  const added = prefixes.filter((move) => move.before === null).length;
  const removed = prefixes.filter((move) => move.after === null).length;
  return {
    prefixes_added: added,
    prefixes_removed: removed,
    prefixes_moved: prefixes.length - added - removed,
    prefixes,
  };
}

type Entry = IteratorResult<{ readonly prefix: Prefix }, unknown>;

/** Of the one that comes first. */
function prefixOf(one: Entry, other: Entry, order: number): Prefix {
  return ((order <= 0 ? one : other) as { readonly value: { readonly prefix: Prefix } }).value.prefix;
}
