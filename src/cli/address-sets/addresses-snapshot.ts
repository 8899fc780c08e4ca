import type { Family } from "../../address/address.ts";
import type { AddressSet } from "../../sets/address-set.ts";
import { encodeSnapshot } from "../../snapshot/encode-snapshot.ts";
import { snapshotFromBytes } from "../../snapshot/snapshot-from-bytes.ts";
import type { Snapshot } from "../../snapshot/snapshot.ts";
import { freeze } from "../../table/freeze.ts";
import type { PrefixTable } from "../../table/prefix-table.ts";

/** The value of all prefixes. */
const INSIDE = 1;

/** A table in which the addresses of a set, and no others, have a match. O(prefixes) */
export function tableOfAddresses(addresses: AddressSet): PrefixTable {
  const counts = { 4: 0, 6: 0 };
  for (const { family } of addresses.prefixes()) counts[family]++;
  return freeze({
    sizeOf: (family: Family) => counts[family],
    forEach(family, visit) {
      for (const { w0, w1, w2, w3, length } of addresses.prefixes(family)) visit(w0, w1, w2, w3, length, INSIDE, null);
    },
  });
}

/** The same in memory that threads share, as `IdentifyOptions.within` needs it. O(prefixes) */
export async function snapshotOfAddresses(addresses: AddressSet): Promise<Snapshot> {
  const content = { table: tableOfAddresses(addresses), metadata: null, kind: "addresses" };
  const { chunks } = await encodeSnapshot("addresses", content);
  return snapshotFromBytes(Buffer.concat(chunks), "addresses");
}
