import { readAsnTable } from "../../data/asn-table.ts";
import type { AsnPrefixes } from "../../data/asn-table.ts";
import { TableCollector, wordsAt } from "./table-data.ts";
import type { TableData } from "./table-data.ts";

/** The routed prefixes of both families, each with the place of its AS number among all AS numbers as the value id. */
export function routedTables(): { routed4: TableData; routed6: TableData } {
  const { ipv4, ipv6 } = readAsnTable();
  const valueOfAsn = new Map<number, number>();
  return { routed4: collect(ipv4, valueOfAsn), routed6: collect(ipv6, valueOfAsn) };
}

function collect(prefixes: AsnPrefixes, valueOfAsn: Map<number, number>): TableData {
  const table = new TableCollector(prefixes.family);
  for (let i = 0; i < prefixes.count; i++) {
    const asn = prefixes.asns[i]!;
    let value = valueOfAsn.get(asn);
    if (value === undefined) valueOfAsn.set(asn, (value = valueOfAsn.size + 1));
    table.set(wordsAt(prefixes.family, prefixes.words, i), prefixes.lengths[i]!, value);
  }
  return table.finish();
}
