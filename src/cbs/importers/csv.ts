import { quoted } from "../../address/address-error.ts";
import { isPrefix } from "../../address/prefix.ts";
import { csvRows } from "./_csv.ts";
import { listText } from "./_text.ts";
import { ImportError } from "./import-error.ts";
import { type Importer, ListBuilder, Places } from "./imported-list.ts";
import type { FixedPlace } from "./plain-text.ts";

const PREFIX_COLUMNS = [
  "prefix",
  "ip_prefix",
  "cidr",
  "network",
  "subnet",
  "range",
  "address",
  "ip",
  "ip_address",
  "ip_range",
];
const SERVICE_COLUMNS = ["service", "product"];
const REGION_COLUMNS = ["region", "scope", "zone", "location"];

/**
 * CSV by RFC 4180. A first row without any prefix is a header, which names the columns of the prefix and, if there are
 * such, of the service and the region; without one the prefix stands first, alone or not.
 */
export function csv(fixed: FixedPlace = {}): Importer {
  return (text) => {
    const list = new ListBuilder();
    const places = new Places();
    let columns: Columns | undefined;
    for (const { line, fields } of csvRows(listText(text))) {
      const position = `line ${line}`;
      if (columns === undefined && !fields.some(isPrefix)) {
        columns = columnsInHeader(fields, position);
        continue;
      }
      columns ??= { prefix: 0, service: -1, region: -1, count: 0 };
      if (fields.length < columns.count) {
        throw new ImportError(
          "bad-csv",
          position,
          `the line has ${fields.length === 1 ? "1 field" : `${fields.length} fields`}, but the header has ${columns.count}`,
        );
      }
      const { service = fields[columns.service] ?? null, region = fields[columns.region] ?? null } = fixed;
      list.addRange(fields[columns.prefix]!, position, places.of(service, region, position));
    }
    return list.build();
  };
}

interface Columns {
  readonly prefix: number;
  /** -1 without one. */
  readonly service: number;
  readonly region: number;
  /** How many fields a row must have. */
  readonly count: number;
}

function columnsInHeader(header: readonly string[], position: string): Columns {
  const names = header.map((name) => name.toLowerCase().replace(/[\s-]+/g, "_"));
  const column = (known: readonly string[]): number => names.findIndex((name) => known.includes(name));
  const prefix = column(PREFIX_COLUMNS);
  if (prefix < 0) {
    throw new ImportError(
      "bad-csv",
      position,
      `no field is a prefix, and no column of ${quoted(header.join(","))} is called ${PREFIX_COLUMNS.join(", ")}`,
    );
  }
  return { prefix, service: column(SERVICE_COLUMNS), region: column(REGION_COLUMNS), count: header.length };
}
