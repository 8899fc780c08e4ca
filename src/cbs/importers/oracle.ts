import { readHead } from "./_head.ts";
import { memberOf, objectAt, objectsAt, parseJson, textAt, textsAt } from "./_json.ts";
import { ORACLE_SERVICES, nameIn } from "./_names.ts";
import { type Importer, ListBuilder, Places } from "./imported-list.ts";

/**
 * `{regions: [{region, cidrs: [{cidr, tags: ["OSN", "OBJECT_STORAGE"]}]}]}`: a prefix belongs to the service of each of
 * its tags.
 */
export const oracle: Importer = (text) => {
  const root = objectAt(parseJson(text), "$");
  const list = new ListBuilder();
  readHead(list, root);
  const places = new Places();
  for (const [{ region, cidrs }, where] of objectsAt(root.regions, "$.regions")) {
    const code = textAt(region, memberOf(where, "region"));
    const name = { id: code, name: regionName(code) };
    for (const [{ cidr, tags }, position] of objectsAt(cidrs, memberOf(where, "cidrs"))) {
      const services = textsAt(tags, memberOf(position, "tags")).map((tag) => ({
        id: tag,
        name: nameIn(ORACLE_SERVICES, tag),
      }));
      const of =
        services.length === 0
          ? places.of(null, name, position)
          : services.map((service) => places.of(service, name, position)[0]);
      list.add(cidr, memberOf(position, "cidr"), of);
    }
  }
  return list.build();
};

/** `mx-monterrey-1` as `Monterrey (mx-monterrey-1)`. */
function regionName(code: string): string {
  const city = /^[a-z]{2,3}-(?:gov-|dcc-)?([a-z]+)-\d+$/.exec(code)?.[1];
  return city === undefined ? code : `${city.charAt(0).toUpperCase()}${city.slice(1)} (${code})`;
}
