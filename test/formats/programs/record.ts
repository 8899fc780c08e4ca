import type { Address } from "../../../src/address/address.ts";
import type { CatalogueTree } from "../../../src/cbs/catalogue-tree.ts";
import type { LabelSets } from "../../../src/formats/data/_label-sets.ts";
import { identify } from "../../../src/cbs/identify.ts";

/** What an export must say about an address; null where nothing covers it. */
export function recordOf(
  { catalogue }: CatalogueTree,
  address: Address,
): (LabelSets & { readonly prefix_length: number }) | null {
  const match = catalogue.table.lookupAddress(address);
  if (match === 0) return null;
  const { cbs_ids, labels, providers, types, services, regions } = identify(catalogue, address, "");
  return { cbs_ids, labels, providers, types, services, regions, prefix_length: catalogue.table.prefixLength(match) };
}
