import type { Family, Prefix } from "../address/address.ts";
import { AddressSet } from "../sets/address-set.ts";
import type { NodeClass } from "./node-classes.ts";

/** Why addresses should not be blocked. */
export type ProtectedKind = "service" | "allowed" | "own-network" | "special-purpose";

/** Addresses that a blocklist should not block, under one name. */
export interface Protected {
  readonly kind: ProtectedKind;
  /** Of the node, the ruleset or the list; null for special-purpose addresses. */
  readonly id: string | null;
  readonly name: string;
  /** Of a service: what stands at its addresses. */
  readonly class?: NodeClass;
  readonly addresses: AddressSet;
}

/** Prefixes that can be iterated over more than once, without an array of a million of them. */
export interface PrefixList extends Iterable<Prefix> {
  readonly length: number;
}

/** Protected addresses that are looked for together. */
export interface ProtectedGroup {
  readonly members: readonly Protected[];
  /** Those of all members: most prefixes have nothing in common with any. */
  readonly all: AddressSet;
  /**
   * Only prefixes of these lengths and shorter hit it: a single address of a cloud or an access provider is one customer,
   * and a whole network of it is many.
   */
  readonly longest: Readonly<Record<Family, number>>;
}

/** Every prefix hits. */
export const ANY_LENGTH: ProtectedGroup["longest"] = { 4: 32, 6: 128 };
/** The longest prefixes that are routed on the internet. */
export const NETWORKS: ProtectedGroup["longest"] = { 4: 24, 6: 48 };

export function* makingGroup(
  members: readonly Protected[],
  longest: ProtectedGroup["longest"],
): Generator<undefined, ProtectedGroup, undefined> {
  const all = yield* AddressSet.uniting(members.map(({ addresses }) => addresses));
  return { members, all, longest };
}

/** Whether a prefix of this length can hit the group. */
export function isFor({ longest }: Pick<ProtectedGroup, "longest">, { family, length }: Prefix): boolean {
  return length <= longest[family];
}
