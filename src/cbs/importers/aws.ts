import { readHead } from "./_head.ts";
import { memberOf, objectAt, objectsAt, parseJson, textAt } from "./_json.ts";
import { AWS_REGIONS, AWS_SERVICES, nameIn } from "./_names.ts";
import { type Importer, ListBuilder, Places } from "./imported-list.ts";

/**
 * `{syncToken, createDate, prefixes: [{ip_prefix, region, service}], ipv6_prefixes: [{ipv6_prefix, ...}]}`. One prefix
 * stands under up to three services; editions before 2016 have no IPv6 and no array for it. AMAZON is a service like
 * the others: it does not name all of theirs.
 */
export const aws: Importer = (text) => {
  const root = objectAt(parseJson(text), "$");
  const list = new ListBuilder();
  readHead(list, root);
  const places = new Places();
  for (const [array, member, family] of [
    ["prefixes", "ip_prefix", 4],
    ["ipv6_prefixes", "ipv6_prefix", 6],
  ] as const) {
    if (root[array] === undefined && family === 6) continue;
    for (const [row, position] of objectsAt(root[array], memberOf("$", array))) {
      const service = textAt(row.service, memberOf(position, "service"));
      const region = textAt(row.region, memberOf(position, "region"));
      const place = places.of(
        { id: service, name: nameIn(AWS_SERVICES, service) },
        { id: region, name: nameIn(AWS_REGIONS, region) },
        position,
      );
      list.add(row[member], memberOf(position, member), place, family);
    }
  }
  return list.build();
};
