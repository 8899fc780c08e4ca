import assert from "node:assert/strict";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fillStore } from "../../../bench/api/fill-store.ts";
import { Random } from "../../../bench/data/random.ts";
import { SecretKey } from "../../../src/service/access/secret-key.ts";
import { makeSecret } from "../../../src/service/webhooks/webhook-secret.ts";
import { openStore, type StoreLocation } from "../../../src/store/open-store.ts";
import { EVENT_KINDS } from "../../../src/store/records/webhook.ts";
import { until } from "../../until.ts";
import { type FollowedChange, FollowedChanges } from "./followed-changes.ts";
import { checkMessages, type MessageCounts } from "./received-messages.ts";
import { ServiceProcess } from "./service-process.ts";
import { type Received, WebhookReceiver } from "./webhook-receiver.ts";

export interface FollowedOptions {
  readonly folder: string;
  readonly seed: number;
  /** The database; by default a SQLite file in the folder. */
  readonly store?: StoreLocation;
  /** How many servers share it; for a SQLite file, one. */
  readonly servers: number;
  readonly kills: number;
}

export interface FollowedReport extends MessageCounts {
  kills: number;
  readonly written: number;
  readonly changes: number;
  readonly expiries: number;
  /** How often the reader of the feed was interrupted, by a kill or by itself. */
  readonly interruptions: number;
  /** What it read, and what the endpoint received: for negative controls. */
  readonly all: readonly FollowedChange[];
  readonly received: readonly Received[];
  readonly start: number;
  readonly rulesetId: string;
  readonly secret: string;
}

const WRITERS = 3;
/** The maximum of milliseconds between two writes of a writer. */
const MAX_REST = 80;
const ADDRESSES = 20;
/** The maximum of milliseconds until rules expire. */
const MAX_EXPIRY = 400;
/** The maximum of milliseconds of a server's life, and of the time without any server after a kill of all. */
const MAX_LIFE = 300;
const MAX_PAUSE = 150;
/**
 * Once in this many lives, a message arrives before the kill: a new server delivers only after the lease of the one
 * before has ended.
 */
const DELIVERING = 3;

/**
 * R17 and R18: servers are killed during writes of rules that expire soon, while a program follows the change feed,
 * which is interrupted as well, and an endpoint receives all events. At the end, the program must know what the
 * database has, each expiry must have been one change, even if no server was running, and every event must have
 * arrived.
 */
export async function killFollowedServers(options: FollowedOptions): Promise<FollowedReport> {
  const { folder, seed, servers, kills, store: location = { file: join(folder, "followed.db") } } = options;
  const random = new Random(seed);
  const receiver = await WebhookReceiver.start();
  const { key, rulesetId, secret, start } = await prepare(location, folder, receiver.url);
  const follower = new Follower(key, new FollowedChanges(rulesetId, start));
  const writers = new Writers(key, rulesetId, random);
  const open = (): Promise<ServiceProcess> =>
    ServiceProcess.start(location, [
      `--secret-key-file=${join(folder, "key")}`,
      "--allow-special-purpose=true",
      "--outbound-allow=127.0.0.0/8",
      "--log-level=silent",
    ]);
  const running = await Promise.all(Array.from({ length: servers }, open));
  try {
    for (let kill = 0; kill < kills; kill++) {
      for (const { port } of running) writers.write(port);
      follower.follow(running[random.below(servers)]!.port);
      if (kill % DELIVERING === 1) {
        const { length } = receiver.received;
        await until("a message has arrived", () => receiver.received.length > length);
      }
      await sleep(random.below(MAX_LIFE));
      if (random.below(2) === 0) follower.interrupt();
      const victims = random.below(2) === 0 ? running.splice(0) : running.splice(random.below(servers), 1);
      await Promise.all(victims.map((each) => each.end("SIGKILL")));
      if (running.length === 0) await sleep(random.below(MAX_PAUSE));
      running.push(...(await Promise.all(victims.map(open))));
    }
    // There are changes after the last kill, however slow the machine is.
    const { count } = writers;
    writers.write(running[0]!.port);
    await until("rules were written after the last kill", () => writers.count > count + 2);
    await writers.stop();
    await sleep(MAX_EXPIRY);
    const { port } = running[0]!;
    follower.follow(port);
    const ask = async (path: string): Promise<string> => {
      const response = await fetch(`http://127.0.0.1:${port}${path}`, { headers: { "X-API-Key": key } });
      return response.text();
    };
    const sequenceNow = async () => JSON.parse(await ask(`/v1/changes?after=${start}&limit=1`)).sequence as number;
    const { changes } = follower;
    await until("all expiries are changes, and were read", async () => {
      follower.check();
      const has = changes.sequence === (await sequenceNow());
      return has && isSettled(changes);
    });
    const now = new Date().toISOString();
    const exported = await ask(`/v1/edl/ip-rulesets/${rulesetId}/rules:export?format=ndjson&active_only=false`);
    const rules = exported.split("\n").filter((line) => line !== "");
    assert.deepEqual(
      changes.rulesAt(now),
      rules
        .map((line) => JSON.parse(line))
        .map(({ ip, expires_at: expiry }) => `${ip} ${expiry ?? null}`)
        .sort(),
    );
    const last = changes.sequence;
    await untilArrived(receiver, last);
    return {
      ...checkMessages(receiver.received, secret, start),
      kills,
      written: writers.count,
      changes: last - start,
      expiries: changes.expiries,
      interruptions: follower.interruptions,
      all: follower.all,
      received: [...receiver.received],
      start,
      rulesetId,
      secret,
    };
  } finally {
    void writers.stop();
    follower.interrupt();
    await Promise.all(running.map((each) => each.end("SIGKILL")));
    await receiver.close();
  }
}

