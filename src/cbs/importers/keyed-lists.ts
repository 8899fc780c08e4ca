import { readHead } from "./_head.ts";
import { memberOf, objectAt, objectsAt, parseJson } from "./_json.ts";
import { addPrefixArray } from "./_prefix-array.ts";
import { ImportError } from "./import-error.ts";
import { type Importer, ListBuilder, type NameLike, Places } from "./imported-list.ts";
import type { FixedPlace } from "./plain-text.ts";

export interface KeyedListsOptions extends FixedPlace {
  /** The members on the way to the object of lists: `["IPRanges"]` for `{IPRanges: {jobs: [...]}}`. */
  readonly within?: readonly string[];
  /** The member of each value that holds the list: `"ip_ranges"` for `{cell: {ip_ranges: [...]}}`. */
  readonly inner?: string;
  /** What the keys are. Without it they mean nothing, as in `{ipv4: [...], ipv6: [...]}`. */
  readonly keys?: "service" | "region";
  /** The name of a key; null leaves the list to the provider itself. */
  readonly nameOf?: (key: string) => NameLike;
  /** Only these members are read, and each must be there. */
  readonly only?: readonly string[];
  /**
   * The keys of services. An array under another key may hold something else, where nothing in it looks like an
   * address.
   */
  readonly known?: readonly string[];
  /** Members that hold no prefixes, although they may look as if they did. */
  readonly ignore?: readonly string[];
  /** Addresses for private use are left out, and reported: the publisher lists some by mistake. */
  readonly withoutPrivate?: true;
}

/**
 * An object of lists of prefixes by name: `{hooks: [...], web: [...]}`. A member that is not an array and not among
 * `ignore` is reported, because publishers add such members; an array must hold prefixes and nothing else.
 */
export function keyedLists(options: KeyedListsOptions = {}): Importer {
  const { within = [], inner, keys, nameOf = (key) => key, only, ignore = [] } = options;
  return (text) => {
    const list = new ListBuilder(options);
    const places = new Places();
    let position = "$";
    let root = objectAt(parseJson(text), position);
    readHead(list, root);
    for (const name of within) root = objectAt(root[name], (position = memberOf(position, name)));
    for (const key of only ?? Object.keys(root)) {
      let where = memberOf(position, key);
      if (ignore.includes(key)) continue;
      if (only === undefined && !isList(key, root[key], options)) {
        list.warn("unknown-member", where, "this member is not a list of prefixes and is skipped");
        continue;
      }
      const value = inner === undefined ? root[key] : objectAt(root[key], where)[inner];
      if (inner !== undefined) where = memberOf(where, inner);
      const name = keys === undefined ? null : nameOf(key);
      const place = places.of(
        keys === "service" ? name : (options.service ?? null),
        keys === "region" ? name : (options.region ?? null),
        where,
      );
      addPrefixArray(list, value, where, place);
    }
    return list.build();
  };
}

/** Whether a member may be a list: an array or, where lists stand further inside, an object. */
function isList(key: string, value: unknown, { inner, known }: KeyedListsOptions): boolean {
  if (inner !== undefined) return typeof value === "object" && value !== null;
  if (!Array.isArray(value)) return false;
  if (known === undefined || known.includes(key)) return true;
  const looksLikeAddress = (item: unknown): boolean =>
    typeof item !== "string" || /^\s*[\da-f]*[.:][\da-f.:]*(\/|\s*$)/i.test(item);
  return value.length === 0 || value.some(looksLikeAddress);
}

/** A bare array of prefixes or addresses. */
export function bareArray({ service = null, region = null }: FixedPlace = {}): Importer {
  return (text) => {
    const list = new ListBuilder();
    addPrefixArray(list, parseJson(text), "$", new Places().of(service, region, "$"));
    return list.build();
  };
}

/** An array of objects in a member, each with its prefix in a member: `{ips: [{ip_address}]}`. */
export function objectList(member: string, prefixMember: string): Importer {
  return (text) => {
    const root = objectAt(parseJson(text), "$");
    const list = new ListBuilder();
    readHead(list, root);
    const where = memberOf("$", member);
    for (const [item, position] of objectsAt(root[member], where))
      list.add(item[prefixMember], memberOf(position, prefixMember));
    return list.build();
  };
}

/** An array, or an object of the arrays `ipv4` and `ipv6`, into which two of them have been joined. */
export function arrayOrFamilies(): Importer {
  const array = bareArray();
  const families = keyedLists({ only: ["ipv4", "ipv6"] });
  return (text) => {
    const root = parseJson(text);
    if (typeof root === "object" && root !== null) return Array.isArray(root) ? array(text) : families(text);
    throw new ImportError("bad-shape", "$", "expected an array of addresses");
  };
}
