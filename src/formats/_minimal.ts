import type { Prefix } from "../address/address.ts";
import { AddressSet } from "../sets/address-set.ts";
import type { EntryList } from "./entry.ts";

/**
 * The addresses of the list, for consumers that take each address once only. All entries are read first, with an empty
 * part every few hundred microseconds.
 */
export function* addressesOf(list: EntryList): Generator<"", AddressSet, undefined> {
  const collecting = AddressSet.collecting(prefixesOf(list));
  let step = collecting.next();
  for (; step.done !== true; step = collecting.next()) yield "";
  return step.value;
}

function* prefixesOf(list: EntryList): Generator<Prefix> {
  for (const { prefix } of list.entries()) yield prefix;
}