/**
 * How many messages are still to come depends on how busy the machine was, so this waits as long as some arrive. If an
 * attempt takes more than 15 s twice, on such a machine, it is repeated after five minutes.
 */
async function untilArrived({ received }: WebhookReceiver, last: number): Promise<void> {
  while (lastOf(received) < last) {
    const { length } = received;
    await until(`events after ${lastOf(received)} of ${last} arrive`, () => received.length > length, {
      within: 900_000,
    });
  }
}

/** The number of the last event that has arrived. */
function lastOf(received: readonly Received[]): number {
  return JSON.parse(received.at(-1)?.body ?? "{}").data?.sequence ?? 0;
}

/** Whether every expiry that is due by now has been read. */
function isSettled(changes: FollowedChanges): boolean {
  try {
    changes.rulesAt(new Date().toISOString());
    return true;
  } catch {
    return false;
  }
}

/** An organisation with a ruleset and an endpoint for all events; `start`: the last event before them. */
async function prepare(location: StoreLocation, folder: string, url: string) {
  const { key, organisationId, emptyId: rulesetId } = await fillStore(location, 0, new Random(1));
  const { text: secret, sealed } = makeSecret(new SecretKey(join(folder, "key")), organisationId);
  const store = await openStore(location);
  const definition = { url: `${url}/all`, description: "", kinds: EVENT_KINDS, active: true };
  const by = { actor: "user:test", at: Date.now(), organisationId };
  await store.write({ kind: "create-webhook", ...by, definition, secret: sealed });
  const { sequence: start } = await store.read("events", organisationId, 0, 1);
  await store.close();
  return { key, rulesetId, secret, start };
}

/** Follows the feed by server-sent events, and continues from the last complete one. */
class Follower {
  readonly #key: string;
  readonly changes: FollowedChanges;
  readonly all: FollowedChange[] = [];
  interruptions = 0;
  #current = new AbortController();
  #running: Promise<void> = Promise.resolve();
  #failure: unknown;

  constructor(key: string, changes: FollowedChanges) {
    this.#key = key;
    this.changes = changes;
  }

  /** @throws what was wrong with the changes so far */
  check(): void {
    if (this.#failure !== undefined) throw this.#failure;
  }

  /** Follows this server once the connection to the previous one has ended. @throws as `check` */
  follow(port: number): void {
    this.check();
    this.#current.abort();
    const { signal } = (this.#current = new AbortController());
    this.#running = this.#running.then(() => this.#read(port, signal));
  }

  interrupt(): void {
    this.#current.abort();
  }

  async #read(port: number, signal: AbortSignal): Promise<void> {
    try {
      const response = await fetch(`http://127.0.0.1:${port}/v1/changes?after=${this.changes.sequence}`, {
        headers: { "X-API-Key": this.#key, Accept: "text/event-stream" },
        signal,
      });
      assert.equal(response.status, 200);
      let text = "";
      for await (const part of response.body!.pipeThrough(new TextDecoderStream())) {
        const events = (text + part).split("\n\n");
        text = events.pop()!;
        for (const event of events) this.#take(event);
      }
      this.interruptions++;
    } catch (error) {
      // A killed server ends its connections, and a server that has not started yet has none.
      if (error instanceof assert.AssertionError) this.#failure ??= error;
      else this.interruptions++;
    }
  }

  #take(event: string): void {
    const data = /^data: (.*)$/m.exec(event)?.[1];
    if (data === undefined) return;
    const change = JSON.parse(data) as FollowedChange;
    this.all.push(change);
    this.changes.apply(change);
  }
}

/** Writes rules to servers until the servers are gone. */
class Writers {
  readonly #headers: Record<string, string>;
  readonly #rules: string;
  readonly #random: Random;
  readonly #ports = new Set<number>();
  readonly #running: Promise<void>[] = [];
  #isStopped = false;
  count = 0;

  constructor(key: string, rulesetId: string, random: Random) {
    this.#headers = { "X-API-Key": key, "Content-Type": "application/json" };
    this.#rules = `/v1/edl/ip-rulesets/${rulesetId}/rules`;
    this.#random = random;
  }

  write(port: number): void {
    if (this.#ports.has(port)) return;
    this.#ports.add(port);
    for (let writer = 0; writer < WRITERS; writer++) this.#running.push(this.#writeTo(port));
  }

  /** Resolves when no write is in progress. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    await Promise.all(this.#running);
  }

  async #writeTo(port: number): Promise<void> {
    try {
      while (!this.#isStopped) {
        const { status } = await this.#writeOne(`http://127.0.0.1:${port}${this.#rules}`);
        if (status < 300) this.count++;
        await sleep(this.#random.below(MAX_REST));
      }
    } catch {
      // The server is gone.
    }
  }

  async #writeOne(rules: string): Promise<Response> {
    const headers = this.#headers;
    const ip = `203.0.113.${this.#random.below(ADDRESSES)}`;
    const isDeletion = this.#random.below(4) === 0;
    const expiry = Date.now() + this.#random.below(MAX_EXPIRY);
    const expires = this.#random.below(3) === 0 ? null : new Date(expiry).toISOString();
    const body = JSON.stringify({ ip, expires_at: expires, conflict_resolution: "override" });
    const response = isDeletion
      ? await fetch(`${rules}/rule?ip=${ip}`, { method: "DELETE", headers })
      : await fetch(rules, { method: "POST", headers, body });
    await response.text();
    return response;
  }
}
