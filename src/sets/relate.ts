import type { Family } from "../address/address.ts";
import { AddressSet } from "./address-set.ts";

/** How the first of two sets relates to the second. Two empty sets are equal. */
export type Relation = "equal" | "covers" | "within" | "overlaps" | "disjoint";

/** Exact numbers of addresses. */
export type AddressCount = Readonly<Record<Family, bigint>>;

/** Two of several sets, by their numbers from 0. */
export interface RelatedPair {
  readonly first: number;
  readonly second: number;
  readonly relation: Relation;
  /** How many addresses are in both. */
  readonly shared: AddressCount;
}

/** One of several sets. */
export interface RelatedSet {
  readonly size: AddressCount;
  /** How many of its addresses are in none of the other sets: 0 for a list that adds nothing to the others. */
  readonly only: AddressCount;
}

/** How several sets relate to each other. */
export interface Relations {
  readonly sets: readonly RelatedSet[];
  /** Each set with each later one. */
  readonly pairs: readonly RelatedPair[];
}

/**
 * How sets of addresses relate, pair by pair, and how many addresses only one of them has. O(k n) for k sets of n
 * ranges in all. Can be interrupted. Throws nothing.
 */
export function* relating(sets: readonly AddressSet[]): Generator<undefined, Relations, undefined> {
  const pairs: RelatedPair[] = [];
  for (const [first, one] of sets.entries())
    for (let second = first + 1; second < sets.length; second++)
      pairs.push({ first, second, ...(yield* relatingTwo(one, sets[second]!)) });
  const others = yield* othersOf(sets);
  const related: RelatedSet[] = [];
  for (const [at, set] of sets.entries()) {
    const only = yield* set.combining("difference", others[at]!);
    related.push({ size: yield* sizeOf(set), only: yield* sizeOf(only) });
  }
  return { sets: related, pairs };
}

function* relatingTwo(
  one: AddressSet,
  other: AddressSet,
): Generator<undefined, Pick<RelatedPair, "relation" | "shared">, undefined> {
  const both = yield* one.combining("intersection", other);
  return { relation: relationOf(one, other, both), shared: yield* sizeOf(both) };
}

function relationOf(one: AddressSet, other: AddressSet, both: AddressSet): Relation {
  if (one.equals(other)) return "equal";
  if (both.isEmpty) return "disjoint";
  if (both.equals(other)) return "covers";
  return both.equals(one) ? "within" : "overlaps";
}

/**
 * For each set the union of all others: of those before it, which grows from the first on, and of those after it,
 * which grows from the last on.
 */
function* othersOf(sets: readonly AddressSet[]): Generator<undefined, AddressSet[], undefined> {
  const others: AddressSet[] = [];
  let before = AddressSet.EMPTY;
  for (const set of sets) {
    others.push(before);
    before = yield* before.combining("union", set);
  }
  let after = AddressSet.EMPTY;
  for (let at = sets.length - 1; at >= 0; at--) {
    others[at] = yield* others[at]!.combining("union", after);
    after = yield* after.combining("union", sets[at]!);
  }
  return others;
}

/** In steps, because each family takes some milliseconds. */
function* sizeOf(set: AddressSet): Generator<undefined, AddressCount, undefined> {
  const ipv4 = set.size(4);
  yield;
  const ipv6 = set.size(6);
  yield;
  return { 4: ipv4, 6: ipv6 };
}

/** What part of a set is shared, in millionths, rounded down; null for an empty set. Throws nothing. */
export function millionthsOf(shared: bigint, all: bigint): number | null {
  return all === 0n ? null : Number((shared * 1_000_000n) / all);
}
