import type { Address, Prefix } from "../address/address.ts";
import { formatPrefix, parsePrefix, prefixOf } from "../address/prefix.ts";
import { describe } from "./_describe.ts";
import type { Catalogue } from "./catalogue.ts";

/** One node that a list names for one covering prefix. */
export interface LookupMatch {
  readonly provider: string;
  readonly type: string;
  readonly service: string | null;
  readonly region: string | null;
  readonly cidr: string;
  readonly cbs_id: string;
}

/**
 * Which services an address or a whole prefix belongs to. Arrays are sorted and without duplicates, but for `matches`: the
 * most specific prefix first, then by node id. A node counts where a list names it; its ancestors do not by themselves.
 */
export interface LookupDocument {
  /** The text that was asked for, as given. */
  readonly ip: string;
  readonly found: boolean;
  /** The most specific prefix that matches, null without one. */
  readonly cidr: string | null;
  /** The names of each node from the top down, joined by ` > `. */
  readonly labels: readonly string[];
  readonly cbs_ids: readonly string[];
  readonly providers: readonly string[];
  readonly types: readonly string[];
  readonly services: readonly string[];
  /** Without `global`, which is none. */
  readonly regions: readonly string[];
  readonly matches: readonly LookupMatch[];
}

/** The document of an address, or of the nodes that cover a prefix whole; `text` is how it was written. */
export function identify(catalogue: Catalogue, input: Address | Prefix, text: string): LookupDocument {
  const { table } = catalogue;
  const match = "length" in input ? table.lookupPrefix(input) : table.lookupAddress(input);
  return describe(catalogue, match, text, (length) => formatPrefix(prefixOf(input, length)));
}

/** The document of an address or prefix in text form. @throws AddressError for a malformed one, also for host bits that are set. */
export function identifyText(catalogue: Catalogue, text: string): LookupDocument {
  return identify(catalogue, parsePrefix(text), text);
}
