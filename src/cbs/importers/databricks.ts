import { memberOf, objectAt, objectsAt, parseJson, textAt } from "./_json.ts";
import { cloudRegionName, type Names, nameIn } from "./_names.ts";
import { addPrefixArray } from "./_prefix-array.ts";
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
  list.publish(timeOf(root.timestampSeconds), "$.timestampSeconds");
  const places = new Places();
  for (const [row, position] of objectsAt(root.prefixes, "$.prefixes")) {
    const place = places.of(
      typeOf(textAt(row.type, memberOf(position, "type"))),
      regionOf(textAt(row.region, memberOf(position, "region"))),
      position,
    );
    addPrefixArray(list, row.ipv4Prefixes, memberOf(position, "ipv4Prefixes"), place, 4);
    addPrefixArray(list, row.ipv6Prefixes, memberOf(position, "ipv6Prefixes"), place, 6);
  }
  return list.build();
};

function typeOf(code: string): Named {
  return { id: code, name: nameIn(TYPES, code) };
}

function regionOf(code: string): Named {
  return { id: code, name: cloudRegionName(code) };
}

/** The time as text; what is not a time stays as it is, to be reported. */
function timeOf(seconds: unknown): unknown {
  const time = new Date(typeof seconds === "number" ? seconds * 1000 : NaN);
  return Number.isNaN(time.getTime()) ? seconds : time.toISOString();
}
