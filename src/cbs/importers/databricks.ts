import { arrayAt, memberOf, objectAt, objectsAt, parseJson, textAt } from "./_json.ts";
import { cloudRegionName, type Names, nameIn } from "./_names.ts";
import { type Importer, ListBuilder, type Named, Places } from "./imported-list.ts";

/** Addresses that customers connect to, and addresses that connect to theirs. */
const TYPES: Names = { inbound: "Inbound", outbound: "Outbound" };

/**
 * `{timestampSeconds, prefixes: [{platform, region, service, type, ipv4Prefixes: [...], ipv6Prefixes: [...]}]}`, where
 * `platform` is the cloud that hosts the region: aws, azure or gcp.
 */
export const databricks: Importer = (text) => {
  const root = objectAt(parseJson(text), "$");
  const list = new ListBuilder();
  if (typeof root.timestampSeconds === "number") list.publishedAt = timeOf(root.timestampSeconds);
  const places = new Places();
  for (const [row, position] of objectsAt(root.prefixes, "$.prefixes")) {
    const place = places.of(
      typeOf(textAt(row.type, memberOf(position, "type"))),
      regionOf(textAt(row.region, memberOf(position, "region"))),
      position,
    );
    for (const [member, family] of [["ipv4Prefixes", 4] as const, ["ipv6Prefixes", 6] as const]) {
      const where = memberOf(position, member);
      for (const [at, prefix] of arrayAt(row[member], where).entries())
        list.add(prefix, `${where}[${at}]`, place, family);
    }
  }
  return list.build();
};

function typeOf(code: string): Named {
  return { id: code, name: nameIn(TYPES, code) };
}

function regionOf(code: string): Named {
  return { id: code, name: cloudRegionName(code) };
}

function timeOf(seconds: number): string | null {
  const time = new Date(seconds * 1000);
  return Number.isNaN(time.getTime()) ? null : time.toISOString();
}
