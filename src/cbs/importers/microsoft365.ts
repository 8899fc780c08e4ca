import { memberOf, objectsAt, parseJson, textAt, arrayAt } from "./_json.ts";
import { type Importer, ListBuilder, Places } from "./imported-list.ts";

/**
 * An array of `{id, serviceArea, serviceAreaDisplayName, ips?}`; most have host names only, and one prefix stands under
 * several ids.
 */
export const microsoft365: Importer = (text) => {
  const list = new ListBuilder();
  const places = new Places();
  for (const [item, position] of objectsAt(parseJson(text), "$")) {
    const area = textAt(item.serviceArea, memberOf(position, "serviceArea"));
    const name = typeof item.serviceAreaDisplayName === "string" ? item.serviceAreaDisplayName : area;
    const where = memberOf(position, "ips");
    const ips = arrayAt(item.ips ?? [], where);
    for (const [at, prefix] of ips.entries())
      list.add(prefix, `${where}[${at}]`, places.of({ id: area, name }, null, position));
  }
  return list.build();
};
