import { type JsonObject, memberOf, objectAt, objectsAt, parseJson } from "./_json.ts";
import { ImportError } from "./import-error.ts";
import { type Importer, ListBuilder, Places } from "./imported-list.ts";
import type { FixedPlace } from "./plain-text.ts";

export interface AddressObjectsOptions extends FixedPlace {
  /** The members of an object that hold its IPv4 and its IPv6 address. */
  readonly ipv4: string;
  readonly ipv6: string;
}

/**
 * An array of objects, or an object of them by any key, each with one address of either family or of both: `[{ip,
 * ipv6}]`, `{lan: {ip, ip6}}`. Where there is no address of a family, its member is null, empty or absent.
 */
export function addressObjects({ ipv4, ipv6, service = null, region = null }: AddressObjectsOptions): Importer {
  return (text) => {
    const list = new ListBuilder();
    const place = new Places().of(service, region, "$");
    for (const [item, position] of objectsIn(parseJson(text))) {
      const held = [[ipv4, 4] as const, [ipv6, 6] as const].filter(([member]) => !isNone(item[member]));
      if (held.length === 0) throw new ImportError("bad-shape", position, `expected an address in ${ipv4} or ${ipv6}`);
      for (const [member, family] of held) list.add(item[member], memberOf(position, member), place, family);
    }
    return list.build();
  };
}

function isNone(value: unknown): boolean {
  return value === undefined || value === null || value === "";
}

function objectsIn(root: unknown): Iterable<[JsonObject, string]> {
  if (Array.isArray(root)) return objectsAt(root, "$");
  return Object.entries(objectAt(root, "$")).map(([key, item]) => {
    const position = memberOf("$", key);
    return [objectAt(item, position), position];
  });
}
