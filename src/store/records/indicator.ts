import { uuidOfName } from "./uuid-of-name.ts";

/** What a source lists: the key of a prefix, and what its indicator contains. Times are milliseconds. */
export interface IndicatorEntry {
  readonly key: string;
  readonly name: string | null;
  /** An `indicator_type` of STIX; null: that of the collection. */
  readonly kind: string | null;
  readonly expiresAt: number | null;
  /** null: unknown; the creation time of the indicator is then the time when the prefix is first listed. */
  readonly createdAt: number | null;
  readonly updatedAt: number;
}

/** The id of a collection of indicators, and its organisation. */
export interface IndicatorCollection {
  readonly id: string;
  readonly organisationId: string;
}

/** A piece of the whole list of a source, in the order of keys. */
export interface IndicatorPart {
  /** The number of the source's state that it belongs to; states are numbered in order. */
  readonly mark: number;
  /** It begins after this key and ends with this one; null: at the end of the list. */
  readonly after: string;
  readonly until: string | null;
  readonly entries: readonly IndicatorEntry[];
}

/** How far a collection has followed its source. */
export interface IndicatorProgress {
  /** The last state that it has completely; -1: none yet. */
  readonly mark: number;
  /** The state that it is being compared with, and the last key compared; null: no comparison is in progress. */
  readonly scan: { readonly mark: number; readonly after: string } | null;
}

/** Which versions of indicators a client wants. */
export interface IndicatorQuery {
  /** Only what was added after this microsecond. */
  readonly after: number;
  readonly limit: number;
  /** UUIDs; undefined: all. */
  readonly ids?: readonly string[] | undefined;
  readonly types: readonly ("indicator" | "identity")[];
  readonly versions: {
    readonly first: boolean;
    readonly last: boolean;
    readonly all: boolean;
    /** Versions by the millisecond of their modification. */
    readonly at: readonly number[];
  };
}

/** A version of an indicator, or of the identity of the organisation: then the key is "". */
export type IndicatorVersion = readonly [
  added: number,
  id: string,
  key: string,
  name: string | null,
  kind: string | null,
  created: number,
  modified: number,
  expiresAt: number | null,
  revoked: number,
];

/** The versions of a page, which crosses between threads as one text: thousands of objects would be copied one by one. */
export function indicatorsIn(text: string): IndicatorVersion[] {
  return JSON.parse(text) as IndicatorVersion[];
}

// The keys of prefixes: texts that sort as prefixes do.
export { keyOfPrefix, prefixOfKey } from "../_prefix-key.ts";

/** The UUID of the identity of an organisation, which all its indicators name as their author. */
export function identityOf(organisationId: string): string {
  return uuidOfName(`identity of ${organisationId}`);
}

/** The id of an organisation's collection of threat intelligence. */
export function datasetCollectionId(organisationId: string): string {
  return uuidOfName(`threat intelligence of ${organisationId}`);
}
