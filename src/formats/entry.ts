import type { Family, Prefix } from "../address/address.ts";

/** What lists are of: the rules of a ruleset, or the prefixes of the catalogue with their services. */
export type ListKind = "rules" | "catalogue";

/** One prefix of a list. */
export interface Entry {
  readonly prefix: Prefix;
  /** Times are milliseconds since 1970. The first at which the entry no longer counts; null or absent: none. */
  readonly expiresAt?: number | null;
}

export interface RuleEntry extends Entry {
  readonly name: string | null;
  readonly expiresAt: number | null;
  readonly createdAt: number;
  readonly updatedAt: number;
}

/** A service that a prefix belongs to. */
export interface Label {
  readonly id: string;
  /** The names from the top down. */
  readonly label: string;
  readonly provider: string;
  readonly type: string;
  readonly service: string | null;
  readonly region: string | null;
}

export interface LabelledEntry extends Entry {
  /** The same array for entries with the same labels: writers keep the text that they made of it. */
  readonly labels: readonly Label[];
}

/** A list to be written, of one of these kinds. */
export type EntryList<Kind extends ListKind = ListKind> = {
  readonly rules: ListOf<"rules", RuleEntry>;
  readonly catalogue: ListOf<"catalogue", LabelledEntry>;
}[Kind];

/** A list of one kind. */
export interface ListOf<Kind, Item extends Entry> {
  readonly kind: Kind;
  /**
   * By address, IPv4 first, the less specific first; of one family if one is given. Rules are read once, as they are
   * written; the catalogue as often as a format asks.
   */
  entries(family?: Family): Iterable<Item>;
  /** What the consumer is to call the list: sets of firewalls, variables of servers. */
  readonly name: string;
  /** For people. */
  readonly title: string;
  readonly createdAt: number;
  /** When timeouts begin to run. */
  readonly now: number;
}
