import type { Family, Prefix } from "../address/address.ts";
import { formatPrefix } from "../address/prefix.ts";
import { mergePrefixes } from "../address/range.ts";
import { subtractPrefixes } from "../address/subtract.ts";
import type { ImportedList } from "../cbs/importers/imported-list.ts";
import { whyReserved } from "./reserved.ts";

export type RejectionCode =
  /** A prefix wider than that of any publisher. */
  | "too-wide"
  /** More entries, services and regions, or addresses than any publisher has. */
  | "too-much"
  /** A prefix that belongs to no one on the internet. */
  | "special-purpose"
  /** Less than half of the previous list. */
  | "half"
  /** A larger share than allowed has changed. */
  | "changed";

/** Why a readable list is not accepted. */
export interface Rejection {
  readonly code: RejectionCode;
  readonly message: string;
}

/** How a list differs from the previous one. */
export interface ListChange {
  /** Distinct prefixes before and after, and how many were added and removed. */
  readonly before: number;
  readonly after: number;
  readonly added: number;
  readonly removed: number;
  /** Prefixes in both lists whose services or regions differ. */
  readonly moved: number;
  readonly families: readonly FamilyChange[];
  /** Whether all prefixes have the same services and regions under the same names. */
  readonly isSame: boolean;
}

type Entries = Pick<ImportedList, "entries">;

/** The number of addresses before, and how many were removed and added, in IPv4 addresses or IPv6 /64s. */
export interface FamilyChange {
  readonly family: Family;
  readonly size: number;
  readonly gone: number;
  readonly fresh: number;
}

/**
 * The widest prefixes ever given to one organisation are IPv4 /8 and IPv6 /16; the widest in a list are a /10 and a
 * /24.
 */
const WIDEST: Readonly<Record<Family, number>> = { 4: 8, 6: 16 };

/**
 * The largest published lists have 101,516 entries, 3,132 services and regions, a 42nd of all IPv4 addresses, and the
 * /64s of a /24.
 */
const MAX_ENTRIES = 2_000_000;
const MAX_PLACES = 100_000;
/** An eighth of IPv4, and a /12, the size of a regional registry's allocation, counted in /64s. */
const MAX_ADDRESSES: Readonly<Record<Family, number>> = { 4: 2 ** 29, 6: 2 ** 52 };

/** A publisher may start with this many addresses of a new family: a /10, and a /20 counted in /64s. */
const FIRST_ADDRESSES: Readonly<Record<Family, number>> = { 4: 2 ** 22, 6: 2 ** 44 };

/** A change of so few prefixes is no warning sign if it also has few addresses: a /16, and a /32 counted in /64s. */
const FEW_PREFIXES = 8;
const FEW_ADDRESSES: Readonly<Record<Family, number>> = { 4: 2 ** 16, 6: 2 ** 32 };

/**
 * Rejects a list for content that no list may have, whatever the previous list was. Checked first, because comparing
 * such a list could take minutes. O(n log n).
 */
export function impossibleList(list: Entries): Rejection | undefined {
  return tooManyEntries(list) ?? impossiblePrefix(list) ?? tooManyAddresses(list);
}

function tooManyEntries({ entries }: Entries): Rejection | undefined {
  const tooMany = (count: number, what: string, most: number): Rejection => {
    return {
      code: "too-much",
      message: `it has ${count.toLocaleString("en")} ${what}, more than any publisher has (at most ${most.toLocaleString("en")}); only the publisher can correct it`,
    };
  };
  if (entries.length > MAX_ENTRIES) return tooMany(entries.length, "entries", MAX_ENTRIES);
  const places = new Set(entries.flatMap((entry) => entry.places)).size;
  return places > MAX_PLACES ? tooMany(places, "services and regions", MAX_PLACES) : undefined;
}

function tooManyAddresses({ entries }: Entries): Rejection | undefined {
  for (const family of [4, 6] as const) {
    const addresses = addressesOf(
      mergePrefixes(entries.map(({ prefix }) => prefix).filter((prefix) => prefix.family === family)),
    );
    if (addresses <= MAX_ADDRESSES[family]) continue;
    const share = percent(addresses / 2 ** (family === 4 ? 32 : 64));
    return {
      code: "too-much",
      message: `it contains ${share} of all IPv${family} addresses, more than any publisher has; only the publisher can correct it`,
    };
  }
  return undefined;
}

function impossiblePrefix({ entries }: Entries): Rejection | undefined {
  for (const { prefix } of entries) {
    const widest = WIDEST[prefix.family];
    if (prefix.length < widest) {
      return {
        code: "too-wide",
        message: `it contains ${formatPrefix(prefix)}, wider than any publisher has (at most /${widest}); only the publisher can correct it`,
      };
    }
    const why = whyReserved(prefix);
    if (why !== undefined)
      return {
        code: "special-purpose",
        message: `it contains ${formatPrefix(prefix)}: ${why}; only the publisher can correct it`,
      };
  }
  return undefined;
}

