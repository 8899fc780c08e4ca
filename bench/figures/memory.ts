import { ensureDataset, readDataset } from "../data/dataset.ts";
import { freeze } from "../../src/table/freeze.ts";
import { summarize } from "./part.ts";
import { trieOf } from "../contenders/ipsieve.ts";
import type { Measurement, Part } from "./part.ts";

/** Bytes of the whole buffer of a table, made of nothing but that data, for each of its prefixes. */
export const part: Part = async () => {
  const measurements: Measurement[] = [];
  for (const table of ["routed4", "routed6", "blocklist4", "hosts6", "sites6", "nested4", "nested6"] as const) {
    await ensureDataset(table);
    const data = readDataset(table).table;
    const frozen = freeze(trieOf(data));
    if (frozen.prefixCount(data.family) !== data.count)
      throw new Error(`the table of ${table} does not hold all its prefixes`);
    measurements.push({
      subject: "ipsieve",
      table,
      unit: "bytes/prefix",
      ...summarize([frozen.byteLength / data.count]),
    });
  }
  return { measurements, refusals: [], notes: [] };
};
