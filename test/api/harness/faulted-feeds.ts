import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { Client } from "pg";
import { fillStore, type FilledStore } from "../../../bench/api/fill-store.ts";
import { Random } from "../../../bench/data/random.ts";
import { type Feed, makeFeed } from "../../../bench/deployments/feed.ts";
import { openStore } from "../../../src/store/open-store.ts";
import { freePort } from "../../free-port.ts";
import type { PostgresServer } from "../../store/harness/postgres.ts";
import { type Proxy, startProxy } from "../../store/harness/proxy.ts";
import { mountSmallDisk, type SmallDisk, whyNoSmallDisk } from "../../store/harness/small-disk.ts";
import { until } from "../../until.ts";
import { FeedPoller, type ReasonOf, type Sightings } from "./feed-poller.ts";
import { ServiceProcess } from "./service-process.ts";

export interface FaultOptions {
  readonly folder: string;
  readonly seed: number;
  readonly postgres: PostgresServer;
  readonly go: (report: FaultReport) => boolean;
}

export interface FaultReport extends Sightings {
  /** How often each fault was injected. */
  readonly faults: Record<string, number>;
  /** Rules that were added between faults. */
  added: number;
  /** Different lists that devices received. */
  readonly lists: Set<number>;
}

const RULES = 500;
const POLLERS = 4;
const DISK = 2 << 20;
/** The maximum duration of a fault in milliseconds; each lasts for at least a part of it. */
const LASTS = 600;
/** The same for a start without the database: after two seconds feeds are served. */
const STANDBY = 3000;
/** Milliseconds for which a replaced token still opens the feed: longer than the harness takes to replace it. */
const GRACE = 600_000;
/** Added rules start with it; no two are adjacent. */
const ADDED = "9.7.";

/**
 * R16: devices poll a feed while, at random, the database is stopped, killed, cut off and restored, the server killed
 * and restarted, the disk filled and tokens replaced, and rules are added in between: they get a list that was
 * published, 304, 503, or nothing at all.
 */
export async function faultFeeds({ folder, seed, postgres, go }: FaultOptions): Promise<FaultReport> {
  const random = new Random(seed);
  const report: FaultReport = { faults: {}, answers: {}, wrong: [], added: 0, lists: new Set() };
  const world = await FaultedWorld.make(folder, postgres, random);
  const reasonOf = (body: string) => world.reasonOf(body, report.lists);
  const pollers = Array.from({ length: POLLERS }, () => new FeedPoller(world.url, report, reasonOf));
  try {
    while (go(report)) {
      const faults = Object.keys(world.faults);
      const name = faults[random.below(faults.length)]!;
      await world.faults[name]!();
      report.faults[name] = (report.faults[name] ?? 0) + 1;
      for (const poller of pollers) poller.url = world.url;
      report.added = world.added;
    }
  } finally {
    await Promise.all(pollers.map((poller) => poller.end()));
    await world.end();
  }
  return report;
}

/** A server whose database is reached through a proxy, with a deployment, and the faults that can be injected. */
class FaultedWorld {
  readonly #random: Random;
  readonly #postgres: PostgresServer;
  readonly #databaseUrl: string;
  readonly #proxy: Proxy;
  readonly #store: FilledStore;
  readonly #disk: SmallDisk | undefined;
  readonly #args: readonly string[];
  #service: ServiceProcess;
  #feed: Feed;
  #base = "";
  added = 0;

  static async make(folder: string, postgres: PostgresServer, random: Random): Promise<FaultedWorld> {
    const databaseUrl = await postgres.database();
    const store = await fillStore({ url: databaseUrl }, RULES, random);
    const proxy = await startProxy(databaseUrl);
    const disk = whyNoSmallDisk === false ? mountSmallDisk(DISK) : undefined;
    const feeds = join(disk?.path ?? folder, "feeds");
    mkdirSync(feeds);
    const port = await freePort();
    const args = ["--port", String(port), "--feeds-dir", feeds, "--secret-key-file", join(folder, "key")];
    const service = await ServiceProcess.start({ url: proxy.url }, args, { logTo: "pipe" });
    const feed = await makeFeed({ port } as Parameters<typeof makeFeed>[0], store);
    const world = new FaultedWorld({ random, postgres, databaseUrl, proxy, store, disk, args, service, feed });
    world.#base = unadded(await (await fetch(world.url)).text());
    return world;
  }

  private constructor(made: {
    random: Random;
    postgres: PostgresServer;
    databaseUrl: string;
    proxy: Proxy;
    store: FilledStore;
    disk: SmallDisk | undefined;
    args: readonly string[];
    service: ServiceProcess;
    feed: Feed;
  }) {
    this.#random = made.random;
    this.#postgres = made.postgres;
    this.#databaseUrl = made.databaseUrl;
    this.#proxy = made.proxy;
    this.#store = made.store;
    this.#disk = made.disk;
    this.#args = made.args;
    this.#service = made.service;
    this.#feed = made.feed;
  }

  get url(): string {
    return this.#feed.origin + this.#feed.path;
  }

