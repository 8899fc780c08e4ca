import type { Family, Prefix } from "../address/address.ts";

/** The kinds of lists: the rules of a ruleset, or the prefixes of the catalogue with their services. */
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
  readonly rules: RuleList;
  readonly catalogue: CatalogueList;
}[Kind];

/** A list of one kind. */
export interface ListOf<Kind, Item extends Entry> {
  readonly kind: Kind;
  /**
   * By address, IPv4 first, the less specific first; of one family if one is given. Rules are read once, as they are
   * written; the catalogue as often as a format asks.
   */
  entries(family?: Family): Iterable<Item>;
  /** The name that the consumer gives the list: for sets of firewalls and variables of servers. */
  readonly name: string;
  /** For people. */
  readonly title: string;
  readonly createdAt: number;
  /** The time at which timeouts start. */
  readonly now: number;
}

/** The purpose of rules: to block the listed addresses, or to allow them. */
export type ListPurpose = "blocklist" | "allowlist";

export interface CatalogueList extends ListOf<"catalogue", LabelledEntry> {
  /** What an MMDB says that it is. Some readers accept only the names of MaxMind's own databases. */
  readonly databaseType?: string;
}

export interface RuleList extends ListOf<"rules", RuleEntry> {
  readonly purpose: ListPurpose;
  /** By `commentOf`, for formats that have one with every entry. */
  readonly comment?: string;
  /** Whether entries have times in a format that leaves them out otherwise. */
  readonly hasTimeouts?: boolean;
  /** A 32-bit number that is higher in every later state, like the serial numbers of DNS zones. */
  readonly serial: number;
}
