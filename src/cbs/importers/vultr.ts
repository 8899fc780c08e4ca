import { readHead } from "./_head.ts";
import { memberOf, objectAt, objectsAt, parseJson, textAt } from "./_json.ts";
import { GeofeedPlaces, named } from "./geofeed.ts";
import { type Importer, ListBuilder } from "./imported-list.ts";

/** A geofeed as JSON: `{updated, subnets: [{ip_prefix, alpha2code, region, city, postal_code}]}`. */
export const vultr: Importer = (text) => {
  const root = objectAt(parseJson(text), "$");
  const list = new ListBuilder();
  readHead(list, root);
  const places = new GeofeedPlaces(list, null);
  for (const [row, position] of objectsAt(root.subnets, "$.subnets")) {
    const [country, region, city] = ["alpha2code", "region", "city"].map((member) =>
      textAt(row[member] ?? "", memberOf(position, member)),
    );
    list.add(row.ip_prefix, memberOf(position, "ip_prefix"), places.of(country!, region!, city!, position));
  }
  return named(list.build(), places);
};
