import type { Store } from "../store/store.ts";
import type { Bouncers } from "./bouncers/bouncers.ts";
import type { IndicatorFollowers } from "./taxii/indicator-followers.ts";
import type { EdgeTokens } from "./edge/edge-tokens.ts";
import type { FeedBytes } from "./deployments/feed-bytes.ts";
import type { SentFeeds } from "./deployments/sent-feeds.ts";
import type { GuardedPost } from "./webhooks/guarded-post.ts";
import type { WebhookDeliverer } from "./webhooks/webhook-deliverer.ts";
import type { WebhookMessages } from "./webhooks/webhook-messages.ts";
import type { FeedTokens } from "./deployments/feed-tokens.ts";
import type { PublishedLists } from "./deployments/published-lists.ts";
import type { ExternalLists } from "./lists/external-lists.ts";
import type { ListSecrets } from "./lists/list-secrets.ts";
import type { UrlReaders } from "./deployments/url-readers.ts";
import type { Pulls } from "./deployments/pulls.ts";
import type { ChangeTails } from "./changes/change-tails.ts";
import type { FollowedCatalogue } from "./datasets/followed-catalogue.ts";
import type { CatalogueUpdates } from "./datasets/catalogue-updates.ts";
import type { EarlierCatalogues } from "./datasets/earlier-catalogues.ts";
import type { CatalogueView } from "./datasets/catalogue-view.ts";
import type { FeedImports } from "./datasets/feed-imports.ts";
import type { Identifications } from "./logs/identifications.ts";
import type { Replays } from "./logs/replays.ts";
import type { Peers } from "./processes/peers.ts";
import type { Metrics } from "./usage/metrics.ts";
import type { FairQueue } from "./fair-queue.ts";
import type { SecretKey } from "./access/secret-key.ts";
import type { Passwords } from "./access/passwords.ts";
import type { FailureLimits, KeyLimits } from "./access/rate-limits.ts";
import type { RuleRows } from "./rules/rule-rows.ts";
import type { UndoLog } from "./changes/undo.ts";
import type { SequenceWaiters } from "./store/sequence-waiters.ts";
import type { ServiceMemory } from "./store/service-memory.ts";
import type { Settings } from "./settings.ts";
import type { SharedCache } from "./shared-cache.ts";
import type { SignInLimits } from "./access/sign-in-limits.ts";
import type { ServedNetworks } from "./datasets/served-networks.ts";
import type { ServedDataset } from "./datasets/served-dataset.ts";
import type { ThreatView } from "./datasets/threat-view.ts";

/** Everything that the routes use. */
export interface Services {
  readonly settings: Settings;
  /** Milliseconds since 1970 UTC. Every response reads it once. */
  readonly now: () => number;
  readonly store: Store;
  /** The other processes of this server, which know what is not in the store. */
  readonly peers: Peers;
  readonly memory: ServiceMemory;
  /** Requests that wait for changes of other servers. */
  readonly waiters: SequenceWaiters;
  /** State shared by all followers of the change feeds. */
  readonly tails: ChangeTails;
  readonly catalogue: ServedDataset<CatalogueView>;
  /** The networks that lookups show beside the services. */
  readonly networks: ServedNetworks;
  /** The catalogues that were in use before. */
  readonly earlierCatalogues: EarlierCatalogues;
  readonly catalogueUpdates: CatalogueUpdates;
  /** undefined unless the catalogue is pulled from a URL. */
  readonly followedCatalogue: FollowedCatalogue | undefined;
  readonly threats: ServedDataset<ThreatView>;
  readonly feedImports: FeedImports;
  /** Files that are made once for all clients that request them. */
  readonly files: SharedCache<Buffer>;
  /** The key under which secrets are encrypted and from which the URLs of feeds are derived. */
  readonly secretKey: SecretKey;
  /** The lists of deployments, their files, the tokens that open them, and who has fetched them. */
  readonly lists: PublishedLists;
  readonly feedBytes: FeedBytes;
  readonly sentFeeds: SentFeeds;
  readonly feedTokens: FeedTokens;
  readonly pulls: Pulls;
  /** Which keys have read the URLs of deployments. */
  readonly urlReaders: UrlReaders;
  readonly bouncers: Bouncers;
  readonly edgeTokens: EdgeTokens;
  /** The indicators of TAXII collections. */
  readonly indicators: IndicatorFollowers;
  /** The queue of database work for TAXII requests. */
  readonly taxii: FairQueue;
  /** Lists that others publish, and the credentials for them. */
  readonly externalLists: ExternalLists;
  readonly listSecrets: ListSecrets;
  /** Webhooks: which endpoints are allowed, what is sent to them, and when. */
  readonly guardedPost: GuardedPost;
  readonly webhookMessages: WebhookMessages;
  readonly webhooks: WebhookDeliverer;
  readonly rows: RuleRows;
  /** What sessions have undone. */
  readonly undoLog: UndoLog;
  readonly identifications: Identifications;
  readonly replays: Replays;
  readonly keyLimits: KeyLimits;
  readonly failureLimits: FailureLimits;
  readonly passwords: Passwords;
  /** The queue of work that needs some hundred bytes per prefix. */
  readonly fits: FairQueue;
  readonly signIns: SignInLimits;
  /** The digest of the token for creating the first user; null if the server started with users. */
  readonly setupDigest: () => string | null;
  readonly metrics: Metrics;
  /** Whether the database is known to be failing. */
  readonly isDatabaseDown: () => boolean;
  /** Whether the server is shutting down and load balancers should send no more requests. */
  readonly isClosing: () => boolean;
}
