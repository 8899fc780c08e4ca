import type { Logger } from "pino";
import type { Store } from "../store/store.ts";
import { Bouncers } from "../service/bouncers/bouncers.ts";
import { GuardedPost } from "../service/webhooks/guarded-post.ts";
import { WebhookDeliverer } from "../service/webhooks/webhook-deliverer.ts";
import { WebhookMessages } from "../service/webhooks/webhook-messages.ts";
import { IndicatorFollowers } from "../service/taxii/indicator-followers.ts";
import { EdgeTokens } from "../service/edge/edge-tokens.ts";
import { FeedBytes } from "../service/deployments/feed-bytes.ts";
import { SecretKey } from "../service/access/secret-key.ts";
import { SentFeeds } from "../service/deployments/sent-feeds.ts";
import { FeedTokens } from "../service/deployments/feed-tokens.ts";
import { PublishedLists } from "../service/deployments/published-lists.ts";
import { ExternalLists } from "../service/lists/external-lists.ts";
import { ListSecrets } from "../service/lists/list-secrets.ts";
import { UrlReaders } from "../service/deployments/url-readers.ts";
import { Pulls } from "../service/deployments/pulls.ts";
import { FollowedCatalogue } from "../service/datasets/followed-catalogue.ts";
import { EarlierCatalogues } from "../service/datasets/earlier-catalogues.ts";
import { CatalogueUpdates } from "../service/datasets/catalogue-updates.ts";
import { COMPILE_TIME, FeedImports, FREE_BYTES } from "../service/datasets/feed-imports.ts";
import { catalogueChange, feedChange, recordDataset } from "../service/datasets/record-dataset.ts";
import { openCatalogueView } from "../service/datasets/catalogue-view.ts";
import { ChangeTails } from "../service/changes/change-tails.ts";
import { Identifications } from "../service/logs/identifications.ts";
import { Replays } from "../service/logs/replays.ts";
import { Metrics } from "../service/usage/metrics.ts";
import { FairQueue } from "../service/fair-queue.ts";
import { Passwords } from "../service/access/passwords.ts";
import { FailureLimits, KeyLimits, SteadyClock } from "../service/access/rate-limits.ts";
import { ALONE } from "../service/processes/peers.ts";
import { UndoLog } from "../service/changes/undo.ts";
import { RuleRows } from "../service/rules/rule-rows.ts";
import { SequenceWaiters } from "../service/store/sequence-waiters.ts";
import { ServiceMemory } from "../service/store/service-memory.ts";
import type { Services } from "../service/services.ts";
import { outboundRules } from "../service/reserved-host.ts";
import { SharedCache } from "../service/shared-cache.ts";
import { SignInLimits } from "../service/access/sign-in-limits.ts";
import { ServedNetworks } from "../service/datasets/served-networks.ts";
import { ServedDataset } from "../service/datasets/served-dataset.ts";
import { openThreatView } from "../service/datasets/threat-view.ts";
import type { ServerOptions } from "./server-options.ts";

/** Bytes of whole rulesets and lists of ranges that are kept as files. */
const MAX_FILE_BYTES = 128 << 20;

/** Makes everything that the routes use. `states`: what only the server knows. */
export function servicesOf(
  store: Store,
  metrics: Metrics,
  steady: SteadyClock,
  options: ServerOptions,
  states: Pick<Services, "isClosing" | "isDatabaseDown" | "setupDigest">,
): Services {
  const { settings, passwords = new Passwords(), now = Date.now, peers = ALONE } = options;
  const basis: Basis = { settings, now, store, peers, metrics, memory: new ServiceMemory() };
  const identifications = new Identifications(now);
  const secretKey = new SecretKey(options.secretKeyFile);
  const datasets = datasetServices(basis, options, identifications);
  return {
    ...states,
    ...basis,
    waiters: new SequenceWaiters(),
    tails: new ChangeTails(store),
    ...datasets,
    files: new SharedCache(MAX_FILE_BYTES),
    secretKey,
    ...publishingServices(basis, { ...datasets, secretKey, log: options.log }),
    ...listServices(basis, secretKey, options.log),
    ...webhookServices(basis, secretKey),
    rows: new RuleRows(),
    undoLog: new UndoLog(store, peers),
    identifications,
    replays: new Replays(now),
    keyLimits: new KeyLimits(steady),
    failureLimits: new FailureLimits(steady),
    passwords,
    fits: new FairQueue({ atOnce: 1, what: "fits" }),
    signIns: new SignInLimits(settings.signInsPerMinute, steady),
  };
}

