/** One node that a source names for one covering prefix. */
export interface LookupMatch {
  readonly provider: string;
  readonly type: string;
  readonly service: string | null;
  readonly region: string | null;
  readonly cidr: string;
  readonly cbs_id: string;
  /** That of the node; the document's `labels` are sorted by themselves. */
  readonly label: string;
  /**
   * Who says so: the id of a publisher's list, as `cbs sources` has it, `asn` for what AS numbers show, the name of a
   * list of one's own; null where the catalogue is too old to say.
   */
  readonly source: string | null;
  /** When that source was last updated, ISO 8601, UTC: published, else found changed, else fetched; null if unknown. */
  readonly source_updated_at: string | null;
}

/**
 * Which services an address or a whole prefix belongs to. Arrays are sorted and without duplicates, but for `matches`:
 * the most specific prefix first, then by node id. A node counts if a list names it; its ancestors do not count because
 * of that.
 */
export interface LookupDocument {
  /** The requested text, as given. */
  readonly ip: string;
  readonly found: boolean;
  /** The most specific prefix that matches, null without one. */
  readonly cidr: string | null;
  /** The names of each node from the top down, joined by ` > `. */
  readonly labels: readonly string[];
  readonly cbs_ids: readonly string[];
  readonly providers: readonly string[];
  readonly types: readonly string[];
  readonly services: readonly string[];
  /** Without `global`, which is none. */
  readonly regions: readonly string[];
  readonly matches: readonly LookupMatch[];
}
