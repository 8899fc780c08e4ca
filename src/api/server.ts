import type { AddressInfo } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { collectDefaultMetrics } from "prom-client";
import type { Logger } from "pino";
import type { Change } from "../store/change.ts";
import type { Store } from "../store/store.ts";
import { buildApp } from "./app.ts";
import type { App } from "./app-type.ts";
import { checkKeyFile } from "../service/access/check-key-file.ts";
import { FeedFolder } from "../service/deployments/feed-folder.ts";
import { BackgroundFreezes } from "../service/rules/background-freezes.ts";
import { Announcements } from "../service/changes/announcements.ts";
import { ExpiryClock } from "../service/changes/expiry-clock.ts";
import { GuardedStore } from "../service/store/guarded-store.ts";
import { listenError } from "./listen-error.ts";
import { type LoadedMemory, loadMemory } from "../service/store/loading-store.ts";
import { addHealthMetrics } from "../service/deployments/health-metrics.ts";
import { Metrics } from "../service/usage/metrics.ts";
import { SteadyClock } from "../service/access/rate-limits.ts";
import { LimitExchange } from "../service/access/limit-exchange.ts";
import { answerPeers } from "./processes/answer-peers.ts";
import { makeToken } from "../service/access/secret-token.ts";
import type { Services } from "../service/services.ts";
import type { Settings } from "../service/settings.ts";
import { RulesetSnapshots } from "../service/snapshots/ruleset-snapshots.ts";
import { reportStart } from "../service/snapshots/start-report.ts";
import { StoreOutage } from "../service/store/store-outage.ts";
import { UsageRecorder } from "../service/access/usage-recorder.ts";
import type { ServerOptions } from "./server-options.ts";
import { LOAD_AGAIN_AFTER, mayWaitFor, type OpenedStore, openWithStandby } from "./opened-store.ts";
import { servicesOf } from "./server-services.ts";

/**
 * Milliseconds for which a closing server continues as before while `/readyz` and every response announce the end. The
 * last responses, to requests that are cut off, get the same time.
 */
const GRACE = 100;

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
      const opened = await openWithStandby({ ...options, store: loading }, deadline);
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
    const { catalogue, threats, networks } = this.services;
    await Promise.all([catalogue.reload(), threats.reload(), networks.reload()]);
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
    const { settings, catalogue, threats, networks } = this.services;
    const { connections } = this.#app;
    catalogue.close();
    threats.close();
    networks.close();
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
    addHealthMetrics(this.services);
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
