/** One node that a source names for one covering prefix. */
export interface LookupMatch {
  readonly provider: string;
  readonly type: string;
  readonly service: string | null;
  readonly region: string | null;
  readonly cidr: string;
  readonly cbs_id: string;
  /** The label of the node; the `labels` of the document are sorted independently. */
  readonly label: string;
  /**
   * Where this comes from: the id of a publisher's list, as in `cbs sources`; `asn` for AS numbers; the name of the
   * user's own list. Null in catalogues that are too old to record it.
   */
  readonly source: string | null;
  /**
   * When that source was last updated, ISO 8601, UTC: when it was published, otherwise found changed, otherwise
   * fetched; null if unknown.
   */
  readonly source_updated_at: string | null;
}

/** The one claim that answers "who is this?"; `primaryOf` has the rule. */
export interface LookupPrimary {
  /** For people: `Amazon EC2`, `Googlebot`, `Cloudflare`. */
  readonly name: string;
  readonly cbs_id: string;
  readonly provider: string;
  readonly type: string;
  readonly service: string | null;
  /** Of the node, or else of the provider's most specific prefix that has one. */
  readonly region: string | null;
  readonly cidr: string;
  /** As in the matches. */
  readonly source: string | null;
}

/**
 * Which services an address or a whole prefix belongs to. Arrays are sorted and without duplicates; `matches` has the
 * most specific prefix first, then goes by node id. A node is included if a list names it, which does not include its
 * ancestors.
 */
export interface LookupDocument {
  /** The requested text, as given. */
  readonly ip: string;
  readonly found: boolean;
  /** The most specific prefix that matches, null if none does. */
  readonly cidr: string | null;
  /** The match that answers "who is this?"; null if nothing matches. */
  readonly primary: LookupPrimary | null;
  /** The names of each node from the top down, joined by ` > `. */
  readonly labels: readonly string[];
  readonly cbs_ids: readonly string[];
  readonly providers: readonly string[];
  readonly types: readonly string[];
  readonly services: readonly string[];
  /** Without `global`, which is not a region. */
  readonly regions: readonly string[];
  readonly matches: readonly LookupMatch[];
}
