import type { AddressInfo } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { collectDefaultMetrics } from "prom-client";
import type { Logger } from "pino";
import type { Change } from "../store/change.ts";
import type { Store } from "../store/store.ts";
import { StoreError } from "../store/store-error.ts";
import { startStandbyFeeds } from "./standby-feeds.ts";
import { buildApp } from "./app.ts";
import type { App } from "./app-type.ts";
import { Bouncers } from "../service/bouncers/bouncers.ts";
import { parsePrefix } from "../address/prefix.ts";
import { GuardedPost } from "../service/webhooks/guarded-post.ts";
import { WebhookDeliverer } from "../service/webhooks/webhook-deliverer.ts";
import { WebhookMessages } from "../service/webhooks/webhook-messages.ts";
import { IndicatorFollowers } from "../service/taxii/indicator-followers.ts";
import { EdgeTokens } from "../service/edge/edge-tokens.ts";
import { FeedBytes } from "../service/deployments/feed-bytes.ts";
import { checkKeyFile } from "../service/access/check-key-file.ts";
import { SecretKey } from "../service/access/secret-key.ts";
import { SentFeeds } from "../service/deployments/sent-feeds.ts";
import { FeedTokens } from "../service/deployments/feed-tokens.ts";
import { FeedFolder } from "../service/deployments/feed-folder.ts";
import { PublishedLists } from "../service/deployments/published-lists.ts";
import { ExternalLists } from "../service/lists/external-lists.ts";
import { ListSecrets } from "../service/lists/list-secrets.ts";
import { UrlReaders } from "../service/deployments/url-readers.ts";
import { Pulls } from "../service/deployments/pulls.ts";
import { BackgroundFreezes } from "../service/rules/background-freezes.ts";
import { FollowedCatalogue } from "../service/datasets/followed-catalogue.ts";
import { EarlierCatalogues } from "../service/datasets/earlier-catalogues.ts";
import { CatalogueUpdates } from "../service/datasets/catalogue-updates.ts";
import { COMPILE_TIME, FeedImports, type FeedTarget, FREE_BYTES } from "../service/datasets/feed-imports.ts";
import { catalogueChange, feedChange, recordDataset } from "../service/datasets/record-dataset.ts";
import { openCatalogueView } from "../service/datasets/catalogue-view.ts";
import type { ChildCommand } from "../service/datasets/child-command.ts";
import { Announcements } from "../service/changes/announcements.ts";
import { ChangeTails } from "../service/changes/change-tails.ts";
import { ExpiryClock } from "../service/changes/expiry-clock.ts";
import { GuardedStore } from "../service/store/guarded-store.ts";
import { Identifications } from "../service/logs/identifications.ts";
import { Replays } from "../service/logs/replays.ts";
import { listenError } from "./listen-error.ts";
import { type LoadedMemory, loadMemory, type LoadingStore } from "../service/store/loading-store.ts";
import { Metrics } from "../service/usage/metrics.ts";
import { FairQueue } from "../service/fair-queue.ts";
import { Passwords } from "../service/access/passwords.ts";
import { FailureLimits, KeyLimits, SteadyClock } from "../service/access/rate-limits.ts";
import { LimitExchange } from "../service/access/limit-exchange.ts";
import { answerPeers } from "../service/processes/answer-peers.ts";
import { ALONE, type Peers } from "../service/processes/peers.ts";
import { makeToken, type NewToken } from "../service/access/secret-token.ts";
import { UndoLog } from "../service/rules/undo.ts";
import { RuleRows } from "../service/rules/rule-rows.ts";
import { SequenceWaiters } from "../service/store/sequence-waiters.ts";
import { ServiceMemory } from "../service/rules/service-memory.ts";
import type { Services } from "../service/services.ts";
import { prefixesIn, type Settings } from "../service/settings.ts";
import { SharedCache } from "../service/shared-cache.ts";
import { SignInLimits } from "../service/access/sign-in-limits.ts";
import { ServedDataset, type SnapshotPaths } from "../service/datasets/served-dataset.ts";
import { RulesetSnapshots } from "../service/snapshots/ruleset-snapshots.ts";
import { reportStart } from "../service/snapshots/start-report.ts";
import { StoreOutage } from "../service/store/store-outage.ts";
import { openThreatView } from "../service/datasets/threat-view.ts";
import { UsageRecorder } from "../service/usage/usage-recorder.ts";

/**
 * Milliseconds for which a closing server continues as before while `/readyz` and every response announce the end. The
 * last responses, to requests that are cut off, get the same time.
 */