/** O(n log n). */
export function compareLists(before: Entries, after: Entries): ListChange {
  const [old, now] = [differentPrefixes(before), differentPrefixes(after)];
  const added = [...now.keys()].filter((text) => !old.has(text)).length;
  const removed = old.size + added - now.size;
  const families = ([4, 6] as const).map((family): FamilyChange => {
    const [a, b] = [old, now].map((prefixes) =>
      mergePrefixes([...prefixes.values()].filter((prefix) => prefix.family === family)),
    );
    return {
      family,
      size: addressesOf(a!),
      gone: addressesOf(subtractPrefixes(a!, b!)),
      fresh: addressesOf(subtractPrefixes(b!, a!)),
    };
  });
  const moved = movedPrefixes(before, after);
  const isSame = added + removed === 0 && placesOf(before) === placesOf(after);
  return { before: old.size, after: now.size, added, removed, moved, families, isSame };
}

/** The reason why an operator should check the list before it is accepted. `maxChange` is a share, 0 to 1. */
export function unusualChange(change: ListChange, maxChange: number): Rejection | undefined {
  if (isSmall(change)) return undefined;
  const what = whatIsLeft(change);
  if (what !== undefined) return { code: "half", message: `only ${what} are left, less than half` };
  const share = shareOfChange(change);
  if (share <= maxChange) return undefined;
  const moved = change.moved === 0 ? "" : `, ${change.moved} with another service or region`;
  const prefixes = `${change.added} prefixes added, ${change.removed} of ${change.before} removed${moved}`;
  return {
    code: "changed",
    message: `${percent(share)} of it has changed (${prefixes}), more than ${percent(maxChange)}`,
  };
}

/**
 * 0 if nothing changed, 1 if the editions have nothing in common: the part of both editions together that only one of
 * them has, by prefixes or by the addresses of a family, whichever is larger. A family that is new counts by its
 * prefixes only, unless it is huge: publishers add IPv6 at some point.
 */
export function shareOfChange({ before, added, removed, moved, families }: ListChange): number {
  const counted = families.filter(({ family, size, fresh }) => size > 0 || fresh > FIRST_ADDRESSES[family]);
  const shares = counted.map(({ size, gone, fresh }) => (gone + fresh) / (size + fresh));
  return Math.max((added + removed + moved) / (before + added), ...shares);
}

/** undefined if it is half or more. */
function whatIsLeft({ before, after, families }: ListChange): string | undefined {
  if (after * 2 < before) return `${after} of ${before} prefixes`;
  const lost = families.find(({ size, gone, fresh }) => (size - gone + fresh) * 2 < size);
  return lost === undefined
    ? undefined
    : `${percent((lost.size - lost.gone + lost.fresh) / lost.size)} of its IPv${lost.family} addresses`;
}

function isSmall({ added, removed, moved, families }: ListChange): boolean {
  return (
    added + removed + moved <= FEW_PREFIXES &&
    families.every(({ family, gone, fresh }) => gone + fresh <= FEW_ADDRESSES[family])
  );
}

function differentPrefixes({ entries }: Entries): Map<string, Prefix> {
  return new Map(entries.map(({ prefix }) => [formatPrefix(prefix), prefix]));
}

function addressesOf(prefixes: readonly Prefix[]): number {
  return prefixes.reduce((sum, { family, length }) => sum + 2 ** ((family === 4 ? 32 : 64) - length), 0);
}

/** The prefixes of both lists whose services or regions differ, whatever these are called. */
function movedPrefixes(before: Entries, after: Entries): number {
  const [old, now] = [placesByPrefix(before), placesByPrefix(after)];
  return [...now].filter(([text, places]) => {
    const known = old.get(text);
    return known !== undefined && (known.size !== places.size || [...places].some((place) => !known.has(place)));
  }).length;
}

function placesByPrefix({ entries }: Entries): Map<string, Set<string>> {
  const found = new Map<string, Set<string>>();
  for (const { prefix, places } of entries) {
    const text = formatPrefix(prefix);
    const ids = found.get(text) ?? new Set();
    for (const { service, region } of places) ids.add(`${service?.id ?? ""}\n${region?.id ?? ""}`);
    found.set(text, ids);
  }
  return found;
}

/** All prefixes with their services and regions, in an order that does not depend on the list's. */
function placesOf({ entries }: Entries): string {
  const rows = entries.flatMap(({ prefix, places }) => {
    const text = formatPrefix(prefix);
    return places.map(({ service, region }) => JSON.stringify([text, service, region]));
  });
  return [...new Set(rows)].sort().join("\n");
}

function percent(share: number): string {
  const percents = share * 100;
  return `${percents > 0 && percents < 1 ? percents.toPrecision(1) : Math.round(percents)} %`;
}
