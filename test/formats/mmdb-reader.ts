import assert from "node:assert/strict";
import type { Reader, Response } from "mmdb-lib";
import { formatAddress } from "../../src/address/format-address.ts";
import type { CatalogueTree } from "../../src/cbs/catalogue-tree.ts";
import { recordOf } from "./programs/record.ts";
import { isInMmdbIpv4, probes } from "./subjects.ts";

/** Compares what the reader says about a catalogue's addresses with the catalogue; returns how many were compared. */
export function compareMmdb(tree: CatalogueTree, reader: Reader<Response>, step: number): number {
  let count = 0;
  const known = new Map<number, string>();
  for (const address of probes(tree.catalogue, step)) {
    if (isInMmdbIpv4(address)) continue;
    const match = tree.catalogue.table.lookupAddress(address);
    if (!known.has(match)) known.set(match, JSON.stringify(recordOf(tree, address)));
    // Compared as text: comparing a million documents member by member takes a minute.
    if (JSON.stringify(reader.get(formatAddress(address))) !== known.get(match))
      assert.deepEqual(reader.get(formatAddress(address)), recordOf(tree, address), formatAddress(address));
    count++;
  }
  return count;
}