const GRACE = 100;

/** Milliseconds after which a start says that it still waits for the database, again and again. */
const SAID_AFTER = 5000;

/** Milliseconds that a start waits for the database before feeds are served without it. */
const STANDBY_AFTER = 2000;

/** Milliseconds until a failed load of the state is retried. */
const LOAD_AGAIN_AFTER = 1000;

/** Bytes of whole rulesets and lists of ranges that are kept as files. */
const MAX_FILE_BYTES = 128 << 20;

/** What a server is started with. */
export interface ServerOptions {
  readonly settings: Settings;
  /** The server closes it. */
  readonly store: LoadingStore;
  /** Where the snapshot of the kind "catalogue" is. */
  readonly catalogue: SnapshotPaths;
  /** Where the snapshot of the kind "cti" is; until there is one, lookups of threat intelligence get 503. */
  readonly threats: SnapshotPaths;
  /** The folder of the catalogues that updates have built; undefined unless the server uses those. */
  readonly historyFolder?: string | undefined;
  /** How the dashboard updates the catalogue; undefined if no update would change what this server uses. */
  readonly updateCommand?: ChildCommand | undefined;
  /** How the catalogue is pulled again and again; undefined unless it comes from a URL. */
  readonly pullCommand?: ChildCommand | undefined;
  /** How the dashboard imports threat feeds; undefined if no import would change what this server uses. */
  readonly feedTarget?: FeedTarget | undefined;
  /** Where the key of the URLs of feeds is, or is made; without it, there are none. */
  readonly secretKeyFile?: string | undefined;
  readonly log: Logger;
  /** By default, one that hashes at full cost. */
  readonly passwords?: Passwords;
  /** Milliseconds since 1970; by default, the system's clock. */
  readonly now?: () => number;
  /** Milliseconds between two searches for rulesets whose snapshot is old; a minute unless given. */
  readonly snapshotEvery?: number;
  /** Milliseconds between two searches for keys that expire soon and lists that no one asks for; by default, 10,000. */
  readonly announceEvery?: number;
  /** The other processes of this server; by default, there are none. */
  readonly peers?: Peers;
  /** Creates the first user; by default, a new one at each start. */
  readonly setupToken?: NewToken;
}

/**
 * A listening server. Everything it needs to respond is opened before the first request; what only some requests need
 * is made afterwards, in slices, and they wait for it. `close` accepts no more requests, lets those in progress finish
 * within the time of the settings, and releases everything.
 */
export class Server {
  readonly store: Store;
  readonly services: Services;
  readonly #app: App;
  readonly #recorder: UsageRecorder;
  readonly #limitExchange: LimitExchange;
  readonly #expiryClock: ExpiryClock;
  readonly #announcements: Announcements;
  readonly #freezes: BackgroundFreezes;
  readonly #snapshots: RulesetSnapshots | undefined;
  readonly #feedFolder: FeedFolder | undefined;
  #isClosing = false;
  /**
   * Creates the first user; null if there were users at the start. It is printed once, for the person who started the
   * server.
   */
  setupToken: string | null = null;
  #setupDigest: string | null = null;

