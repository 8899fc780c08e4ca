import type { Deployment } from "../../store/records/deployment.ts";

/** A file of a feed as it was last sent. Its URL and its tag stay valid until `until` unless the deployment changes. */
export interface SentFeed {
  readonly deployment: Deployment;
  /** The digest of the list, not the list, which would keep old lists in memory. */
  readonly generation: number;
  readonly file: string;
  readonly tag: string;
  /** Milliseconds since 1970, as are the others. */
  readonly changedAt: number;
  /** The end of the grace time of a replaced token, or of the period of a weak tag; Infinity: none. */
  readonly until: number;
}

/** URLs kept in memory; usually more than a server has files. */
const MAX_KEPT = 20_000;
const TOKEN_PATH = "/feeds/ipf_";

/** Files of feeds by the URL that opens them. Finding one reveals nothing: a Map compares hashes before it compares URLs. */
export class SentFeeds {
  readonly #sent = new Map<string, SentFeed>();

  remember(url: string, feed: SentFeed): void {
    // One file has one such URL: others must not push out those of other files.
    if (!url.startsWith(TOKEN_PATH) || url.includes("?")) return;
    if (this.#sent.size >= MAX_KEPT) this.#sent.clear();
    this.#sent.set(url, feed);
  }

  find(url: string): SentFeed | undefined {
    return this.#sent.get(url);
  }

  forget(url: string): void {
    this.#sent.delete(url);
  }
}
