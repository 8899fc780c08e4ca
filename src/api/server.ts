import type { AddressInfo } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import type { Logger } from "pino";
import type { Change } from "../store/change.ts";
import type { Store } from "../store/store.ts";
import { buildApp } from "./app.ts";
import type { App } from "./app-type.ts";
import { checkKeyFile } from "../service/access/check-key-file.ts";
import { makeToken } from "../service/access/secret-token.ts";
import type { Area } from "../service/areas/area.ts";
import { Parts } from "../service/areas/parts.ts";
import { addHealthMetrics } from "../service/deployments/health-metrics.ts";
import { ALONE } from "../service/processes/peers.ts";
import { createServices, type Services } from "../service/services.ts";
import { reportStart } from "../service/snapshots/start-report.ts";
import { GuardedStore } from "../service/store/guarded-store.ts";
import { type LoadedMemory, loadMemory } from "../service/store/loading-store.ts";
import { ServiceMemory } from "../service/store/service-memory.ts";
import { StoreOutage } from "../service/store/store-outage.ts";
import { Metrics } from "../service/usage/metrics.ts";
import { listenError } from "./listen-error.ts";
import { LOAD_AGAIN_AFTER, mayWaitFor, type OpenedStore, openWithStandby } from "./opened-store.ts";
import { answerPeers } from "./processes/answer-peers.ts";
import type { ServerOptions } from "./server-options.ts";

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
  readonly store: GuardedStore;
  readonly services: Services;
  readonly #app: App;
  /** The areas that changes are about. */
  readonly #following: readonly Area[];
  readonly #parts = new Parts();
  #isClosing = false;
  /** By the monotonic clock. */
  #closeBy = 0;
  /** Requests still in progress when their time was over. */
  #unanswered = 0;
  /**
   * Creates the first user; null if there were users at the start. It is printed once, for the person who started the
   * server.
   */
  setupToken: string | null = null;

  private constructor(store: Store, options: ServerOptions) {
    const { settings, now = Date.now, peers = ALONE, log } = options;
    const metrics = new Metrics();
    const outage = new StoreOutage({ log, metrics, probe: () => store.probe() });
    this.store = new GuardedStore(store, outage);
    const basis = { settings, now, store: this.store, peers, memory: new ServiceMemory(), metrics, log };
    this.services = createServices(basis, options);
    this.#app = buildApp(this.services, log);
    const { rules, publishing, events, data } = this.services;
    this.#following = [events, rules, publishing, data];
    this.#addParts();
    answerPeers(this.services);
  }

  /** What requests wait for, logs and data, ends before the connections: their clients may still learn that. */
  #addParts(): void {
    const { access, rules, publishing, events, logs, data } = this.services;
    const add = (area: Area): void => void this.#parts.add({ start: () => area.start(), stop: () => area.close() });
    this.#parts.add({ stop: () => this.store.close() });
    add(access);
    this.#parts.add({ start: () => rules.start(), stop: () => rules.close(this.#closeBy) });
    for (const area of [publishing, events]) add(area);
    this.#parts.add({ stop: () => this.#closeApp() });
    for (const area of [logs, data]) add(area);
    this.#parts.add({ start: () => this.#listen(), stop: () => this.#drain() });
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
      void server.services.data.catalogue.complete();
      return server;
    } catch (error) {
      // The first error is the reason, also for a start that begins again.
      await (server ?? store)
        .close()
        .catch((failure: unknown) => options.log.error({ err: failure }, "a failed start was not closed completely"));
      throw error;
    }
  }

  async #listen(): Promise<void> {
    const { host, port, connections } = this.services.settings;
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
  reload(): Promise<void> {
    return this.services.data.reload();
  }

  /** Requests without a complete response. */
  get busy(): number {
    return this.#app.connections.busy;
  }

  /**
   * Resolves with how many requests were cut off because they were still in progress when the time was over. Rejects
   * once everything has been closed, with the error of what could not be.
   */
  async close(): Promise<number> {
    if (this.#isClosing) return 0;
    this.#isClosing = true;
    this.#closeBy = performance.now() + this.services.settings.shutdownTimeout * 1000;
    await this.#parts.stop();
    return this.#unanswered;
  }

  /** Lets requests in progress finish. */
  async #drain(): Promise<void> {
    const { connections, changeStreams, server } = this.#app;
    connections.announceClose();
    changeStreams.close();
    if (!server.listening) return;
    // What has already reached this machine is read first: closing an idle connection would discard it.
    await sleep(GRACE);
    await connections.drain(this.services.settings.shutdownTimeout * 1000);
    this.#unanswered = connections.busy;
  }

  async #closeApp(): Promise<void> {
    if (this.#unanswered > 0) await sleep(GRACE);
    this.cutOff();
    await this.#app.close();
  }

  /** Ends all requests immediately, so that no partial response looks complete. */
  cutOff(): void {
    this.#app.connections.cutOff();
    this.services.data.kill();
  }

  async #open({ store, log, setupToken = makeToken() }: ServerOptions): Promise<void> {
    const { memory, access, data } = this.services;
    await Promise.all([store.memory.then((loaded) => this.#take(loaded, log)), this.#app.ready(), data.open()]);
    await checkKeyFile(access.secretKey, this.store, log);
    this.#follow(log);
    if (!memory.hasUsers) ({ text: this.setupToken, digest: access.setupDigest } = setupToken);
    this.#addMetrics();
    await this.#parts.start();
  }

  #addMetrics(): void {
    const { metrics, memory, now, peers, publishing } = this.services;
    metrics.addGauge(
      "ipsieve_changes_age_seconds",
      "Seconds since changes by other servers were last read",
      () => this.store.staleness() / 1000,
    );
    if (peers.areThere)
      metrics.addGauge("ipsieve_processes", "Processes of the server that serve requests", () => 1, "sum");
    addHealthMetrics({ metrics, memory, now, pulls: publishing.pulls });
    metrics.addProcess();
  }

  #take(loaded: LoadedMemory, log: Logger): void {
    const { memory, metrics, rules } = this.services;
    reportStart(loaded, { log, metrics });
    rules.startedFrom(loaded);
    memory.replaceWith(loaded.memory);
  }

  #follow(log: Logger): void {
    const { memory, rules } = this.services;
    const apply = (changes: readonly Change[]): void | Promise<void> => {
      const applied = memory.apply(changes);
      for (const area of this.#following) area.apply?.(changes);
      // Large changes are still being applied.
      const check = (): void => rules.applied();
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
        const { memory } = this.services;
        memory.replaceWith(await loadMemory(this.store));
        this.store.resume(memory.sequence);
        for (const area of this.#following) area.forget?.();
        return log.info("the state has been loaded again");
      } catch {
        // The store's outage is logged elsewhere.
        await sleep(LOAD_AGAIN_AFTER);
      }
    }
  }
}