  private constructor(store: Store, options: ServerOptions) {
    const metrics = new Metrics();
    const outage = new StoreOutage({ log: options.log, metrics, probe: () => store.probe() });
    this.store = new GuardedStore(store, outage);
    const steady = new SteadyClock(options.now ?? Date.now);
    this.services = servicesOf(this.store, metrics, steady, options, {
      isClosing: () => this.#isClosing,
      isDatabaseDown: () => outage.isCurrent,
      setupDigest: () => this.#setupDigest,
    });
    this.#app = buildApp(this.services, options.log);
    this.#recorder = new UsageRecorder(this.services);
    const { feedsDir } = options.settings;
    const { isFirst } = this.services.peers;
    if (feedsDir !== "" && isFirst) this.#feedFolder = new FeedFolder(feedsDir, this.services, options.log);
    const { folder } = options.store;
    if (folder !== undefined && isFirst)
      this.#snapshots = new RulesetSnapshots({
        folder,
        memory: this.services.memory,
        store: this.store,
        log: options.log,
        ...(options.snapshotEvery !== undefined && { every: options.snapshotEvery }),
      });
    this.#limitExchange = new LimitExchange(this.services, steady);
    this.#expiryClock = new ExpiryClock(this.services);
    this.#announcements = new Announcements(this.services, options.announceEvery);
    this.#freezes = new BackgroundFreezes({ memory: this.services.memory, metrics, log: options.log });
    answerPeers(this.services);
  }

  /**
   * Waits for a database that cannot be reached, also if it is lost before everything has been loaded. Rejects with the
   * error of what cannot be opened, or ListenError; nothing stays open then.
   */
  static async start(options: ServerOptions): Promise<Server> {
    const deadline = performance.now() + 1000 * options.settings.databaseWait;
    for (let { store: loading } = options; ; loading = loading.again()) {
      const opened = await openedSurely({ ...options, store: loading }, deadline);
      loading = opened.loading;
      try {
        return await Server.#startWith(opened, options);
      } catch (error) {
        if (!mayWaitFor(error, options.settings, deadline)) throw error;
        options.log.warn({ reason: error.message }, "the database was lost during the start, which begins again");
        await sleep(LOAD_AGAIN_AFTER);
      }
    }
  }

  static async #startWith({ store, loading }: OpenedStore, options: ServerOptions): Promise<Server> {
    let server: Server | undefined;
    try {
      const withStore = { ...options, store: loading };
      server = new Server(store, withStore);
      await server.#open(withStore);
      await server.#listen(options.settings);
      void server.services.catalogue.complete();
      return server;
    } catch (error) {
      await (server ?? store).close();
      throw error;
    }
  }

  async #listen({ host, port, connections }: Settings): Promise<void> {
    try {
      // Simultaneous connections wait to be accepted. If the queue is full, a client retries only after one second,
      // then three, then seven. The system has a limit of its own.
      await this.#app.listen({ host, port, backlog: connections });
    } catch (error) {
      throw listenError(error, { host, port });
    }
  }

  /** `http://host:port` */
  get url(): string {
    const { address, port, family } = this.#app.server.address() as AddressInfo;
    return `http://${family === "IPv6" ? `[${address}]` : address}:${port}`;
  }

  /** Reloads the existing snapshots; failures are logged. */
  async reload(): Promise<void> {
    await Promise.all([this.services.catalogue.reload(), this.services.threats.reload()]);
  }

  /** Requests without a complete response. */
  get busy(): number {
    return this.#app.connections.busy;
  }

  /** Resolves with how many requests were cut off because they were still in progress when the time was over. */
  async close(): Promise<number> {
    if (this.#isClosing) return 0;
    this.#isClosing = true;
    const began = performance.now();
    const { settings, catalogue, threats } = this.services;
    const { connections } = this.#app;
    catalogue.close();
    threats.close();
    connections.announceClose();
    this.#app.changeStreams.close();
    await this.#freezes.stop();
    // What has already reached this machine is read first: closing an idle connection would discard it.
    await sleep(GRACE);
    await connections.drain(settings.shutdownTimeout * 1000);
    const { busy } = connections;
    // Uploads that end here have failed, and their clients may still learn that.
    const { identifications, catalogueUpdates, followedCatalogue, feedImports } = this.services;
    await Promise.all([
      identifications.close(),
      catalogueUpdates.close(),
      followedCatalogue?.close(),
      feedImports.close(),
    ]);
    if (busy > 0) await sleep(GRACE);
    this.cutOff();
    await this.#app.close();
    await this.#snapshots?.stop(began + settings.shutdownTimeout * 1000);
    await this.services.externalLists.stop();
    await this.services.lists.stop();
    await this.#feedFolder?.stop();
    await this.services.bouncers.stop();
    await this.#announcements.stop();
    await this.services.indicators.stop();
    await this.services.pulls.stop();
    await this.services.webhooks.stop();
    await this.#limitExchange.stop();
    await this.#expiryClock.stop();
    this.services.tails.stop();
    await this.#recorder.stop();
    await this.store.close();
    return busy;
  }

  /** Ends all requests immediately, so that no partial response looks complete. */
  cutOff(): void {
    this.#app.connections.cutOff();
    this.services.catalogueUpdates.kill();
    this.services.followedCatalogue?.kill();
    this.services.feedImports.kill();
  }

  async #open({ store, log, setupToken = makeToken() }: ServerOptions): Promise<void> {
    const { memory, catalogue, threats, metrics, feedImports } = this.services;
    feedImports.sweep();
    await Promise.all([
      store.memory.then((loaded) => this.#take(loaded, log)),
      this.#app.ready(),
      catalogue.open(),
      threats.open(),
    ]);
    await checkKeyFile(this.services.secretKey, this.store, log);
    this.#follow(log);
    this.#freezes.check();
    this.#snapshots?.start();
    if (!memory.hasUsers) ({ text: this.setupToken, digest: this.#setupDigest } = setupToken);
    catalogue.watch();
    const { peers } = this.services;
    if (peers.isFirst) this.services.followedCatalogue?.start();
    threats.watch();
    this.#expiryClock.start();
    this.services.tails.start();
    const { lists, pulls, externalLists, webhooks } = this.services;
    externalLists.start();
    this.#feedFolder?.start();
    await Promise.all([this.#recorder.start(), this.#limitExchange.start(), lists.start(), pulls.start()]);
    webhooks.start();
    this.#announcements.start();
    this.services.indicators.start();
    metrics.addGauge(
      "ipsieve_changes_age_seconds",
      "Seconds since changes by other servers were last read",
      () => this.store.staleness() / 1000,
    );
    if (peers.areThere)
      metrics.addGauge("ipsieve_processes", "Processes of the server that serve requests", () => 1, "sum");
    metrics.addRules(() => memory.countRules(this.services.now()));
    collectDefaultMetrics({ register: metrics.registry });
    // Sums of the gauges beside them, under names that are reserved for counters.
    for (const kind of ["handles", "requests", "resources"])
      metrics.registry.removeSingleMetric(`nodejs_active_${kind}_total`);
  }

  #take(loaded: LoadedMemory, log: Logger): void {
    const { memory, metrics } = this.services;
    reportStart(loaded, { log, metrics });
    for (const { rulesetId, sequence, changedRules } of loaded.fromSnapshots)
      this.#snapshots?.startedFrom(rulesetId, sequence, changedRules);
    memory.replaceWith(loaded.memory);
  }

  #follow(log: Logger): void {
    const { memory, waiters } = this.services;
    const apply = (changes: readonly Change[]): void | Promise<void> => {
      const applied = memory.apply(changes);
      waiters.reached(memory.sequence);
      this.#snapshots?.apply(changes);
      this.services.lists.apply(changes);
      for (const change of changes)
        if (change.kind === "external-list") this.services.externalLists.changed(change.list.id);
      this.services.webhooks.apply(changes);
      this.#freezes.check();
      // Large changes are still being applied.
      const check = (): void => this.#freezes.check();
      void applied?.then(check, check);
      return applied;
    };
    this.store.follow(memory.sequence, apply, (error, isLost) => {
      if (!isLost) return;
      log.error({ err: error }, "changes by other servers were missed; the state is loaded again");
      void this.#loadAgain(log);
    });
  }

  /** Loads the state separately; the state in memory stays in use until then. */
  async #loadAgain(log: Logger): Promise<void> {
    while (!this.#isClosing) {
      try {
        const { memory, waiters } = this.services;
        memory.replaceWith(await loadMemory(this.store));
        waiters.reached(memory.sequence);
        this.store.resume(memory.sequence);
        this.#snapshots?.forget();
        this.services.lists.forget();
        this.services.webhooks.forget();
        this.#freezes.check();
        return log.info("the state has been loaded again");
      } catch {
        // The store's outage is logged elsewhere.
        await sleep(LOAD_AGAIN_AFTER);
      }
    }
  }
}

/** The store, once it is open. With `--feeds-dir` the server serves feeds until then. */
async function openedSurely(options: ServerOptions, deadline: number): Promise<OpenedStore> {
  const { settings, store: loading, secretKeyFile, log, now = Date.now } = options;
  if (settings.feedsDir === "") return openedPatiently(options, deadline);
  const first = await Promise.race([loading.store.catch(() => undefined), sleep(STANDBY_AFTER)]);
  if (first !== undefined) return { store: first, loading };
  const standby = await startStandbyFeeds({ settings, secretKey: new SecretKey(secretKeyFile), log, now });
  try {
    return await openedPatiently(options, deadline);
  } finally {
    await standby.close();
  }
}

/**
 * Whether a start waits after this error: with `--feeds-dir`, however long the database is away; otherwise until the
 * deadline, unless a setting may be wrong.
 */
function mayWaitFor(error: unknown, { feedsDir }: Settings, deadline: number): error is StoreError {
  if (!(error instanceof StoreError)) return false;
  const { code, mayPass = false } = error;
  return feedsDir === "" ? mayPass && performance.now() < deadline : code === "unavailable";
}

interface OpenedStore {
  readonly store: Store;
  readonly loading: LoadingStore;
}

/** Tries again after errors that are worth waiting for; the log says so. */
async function openedPatiently({ store: first, settings, log }: ServerOptions, deadline: number): Promise<OpenedStore> {
  const waiting = new WaitLog(log);
  try {
    for (let loading = first; ; loading = loading.again()) {
      try {
        return { store: await loading.store, loading };
      } catch (error) {
        if (!mayWaitFor(error, settings, deadline)) throw error;
        waiting.failed(error.message);
        await sleep(LOAD_AGAIN_AFTER);
      }
    }
  } finally {
    waiting.end();
  }
}

/** Says that a start waits for the database: at once when it fails for another reason, and every few seconds. */
class WaitLog {
  readonly #log: Logger;
  readonly #began = performance.now();
  readonly #timer = setInterval(() => this.#say(), SAID_AFTER).unref();
  #reason: string | undefined;

  constructor(log: Logger) {
    this.#log = log;
  }

  failed(reason: string): void {
    const isNew = reason !== this.#reason;
    this.#reason = reason;
    if (isNew) this.#say();
  }

  end(): void {
    clearInterval(this.#timer);
  }

  #say(): void {
    const seconds = Math.round((performance.now() - this.#began) / 1000);
    const reason = this.#reason === undefined ? {} : { reason: this.#reason };
    this.#log.warn({ seconds, ...reason }, "still waiting for the database to be opened");
  }
}

function servicesOf(
  store: Store,
  metrics: Metrics,
  steady: SteadyClock,
  {
    settings,
    catalogue: cataloguePaths,
    threats,
    historyFolder,
    updateCommand,
    pullCommand,
    feedTarget,
    secretKeyFile,
    log,
    passwords = new Passwords(),
    now = Date.now,
    peers = ALONE,
  }: ServerOptions,
  states: Pick<Services, "isClosing" | "isDatabaseDown" | "setupDigest">,
): Services {
  const catalogue = new ServedDataset({
    name: "catalogue",
    ...cataloguePaths,
    load: (path, time) => openCatalogueView(path, time, cataloguePaths),
    metrics,
    now,
    log,
  });
  const threatHolder = new ServedDataset({ name: "cti", ...threats, load: openThreatView, metrics, now, log });
  // Other processes would notice the new file a little later; the client that replaced it gets its response after that.
  const reloading = (name: "catalogue" | "threats", dataset: { reload(): Promise<boolean> }) => async () =>
    (await Promise.all([dataset.reload(), peers.ask("reload", name)]))[0];
  const identifications = new Identifications(now);
  const memory = new ServiceMemory();
  const secretKey = new SecretKey(secretKeyFile);
  const lists = new PublishedLists({ memory, store, catalogue, threats: threatHolder, now }, log);
  const taxii = new FairQueue({ atOnce: 1, what: "TAXII requests" });
  const secrets = new ListSecrets(secretKey);
  const guardedPost = new GuardedPost({ allow: prefixesIn(settings.outboundAllow).map((text) => parsePrefix(text)) });
  const webhookMessages = new WebhookMessages({ store, key: secretKey, post: guardedPost, metrics, now });
  return {
    ...states,
    settings,
    now,
    store,
    peers,
    metrics,
    memory,
    waiters: new SequenceWaiters(),
    tails: new ChangeTails(store),
    catalogue,
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
    threats: threatHolder,
    feedImports: new FeedImports({
      target: feedTarget,
      threats: { reload: reloading("threats", threatHolder) },
      slots: identifications.slots,
      store,
      limits: { bytes: settings.feedBytes, freeBytes: FREE_BYTES, compileTime: COMPILE_TIME },
      onImported: (imported) => recordDataset({ store, log }, feedChange(imported, now())),
      now,
      log,
    }),
    files: new SharedCache(MAX_FILE_BYTES),
    lists,
    feedBytes: new FeedBytes(),
    sentFeeds: new SentFeeds(),
    secretKey,
    feedTokens: new FeedTokens(secretKey, memory),
    pulls: new Pulls({ store, memory }),
    urlReaders: new UrlReaders({ store, memory }),
    edgeTokens: new EdgeTokens(secretKey),
    indicators: new IndicatorFollowers({ memory, store, lists, threats: threatHolder, queue: taxii, settings, now }),
    taxii,
    bouncers: new Bouncers({ store, memory, lists, lasts: settings.bouncerDuration }),
    externalLists: new ExternalLists({ store, memory, secrets, now, allow: settings.outboundAllow }, log),
    listSecrets: secrets,
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
