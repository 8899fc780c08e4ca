import type { Change } from "../../store/change.ts";
import { Bouncers } from "../bouncers/bouncers.ts";
import { FeedBytes } from "../deployments/feed-bytes.ts";
import { FeedFolder } from "../deployments/feed-folder.ts";
import { FeedTokens } from "../deployments/feed-tokens.ts";
import { PublishedLists } from "../deployments/published-lists.ts";
import { Pulls } from "../deployments/pulls.ts";
import { SentFeeds } from "../deployments/sent-feeds.ts";
import { UrlReaders } from "../deployments/url-readers.ts";
import { EdgeTokens } from "../edge/edge-tokens.ts";
import { FairQueue } from "../fair-queue.ts";
import type { SourceServices } from "../sources/gather-source.ts";
import { IndicatorFollowers } from "../taxii/indicator-followers.ts";
import type { Access } from "./access.ts";
import type { Area, LoggedBasis } from "./area.ts";
import type { Data } from "./data.ts";
import { Parts } from "./parts.ts";

/** The lists of deployments, and all that devices fetch of them. */
export class Publishing implements Area {
  readonly lists: PublishedLists;
  /** Their files, the tokens that open them, and who has fetched them. */
  readonly feedBytes = new FeedBytes();
  readonly sentFeeds = new SentFeeds();
  readonly feedTokens: FeedTokens;
  readonly pulls: Pulls;
  /** Which keys have read the URLs of deployments. */
  readonly urlReaders: UrlReaders;
  readonly bouncers: Bouncers;
  readonly edgeTokens: EdgeTokens;
  /** The indicators of TAXII collections. */
  readonly indicators: IndicatorFollowers;
  /** The queue of database work for TAXII requests. */
  readonly taxii = new FairQueue({ atOnce: 1, what: "TAXII requests" });
  /** Where sources are read from, for lists and whatever else is made of them. */
  readonly sources: SourceServices & { readonly lists: PublishedLists; readonly now: () => number };
  readonly #parts = new Parts();

  constructor(basis: LoggedBasis, { secretKey }: Access, { catalogue, threats, networks }: Data) {
    const { settings, now, store, memory, peers, log } = basis;
    this.feedTokens = new FeedTokens(secretKey, memory);
    this.edgeTokens = new EdgeTokens(secretKey);
    this.urlReaders = new UrlReaders({ store, memory });
    const from = { store, memory, catalogue, threats, networks, now };
    const lists = (this.lists = new PublishedLists(from, log));
    this.sources = { ...from, lists };
    this.pulls = this.#parts.add(new Pulls({ store, memory }));
    const { feedsDir } = settings;
    // Added before the lists, so that it saves the last of them.
    if (feedsDir !== "" && peers.isFirst) this.#parts.add(new FeedFolder(feedsDir, { memory, lists }, log));
    this.#parts.add(lists);
    this.bouncers = this.#parts.add(new Bouncers({ store, memory, lists, lasts: settings.bouncerDuration }));
    const { taxii: queue } = this;
    this.indicators = this.#parts.add(new IndicatorFollowers({ memory, store, lists, threats, queue, settings, now }));
  }

  start(): Promise<void> {
    return this.#parts.start();
  }

  apply(changes: readonly Change[]): void {
    this.lists.apply(changes);
  }

  forget(): void {
    this.lists.forget();
  }

  close(): Promise<void> {
    return this.#parts.stop();
  }
}
