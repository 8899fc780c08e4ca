import { readHead } from "./_head.ts";
import { type JsonObject, memberOf, objectAt, objectsAt, parseJson, textAt } from "./_json.ts";
import { ImportError } from "./import-error.ts";
import { type Importer, ListBuilder, type Named, Places } from "./imported-list.ts";
import type { FixedPlace } from "./plain-text.ts";

export interface PrefixesJsonOptions extends FixedPlace {
  /** The member that holds the items. */
  readonly items?: string;
  /** The members of an item that hold an IPv4 prefix, an IPv6 prefix, or one of either family. */
  readonly ipv4?: string;
  readonly ipv6?: string;
  readonly either?: string;
  /** The members of an item that name its service and its region. */
  readonly serviceMember?: string;
  readonly regionMember?: string;
  /** What the publisher's codes are called. */
  readonly serviceName?: (code: string) => string;
  readonly regionName?: (code: string) => string;
}

/**
 * `{creationTime, prefixes: [{ipv4Prefix | ipv6Prefix}]}`, as Google, Bing, OpenAI, Apple, Anthropic and Perplexity
 * publish their crawlers' addresses, and similar lists with other member names. Order, white space and further members
 * make no difference.
 */
export function prefixesJson(options: PrefixesJsonOptions = {}): Importer {
  const { items = "prefixes", ipv4 = "ipv4Prefix", ipv6 = "ipv6Prefix", either } = options;
  return (text) => {
    const root = objectAt(parseJson(text), "$");
    const list = new ListBuilder();
    readHead(list, root);
    const places = new Places();
    for (const [item, position] of objectsAt(root[items], memberOf("$", items))) {
      const place = placeOf(item, position, options, places);
      const members = [[ipv4, 4], [ipv6, 6], ...(either === undefined ? [] : [[either, undefined] as const])] as const;
      let found = 0;
      for (const [member, family] of members) {
        // Some publishers write both members of every item, the one that does not apply as null.
        if (item[member] === undefined || item[member] === null) continue;
        list.add(item[member], memberOf(position, member), place, family);
        found++;
      }
      if (found === 0)
        throw new ImportError("bad-shape", position, `expected one of ${members.map(([member]) => member).join(", ")}`);
    }
    return list.build();
  };
}

function placeOf(
  item: JsonObject,
  position: string,
  options: PrefixesJsonOptions,
  places: Places,
): ReturnType<Places["of"]> {
  const { service, region, serviceMember, regionMember, serviceName, regionName } = options;
  return places.of(
    service ?? codeAt(item, serviceMember, position, serviceName),
    region ?? codeAt(item, regionMember, position, regionName),
    position,
  );
}

function codeAt(
  item: JsonObject,
  member: string | undefined,
  position: string,
  nameOf?: (code: string) => string,
): Named | string | null {
  if (member === undefined) return null;
  const code = textAt(item[member], memberOf(position, member));
  return nameOf === undefined ? code : { id: code, name: nameOf(code) };
}

const PREFIX_MEMBERS = [
  "prefix",
  "ip_prefix",
  "ipv4_prefix",
  "ipv6_prefix",
  "ipv4prefix",
  "ipv6prefix",
  "cidr",
  "range",
  "network",
  "ip_address",
  "address",
  "ip",
];
const SERVICE_MEMBERS = ["service", "product"];
const REGION_MEMBERS = ["region", "scope", "zone", "location"];

/**
 * The generic form, for lists without an importer of their own: an array, or an object with an array named `prefixes`,
 * of texts, or of objects that hold a prefix and perhaps a service and a region under one of the usual names.
 */
export function anyPrefixesJson(fixed: FixedPlace = {}): Importer {
  return (text) => {
    const root = parseJson(text);
    const list = new ListBuilder();
    const places = new Places();
    const isArray = Array.isArray(root);
    const where = isArray ? "$" : "$.prefixes";
    if (!isArray) readHead(list, objectAt(root, "$"));
    const items = isArray ? root : objectAt(root, "$").prefixes;
    if (!Array.isArray(items)) throw new ImportError("bad-shape", where, "expected an array of prefixes");
    for (const [at, item] of (items as unknown[]).entries()) {
      const position = `${where}[${at}]`;
      if (typeof item === "string")
        list.add(item, position, places.of(fixed.service ?? null, fixed.region ?? null, position));
      else addItem(list, objectAt(item, position), position, fixed, places);
    }
    return list.build();
  };
}

function addItem(list: ListBuilder, item: JsonObject, position: string, fixed: FixedPlace, places: Places): void {
  const names = Object.keys(item);
  const find = (known: readonly string[]): string | undefined =>
    names.find((name) => known.includes(name.toLowerCase()));
  const place = placeOf(
    item,
    position,
    { ...fixed, serviceMember: find(SERVICE_MEMBERS), regionMember: find(REGION_MEMBERS) },
    places,
  );
  const held = names.filter((name) => PREFIX_MEMBERS.includes(name.toLowerCase()));
  if (held.length === 0)
    throw new ImportError("bad-shape", position, `no member is called ${PREFIX_MEMBERS.join(", ")}`);
  for (const name of held) list.add(item[name], memberOf(position, name), place);
}
