import type { Prefix } from "../address/address.ts";
import { formatAddress } from "../address/format-address.ts";
import { prefixOf } from "../address/prefix.ts";
import { lastAddress } from "../address/range.ts";
import type { EntryList } from "./entry.ts";

/** The prefix with its length, also that of a single address. */
export function cidr(prefix: Prefix): string {
  return `${formatAddress(prefix)}/${prefix.length}`;
}

/** The prefixes of a list for a consumer that takes none of length 0: its two halves instead. */
export function* withoutZeroLength(list: EntryList<"rules">): Generator<Prefix> {
  for (const { prefix } of list.entries()) yield* atLeast(1, prefix);
}

/** The prefix, or all prefixes of this length in it if it is wider. */
export function* atLeast(length: number, prefix: Prefix): Generator<Prefix> {
  if (prefix.length >= length) return void (yield prefix);
  yield* atLeast(length, prefixOf(prefix, prefix.length + 1));
  yield* atLeast(length, prefixOf(lastAddress(prefix), prefix.length + 1));
}
