import { readHead } from "./_head.ts";
import { memberOf, objectAt, objectsAt, parseJson, textAt } from "./_json.ts";
import { addPrefixArray } from "./_prefix-array.ts";
import { type Importer, ListBuilder, type NameLike, Places } from "./imported-list.ts";

/**
 * Service tags: `{changeNumber, cloud, values: [{name, properties: {region, addressPrefixes: [...]}}]}`, the same for
 * each of the clouds. A tag is called `Service` or `Service.Region`, but only `region` says whether it has one:
 * AzureFrontDoor.Frontend is a service. The service tag API leaves it out if there is none. Regions go by `region`
 * (canadacentral), which is the same in all tags, and are named after the tags (Canada Central).
 */
export const azure: Importer = (text) => {
  const root = objectAt(parseJson(text), "$");
  const list = new ListBuilder();
  readHead(list, root);
  const tags = [...objectsAt(root.values, "$.values")].map(([tag, position]) => {
    const where = memberOf(position, "properties");
    const properties = objectAt(tag.properties, where);
    const name = textAt(tag.name, memberOf(position, "name"));
    return {
      name,
      region: textAt(properties.region ?? "", memberOf(where, "region")),
      prefixes: properties.addressPrefixes,
      where,
    };
  });
  const regionNames = namesOfRegions(tags);
  const places = new Places();
  for (const { name, region, prefixes, where } of tags) {
    const position = memberOf(where, "addressPrefixes");
    const regionName: NameLike = region === "" ? null : { id: region, name: regionNames.get(region) ?? region };
    const place = places.of(serviceOf(name, region), regionName, where);
    addPrefixArray(list, prefixes, position, place);
  }
  return list.build();
};

function serviceOf(tag: string, region: string): string {
  const dot = tag.lastIndexOf(".");
  return region === "" || dot < 0 ? tag : tag.slice(0, dot);
}

/** What tags call the regions; those of AzureCloud repeat the code. */
function namesOfRegions(tags: readonly { readonly name: string; readonly region: string }[]): Map<string, string> {
  const names = new Map<string, string>();
  for (const { name, region } of tags) {
    const written = name.slice(name.lastIndexOf(".") + 1);
    if (region !== "" && written !== name && /[A-Z]/.test(written) && !names.has(region))
      names.set(region, wordsOf(written));
  }
  return names;
}

/** `EastUS2EUAP` as `East US 2 EUAP`. */
function wordsOf(name: string): string {
  return name.replace(/([a-z0-9])(?=[A-Z])|([A-Z])(?=[A-Z][a-z])|([A-Za-z])(?=[0-9])/g, "$& ");
}
