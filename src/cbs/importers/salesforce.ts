import { readHead } from "./_head.ts";
import { memberOf, objectAt, objectsAt, parseJson, textAt } from "./_json.ts";
import { cloudRegionName } from "./_names.ts";
import { addPrefixArray } from "./_prefix-array.ts";
import { type Importer, ListBuilder, Places } from "./imported-list.ts";

/** As AWS's list, but `ip_prefix` and `ipv6_prefix` are lists, and `provider` is the cloud that it is hosted by: aws or gcp. */
export const salesforce: Importer = (text) => {
  const root = objectAt(parseJson(text), "$");
  const list = new ListBuilder();
  readHead(list, root);
  const places = new Places();
  for (const [array, member, family] of [
    ["prefixes", "ip_prefix", 4],
    ["ipv6_prefixes", "ipv6_prefix", 6],
  ] as const) {
    // Editions before 2026 have no IPv6 and no array for it.
    if (root[array] === undefined && family === 6) continue;
    for (const [row, position] of objectsAt(root[array], memberOf("$", array))) {
      const region = textAt(row.region, memberOf(position, "region"));
      const place = places.of(
        { id: "hyperforce", name: "Hyperforce" },
        { id: region, name: cloudRegionName(region) },
        position,
      );
      addPrefixArray(list, row[member], memberOf(position, member), place, family);
    }
  }
  return list.build();
};