  readonly faults: Readonly<Record<string, () => Promise<void>>> = {
    "database refuses": () => this.#without(() => this.#proxy.shut()),
    "database starts up": () => this.#without(() => this.#proxy.startUp()),
    "answer to a commit lost": () => this.#atCommit("lose the answer"),
    "commit lost": () => this.#atCommit("lose the commit"),
    "database stopped and started": () => this.#postgres.restart(),
    "database restored": () => this.#restore(),
    "database restored under the server": () => this.#restore({ isRunning: true }),
    "server killed": () => this.#restart("SIGKILL"),
    "server stopped": () => this.#restart("SIGTERM"),
    "server killed without the database": () => this.#standby(),
    "disk full": () => this.#fullDisk(),
    "token replaced": () => this.#rotate(),
  };

  /** Undefined if the body consists of the initial rules and the first ones of those that were added. */
  reasonOf(body: string, lists: Set<number>): ReturnType<ReasonOf> {
    const added = body.split("\n").filter((line) => line.startsWith(ADDED));
    lists.add(added.length);
    if (unadded(body) !== this.#base) return `it has ${body.length} bytes, and not all rules of the beginning`;
    const isEach = added.every((line, at) => line === addedRule(at));
    return isEach ? undefined : `it has ${added.length} of the added rules, and not the first ones`;
  }

  async end(): Promise<void> {
    await this.#service.end("SIGTERM");
    await this.#proxy.close();
    this.#disk?.[Symbol.dispose]();
  }

  async #without(shut: () => void): Promise<void> {
    shut();
    await this.#pause();
    this.#proxy.open();
    await this.#add();
  }

  async #atCommit(fate: Proxy["fate"]): Promise<void> {
    this.#proxy.fate = fate;
    await this.#add();
    this.#proxy.fate = "pass";
  }

  async #restart(signal: "SIGKILL" | "SIGTERM"): Promise<void> {
    await this.#add();
    await this.#service.end(signal);
    await this.#start();
  }

  async #standby(): Promise<void> {
    this.#proxy.shut();
    await this.#service.end("SIGKILL");
    const started = this.#start();
    await sleep(STANDBY + this.#random.below(LASTS));
    this.#proxy.open();
    await started;
    await this.#add();
  }

  async #start(): Promise<void> {
    this.#service = await ServiceProcess.start({ url: this.#proxy.url }, this.#args, { logTo: "pipe" });
  }

  /** Feeds are not saved; sometimes the server is killed, and starts with what it had saved. */
  async #fullDisk(): Promise<void> {
    this.#disk?.fill();
    await this.#add();
    await this.#pause();
    if (this.#random.below(3) === 0) await this.#standby();
    this.#disk?.free();
  }

  async #rotate(): Promise<void> {
    const store = await openStore({ url: this.#databaseUrl });
    const { organisationId, key } = this.#store;
    const deployments = await this.#ask("GET", "/v1/edl/deployments/?cursor=");
    const { id: deploymentId } = deployments.items[0];
    const owned = { actor: "user:harness", at: Date.now(), organisationId, deploymentId };
    await store.write({
      kind: "rotate-deployment",
      ...owned,
      credential: { url: true },
      graceUntil: Date.now() + GRACE,
    });
    await store.close();
    const before = this.#feed.path;
    await until("the server has the new token", async () => {
      const { urls } = await this.#ask("GET", `/v1/edl/deployments/${deploymentId}/urls/`);
      this.#feed = { ...this.#feed, path: new URL(urls.combined[0]).pathname, key };
      return this.#feed.path !== before;
    });
  }

  /** From a copy that was made just before: rules that were added since are lost. */
  async #restore({ isRunning = false } = {}): Promise<void> {
    const name = new URL(this.#databaseUrl).pathname.slice(1);
    this.#proxy.shut();
    await this.#admin(`create database "${name}_copy" template "${name}"`);
    this.#proxy.open();
    const { added } = this;
    await this.#add();
    if (!isRunning) await this.#service.end("SIGTERM");
    this.#proxy.shut();
    await this.#admin(`drop database "${name}"`, `create database "${name}" template "${name}_copy"`);
    await this.#admin(`drop database "${name}_copy"`);
    this.added = added;
    this.#proxy.open();
    if (!isRunning) await this.#start();
    await this.#add();
  }

  /** Other clients are disconnected first. */
  async #admin(...statements: string[]): Promise<void> {
    const client = new Client({ connectionString: this.#databaseUrl.replace(/[^/]+$/, "postgres") });
    await client.connect();
    for (const statement of statements) {
      await client.query("select pg_terminate_backend(pid) from pg_stat_activity where datname like 'store_%'");
      await client.query(statement);
    }
    await client.end();
  }

  /** Adds the next rule, retrying until it is acknowledged. */
  async #add(): Promise<void> {
    const ip = addedRule(this.added);
    await until(`${ip} is added`, () =>
      this.#ask("POST", `/v1/edl/ip-rulesets/${this.#store.rulesetId}/rules`, { ip }).then(
        () => true,
        () => false,
      ),
    );
    this.added++;
  }

  async #ask(method: string, path: string, body?: object): Promise<any> {
    const headers = { "X-API-Key": this.#store.key, "Content-Type": "application/json" };
    const sent = body === undefined ? { method, headers } : { method, headers, body: JSON.stringify(body) };
    const response = await fetch(this.#feed.origin + path, sent);
    if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
    return response.json();
  }

  #pause(): Promise<void> {
    return sleep(LASTS / 3 + this.#random.below(LASTS));
  }
}

function addedRule(at: number): string {
  return `${ADDED}${at >> 7}.${2 * (at & 127)}`;
}

function unadded(body: string): string {
  return body
    .split("\n")
    .filter((line) => !line.startsWith(ADDED))
    .join("\n");
}
