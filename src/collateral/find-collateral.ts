import { addressBits, type Family, type Prefix } from "../address/address.ts";
import { AddressSet } from "../sets/address-set.ts";
import type { RuleIndex } from "../rulesets/index/rule-index.ts";
import { finished } from "../turns/finished.ts";
import { ANY_LENGTH, isFor, type PrefixList, type Protected, type ProtectedGroup } from "./protected.ts";
import { coveredByRules } from "./rules.ts";

/** Prefixes of a hit that are named. */
const NAMED = 5;
const PREFIXES_AT_ONCE = 2048;
/** Wider prefixes are more likely mistakes than rules. */
const WIDE: Readonly<Record<Family, number>> = { 4: 8, 6: 19 };

/** Rules for what must not be blocked. */
export interface ProtectingRules extends Omit<Protected, "addresses"> {
  readonly rules: RuleIndex;
}

/** What must not be blocked. */
export interface Protection {
  readonly groups: readonly ProtectedGroup[];
  readonly rulesets: readonly ProtectingRules[];
}

/** What prefixes would block of something protected: `addresses` are those in both. */
export interface Hit extends Protected, Pick<ProtectedGroup, "longest"> {}

/** What prefixes would block. */
export interface Collateral {
  /** Most addresses first: by IPv4, then by IPv6. */
  readonly hits: readonly Hit[];
  /** Of each family the widest prefix, if it is wider than a /8 of IPv4 or a /19 of IPv6. */
  readonly tooWide: readonly Prefix[];
  /** The share of each family's address space that the prefixes take, from 0 to 1. */
  readonly share: Readonly<Record<Family, number>>;
}

/** Whether there is anything to say. */
export function hasCollateral({ hits, tooWide }: Pick<Collateral, "hits" | "tooWide">): boolean {
  return hits.length > 0 || tooWide.length > 0;
}

/** As `findingCollateral`, at once. Throws nothing. */
export function findCollateral(prefixes: PrefixList, protection: Protection, now: number = Date.now()): Collateral {
  return finished(findingCollateral(prefixes, protection, now));
}

/**
 * What a list of these prefixes would block that it should not. O(prefixes x things protected) at worst, a few
 * hundred microseconds for one prefix against a full catalogue and a hundred rulesets. It can be interrupted; rules that
 * change meanwhile count as they were or as they are.
 */
export function* findingCollateral(
  prefixes: PrefixList,
  { groups, rulesets }: Protection,
  now: number,
): Generator<undefined, Collateral, undefined> {
  const sets = new Map<ProtectedGroup["longest"], AddressSet>();
  const setFor = function* (longest: ProtectedGroup["longest"]): Generator<undefined, AddressSet, undefined> {
    let set = sets.get(longest);
    if (set === undefined) sets.set(longest, (set = yield* AddressSet.collecting(ofLength(prefixes, longest))));
    return set;
  };
  const hits: Hit[] = [];
  for (const group of groups) hits.push(...(yield* hitsOf(group, prefixes, yield* setFor(group.longest))));
  const set = yield* setFor(ANY_LENGTH);
  const tooWide = yield* tooWideOf(prefixes);
  const checked = { prefixes, set, isWide: tooWide.length > 0 };
  for (const { rules, ...about } of rulesets) {
    const addresses = yield* coveredByRules(checked, rules, now);
    if (!addresses.isEmpty) hits.push({ ...about, addresses, longest: ANY_LENGTH });
  }
  return { hits: sorted(hits), tooWide, share: { 4: shareOf(set, 4), 6: shareOf(set, 6) } };
}

function* ofLength(prefixes: PrefixList, longest: ProtectedGroup["longest"]): Generator<Prefix | undefined> {
  for (const prefix of prefixes) yield isFor({ longest }, prefix) ? prefix : undefined;
}

function* hitsOf(group: ProtectedGroup, prefixes: PrefixList, set: AddressSet): Generator<undefined, Hit[], undefined> {
  const [only] = prefixes.length === 1 ? prefixes : [];
  if (set.isEmpty) return [];
  // Nearly always nothing is hit: this costs a binary search for one prefix, and one pass for many.
  const common = only === undefined ? yield* group.all.combining("intersection", set) : group.all.within(only);
  if (common.isEmpty) return [];
  const hits: Hit[] = [];
  for (const member of group.members) {
    const addresses =
      only === undefined ? yield* member.addresses.combining("intersection", common) : member.addresses.within(only);
    if (!addresses.isEmpty) hits.push({ ...member, addresses, longest: group.longest });
  }
  return hits;
}

function sorted(hits: Hit[]): Hit[] {
  const sizes = new Map(hits.map((hit) => [hit, [hit.addresses.size(4), hit.addresses.size(6)] as const]));
  return hits.sort((one, other) => {
    const [a, b] = [sizes.get(one)!, sizes.get(other)!];
    const difference = b[0] - a[0] || b[1] - a[1];
    return difference > 0n ? 1 : difference < 0n ? -1 : 0;
  });
}

function* tooWideOf(prefixes: PrefixList): Generator<undefined, Prefix[], undefined> {
  const widest: Record<Family, Prefix | undefined> = { 4: undefined, 6: undefined };
  let count = 0;
  for (const prefix of prefixes) {
    const { family, length } = prefix;
    if (length < (widest[family]?.length ?? WIDE[family])) widest[family] = prefix;
    if (++count % PREFIXES_AT_ONCE === 0) yield;
  }
  return [widest[4], widest[6]].filter((prefix) => prefix !== undefined);
}

/** Exact up to the precision of a number. */
function shareOf(set: AddressSet, family: Family): number {
  return Number(set.size(family)) / 2 ** addressBits(family);
}

/** The first prefixes of a hit, in order. */
export function namedPrefixes({ addresses }: Hit): Prefix[] {
  return [...addresses.prefixes().take(NAMED)];
}
