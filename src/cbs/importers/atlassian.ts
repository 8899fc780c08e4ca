import { readHead } from "./_head.ts";
import { memberOf, objectAt, objectsAt, parseJson, textsAt } from "./_json.ts";
import { AWS_REGIONS, nameIn } from "./_names.ts";
import { type Importer, ListBuilder, type NameLike, Places } from "./imported-list.ts";

/**
 * `{items: [{cidr, region: [...], product: [...]}]}`: a prefix belongs to every product in every region that it lists;
 * older editions have neither. `network` and `mask` say the same as `cidr`, and an IPv6 mask looks like an address.
 */
export const atlassian: Importer = (text) => {
  const root = objectAt(parseJson(text), "$");
  const list = new ListBuilder();
  readHead(list, root);
  const places = new Places();
  for (const [{ cidr, region, product }, position] of objectsAt(root.items, "$.items")) {
    const products: NameLike[] = textsAt(product ?? [], memberOf(position, "product"));
    const regions: NameLike[] = textsAt(region ?? [], memberOf(position, "region")).map((code) => ({
      id: code,
      name: nameIn(AWS_REGIONS, code),
    }));
    if (products.length === 0) products.push(null);
    if (regions.length === 0) regions.push(null);
    const of = products.flatMap((service) => regions.map((where) => places.of(service, where, position)[0]));
    list.add(cidr, memberOf(position, "cidr"), of);
  }
  return list.build();
};
