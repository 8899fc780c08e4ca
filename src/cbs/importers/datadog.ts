import { readHead } from "./_head.ts";
import { arrayAt, memberOf, objectAt, parseJson } from "./_json.ts";
import { cloudRegionName } from "./_names.ts";
import { type Importer, ListBuilder, type NameLike, Places } from "./imported-list.ts";

/**
 * `{version, modified, SERVICE: {prefixes_ipv4: [...], prefixes_ipv6: [...]}}`, and beside some of the lists the same
 * prefixes by location: `prefixes_ipv4_by_location: {"aws:af-south-1": [...]}`. The key `global` is the union of all
 * and no service.
 */
export const datadog: Importer = (text) => {
  const root = objectAt(parseJson(text), "$");
  const list = new ListBuilder();
  readHead(list, root);
  const places = new Places();
  for (const [key, value] of Object.entries(root)) {
    if (key === "version" || key === "modified") continue;
    const position = memberOf("$", key);
    if (typeof value !== "object") {
      list.warn("unknown-member", position, "this member is not a service and is skipped");
      continue;
    }
    const service = key === "global" ? null : key;
    for (const [member, lists] of Object.entries(objectAt(value, position))) {
      const where = memberOf(position, member);
      const [, digit, byLocation] = /^prefixes_ipv([46])(_by_location)?$/.exec(member) ?? [];
      if (digit === undefined) {
        list.warn("unknown-member", where, "this member is not known and is left out");
        continue;
      }
      const family = digit === "4" ? 4 : 6;
      const add = (prefixes: unknown, region: NameLike, at: string): void => {
        for (const [index, prefix] of arrayAt(prefixes, at).entries())
          list.add(prefix, `${at}[${index}]`, places.of(service, region, at), family);
      };
      if (byLocation === undefined) add(lists, null, where);
      else
        for (const [location, prefixes] of Object.entries(objectAt(lists, where)))
          add(prefixes, regionOf(location), memberOf(where, location));
    }
  }
  return list.build();
};

/** `aws:af-south-1` is the region af-south-1, as the cloud itself calls it. */
function regionOf(location: string): NameLike {
  const code = location.slice(location.indexOf(":") + 1);
  return { id: code, name: cloudRegionName(code) };
}
