import { readHead } from "./_head.ts";
import { type JsonObject, memberOf, objectAt, objectsAt, parseJson, textAt } from "./_json.ts";
import { AWS_REGIONS, AWS_SERVICES, nameIn } from "./_names.ts";
import { type Importer, ListBuilder, Places } from "./imported-list.ts";

/**
 * `{syncToken, createDate, prefixes: [{ip_prefix, region, service}], ipv6_prefixes: [{ipv6_prefix, ...}]}`. One prefix
 * stands under up to three services; editions before 2016 have no IPv6 and no array for it. AMAZON is a service like
 * the others: it does not name all of theirs.
 */
export const aws = inTheFormatOfAws("");

/** The same, with more arrays for the scanners of public authorities: `fedramp_prefixes`, `fedramp_ipv6_prefixes`. */
export const tenable = inTheFormatOfAws("", "fedramp_");

/** `fronts`: what the names of the arrays begin with. */
function inTheFormatOfAws(...fronts: readonly string[]): Importer {
  const arrays = fronts.flatMap((front) => [
    [`${front}prefixes`, "ip_prefix", 4] as const,
    [`${front}ipv6_prefixes`, "ipv6_prefix", 6] as const,
  ]);
  return (text) => {
    const root = objectAt(parseJson(text), "$");
    const list = new ListBuilder();
    readHead(list, root);
    const places = new Places();
    for (const [array, member, family] of arrays) {
      if (root[array] === undefined && family === 6) continue;
      for (const [row, position] of objectsAt(root[array], memberOf("$", array)))
        list.add(row[member], memberOf(position, member), placeOf(row, position, places), family);
    }
    return list.build();
  };
}

function placeOf(row: JsonObject, position: string, places: Places): ReturnType<Places["of"]> {
  const service = textAt(row.service, memberOf(position, "service"));
  const region = textAt(row.region, memberOf(position, "region"));
  return places.of(
    { id: service, name: nameIn(AWS_SERVICES, service) },
    { id: region, name: nameIn(AWS_REGIONS, region) },
    position,
  );
}