/** What most services are made of. */
type Basis = Pick<Services, "settings" | "now" | "store" | "peers" | "metrics" | "memory">;

/** The catalogue and the threat intelligence, and what brings new ones. */
function datasetServices(
  { settings, now, store, peers, metrics }: Basis,
  { catalogue: cataloguePaths, threats: threatPaths, networks = [], ...options }: ServerOptions,
  { slots }: Identifications,
) {
  const { historyFolder, updateCommand, pullCommand, feedTarget, log } = options;
  const catalogue = new ServedDataset({
    name: "catalogue",
    ...cataloguePaths,
    load: (path, time) => openCatalogueView(path, time, cataloguePaths),
    metrics,
    now,
    log,
  });
  const threats = new ServedDataset({ name: "cti", ...threatPaths, load: openThreatView, metrics, now, log });
  // Other processes would notice the new file a little later; the client that replaced it gets its response after that.
  const reloading = (name: "catalogue" | "threats", dataset: { reload(): Promise<boolean> }) => async () =>
    (await Promise.all([dataset.reload(), peers.ask("reload", name)]))[0];
  return {
    catalogue,
    networks: new ServedNetworks({ paths: networks, log }),
    earlierCatalogues: new EarlierCatalogues({ folder: historyFolder, log }),
    catalogueUpdates: new CatalogueUpdates({
      command: updateCommand,
      catalogue: {
        reload: reloading("catalogue", catalogue),
        get times() {
          return catalogue.times;
        },
      },
      onUpdated: (update) =>
        catalogueChange(update, cataloguePaths.paths[0]!, now()).then((change) =>
          recordDataset({ store, log }, change),
        ),
      now,
      log,
    }),
    followedCatalogue:
      pullCommand &&
      new FollowedCatalogue({ command: pullCommand, every: settings.catalogueInterval * 1000, metrics, now, log }),
    threats,
    feedImports: new FeedImports({
      store,
      target: feedTarget,
      threats: { reload: reloading("threats", threats) },
      slots,
      limits: { bytes: settings.feedBytes, freeBytes: FREE_BYTES, compileTime: COMPILE_TIME },
      onImported: (imported) => recordDataset({ store, log }, feedChange(imported, now())),
      now,
      log,
    }),
  } satisfies Partial<Services>;
}

/** The lists of deployments, and all that clients fetch of them. */
function publishingServices(
  { settings, now, store, memory }: Basis,
  {
    catalogue,
    threats,
    networks,
    secretKey,
    log,
  }: Pick<Services, "catalogue" | "threats" | "networks" | "secretKey"> & { log: Logger },
) {
  const lists = new PublishedLists({ memory, store, catalogue, threats, networks, now }, log);
  const taxii = new FairQueue({ atOnce: 1, what: "TAXII requests" });
  return {
    lists,
    feedBytes: new FeedBytes(),
    sentFeeds: new SentFeeds(),
    feedTokens: new FeedTokens(secretKey, memory),
    pulls: new Pulls({ store, memory }),
    urlReaders: new UrlReaders({ store, memory }),
    edgeTokens: new EdgeTokens(secretKey),
    indicators: new IndicatorFollowers({ memory, store, lists, threats, queue: taxii, settings, now }),
    taxii,
    bouncers: new Bouncers({ store, memory, lists, lasts: settings.bouncerDuration }),
  } satisfies Partial<Services>;
}

/** The lists that others publish. */
function listServices({ settings, now, store, memory, peers }: Basis, secretKey: SecretKey, log: Logger) {
  const secrets = new ListSecrets(secretKey);
  return {
    externalLists: new ExternalLists({ store, memory, secrets, now, rules: outboundRules(settings), peers }, log),
    listSecrets: secrets,
  } satisfies Partial<Services>;
}

/** Which endpoints are allowed, what is sent to them, and when. */
function webhookServices({ settings, now, store, metrics, memory }: Basis, key: SecretKey) {
  const guardedPost = new GuardedPost(outboundRules(settings));
  const webhookMessages = new WebhookMessages({ store, key, post: guardedPost, metrics, now });
  return {
    guardedPost,
    webhookMessages,
    webhooks: new WebhookDeliverer({
      store,
      memory,
      messages: webhookMessages,
      post: guardedPost,
      now,
      baseUrl: settings.baseUrl.replace(/\/+$/, ""),
    }),
  } satisfies Partial<Services>;
}
