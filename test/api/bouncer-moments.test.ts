/**
 * Bouncers that read a response wholly, in part, or up to the end of the JSON, close, are killed, and start again, at
 * any moment, while the list changes: what they enforce after each response that they have taken is the list.
 */
import assert from "node:assert/strict";
import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { after, before, test } from "node:test";
import { Random } from "../../bench/data/random.ts";
import { makeCredentialText } from "../../src/service/access/credential-text.ts";
import type { Store } from "../../src/store/store.ts";
import { definitionOf } from "../deployments/definition-of.ts";
import { rounds } from "../rounds.ts";
import { until } from "../until.ts";
import { addOrganisation, startServer, type TestServer } from "./start-server.ts";

const SECOND = 1000;
let t: TestServer;
let organisationId = "";
before(async () => {
  t = await startServer({ bouncerDuration: 3600, failuresPerMinute: 1000 });
  organisationId = await addOrganisation(t, "bouncers");
});
after(() => t.close());

interface Decision {
  readonly origin: string;
  readonly scenario: string;
  readonly value: string;
  readonly duration: string;
}

/** What a bouncer enforces. */
interface Enforcing {
  take(body: { new: Decision[] | null; deleted: Decision[] | null }): void;
  /** Each value once for each set that has it. */
  values(): string[];
}

/** A set for each origin and scenario; a deletion is from its own set only. As newer versions of crowdsec-firewall-bouncer. */
class SetsByScenario implements Enforcing {
  readonly sets = new Map<string, Set<string>>();
  take(body: { new: Decision[] | null; deleted: Decision[] | null }): void {
    for (const each of body.deleted ?? []) this.sets.get(nameOf(each))?.delete(each.value);
    for (const each of body.new ?? []) {
      if (!this.sets.has(nameOf(each))) this.sets.set(nameOf(each), new Set());
      this.sets.get(nameOf(each))!.add(each.value);
    }
  }
  values(): string[] {
    return [...this.sets.values()].flatMap((set) => [...set]);
  }
}

/** One set, from which deletions are taken last. As CrowdSec's plugin for Traefik. */
class OneSet implements Enforcing {
  readonly set = new Set<string>();
  take(body: { new: Decision[] | null; deleted: Decision[] | null }): void {
    for (const { value } of body.new ?? []) this.set.add(value);
    for (const { value } of body.deleted ?? []) this.set.delete(value);
  }
  values(): string[] {
    return [...this.set];
  }
}

const nameOf = ({ origin, scenario }: Decision): string => `${origin}:${scenario}`;

/** How a bouncer leaves: it takes what it reads in the first three ways only. */
const WAYS = ["keep", "close", "json", "part", "reset", "early", "kill"] as const;
type Way = (typeof WAYS)[number];
const TAKES: ReadonlySet<Way> = new Set(["keep", "close", "json"]);

/** A client on a bare socket. */
class RawBouncer {
  enforcing: Enforcing;
  readonly #make: () => Enforcing;
  readonly #key: string;
  readonly #random: Random;
  #socket: Socket | undefined;
  #hasStarted = false;

  constructor(key: string, make: () => Enforcing, random: Random) {
    this.#key = key;
    this.#make = make;
    this.#random = random;
    this.enforcing = make();
  }

  /** Returns whether it has taken the response. */
  async poll(way: Way): Promise<boolean> {
    const socket = (this.#socket ??= await opened());
    socket.write(
      `GET /v1/decisions/stream?startup=${!this.#hasStarted} HTTP/1.1\r\nHost: ipsieve\r\nX-Api-Key: ${this.#key}\r\n\r\n`,
    );
    if (way === "early") await this.#leave(socket, way);
    const body = way === "early" ? undefined : await readBody(socket, this.#stopsAfter(way));
    if (way !== "keep" && way !== "early") await this.#leave(socket, way);
    const takes = TAKES.has(way) && body !== undefined;
    if (takes) this.enforcing.take(JSON.parse(body));
    if (takes) this.#hasStarted = true;
    if (way === "kill") this.#restart();
    return takes;
  }

  /** Bytes of the response after which it stops reading; undefined: at the end of the JSON or of the response. */
  #stopsAfter(way: Way): number | undefined {
    return TAKES.has(way) ? undefined : this.#random.below(4000);
  }

  async #leave(socket: Socket, way: Way): Promise<void> {
    this.#socket = undefined;
    const closed = once(socket, "close");
    if (way === "reset" || way === "json") socket.resetAndDestroy();
    else socket.destroy();
    await closed;
  }

  /** Half of them keep what they enforce, as sets in the kernel outlive a process. */
  #restart(): void {
    this.#hasStarted = false;
    if (this.#random.below(2) === 0) this.enforcing = this.#make();
  }

  close(): void {
    this.#socket?.destroy();
  }
}

async function opened(): Promise<Socket> {
  const socket = connect(Number(new URL(t.server.url).port), "127.0.0.1");
  socket.on("error", () => {});
  await once(socket, "connect");
  return socket;
}

/** The body, chunked or with its length; undefined if it stopped reading before. Its texts are in ASCII. */
async function readBody(socket: Socket, stopsAfter = Infinity): Promise<string | undefined> {
  let text = "";
  for (;;) {
    const [part] = (await once(socket, "data")) as [Buffer];
    text += part.toString("latin1");
    if (text.length > stopsAfter) return undefined;
    const end = text.indexOf("\r\n\r\n");
    if (end === -1) continue;
    assert.match(text, /^HTTP\/1\.1 200/);
    const length = Number(/content-length: (\d+)/i.exec(text)?.[1] ?? NaN);
    assert.ok(length > 0, "clients that read up to the end of the JSON see the end of a response with a length");
    const body = text.slice(end + 4);
    if (body.length >= length) return body;
    if (stopsAfter !== Infinity && text.length >= stopsAfter) return undefined;
  }
}

/** A deployment whose list a test replaces at once: compiled ones follow changes within two seconds. */
async function changingList(): Promise<{ key: string; replace(prefixes: readonly string[]): void }> {
  const by = { actor: "command:test", at: t.clock.now, organisationId };
  const definition = definitionOf({ include: [{ prefixes: ["192.0.2.0/24"] }] });
  const { deployment } = await t.server.store.write({ kind: "create-deployment", ...by, name: "edge", definition });
  const { lists } = t.server.services.publishing;
  await until("the list is published", () => lists.served(deployment.id) !== undefined);
  const { text: key, digest, start } = makeCredentialText("bouncer");
  const about = { credential: "bouncer", label: "test", digest, start, hostsOnly: false } as const;
  await t.server.store.write({ kind: "create-credential", ...by, deploymentId: deployment.id, ...about });
  let served = lists.served(deployment.id)!;
  const original = lists.served.bind(lists);
  lists.served = (id) => (id === deployment.id ? served : original(id));
  const replace = (prefixes: readonly string[]): void => {
    const text = { 4: Buffer.from(prefixes.map((each) => `${each}\n`).join("")), 6: Buffer.alloc(0) };
    const generation = served.published.generation + 1;
    served = { published: { ...served.published, generation, digest: `${generation}` }, text };
  };
  return { key, replace };
}

/** The first difference between what a bouncer enforces and the list, of as many moments; undefined: none. */
async function differenceIn(moments: number, seed: number, make: () => Enforcing): Promise<string | undefined> {
  const random = new Random(seed);
  const { key, replace } = await changingList();
  const bouncer = new RawBouncer(key, make, random);
  let listed = new Set(["192.0.2.0/24"]);
  try {
    for (let moment = 0; moment < moments; moment++) {
      for (let changes = random.below(3); changes > 0; changes--) listed = changed(listed, random);
      replace([...listed].toSorted());
      t.clock.now += random.below(2) * SECOND;
      const way = WAYS[random.below(WAYS.length)]!;
      if (!(await bouncer.poll(way))) continue;
      const enforced = bouncer.enforcing.values().toSorted();
      const expected = [...listed].toSorted();
      if (enforced.join() !== expected.join())
        return `seed ${seed}, moment ${moment} (${way}): ${enforced.join()} instead of ${expected.join()}`;
    }
    return undefined;
  } finally {
    bouncer.close();
  }
}

function changed(listed: ReadonlySet<string>, random: Random): Set<string> {
  const next = new Set(listed);
  const prefix = `198.51.100.${random.below(12)}`;
  if (!next.delete(prefix)) next.add(prefix);
  return next;
}

const MOMENTS = rounds({ short: 150, long: 2500 });
const CLIENTS = [() => new SetsByScenario(), () => new OneSet()] as const;

test("whatever bouncers read of a response, and however they leave, they enforce the list afterwards", async () => {
  for (const [at, make] of CLIENTS.entries())
    for (const seed of [1, 2]) assert.equal(await differenceIn(MOMENTS, 10 * at + seed, make), undefined);
});

/** Runs with a store that forgets. */
async function withStore(change: (store: Store) => Partial<Store>, run: () => Promise<void>): Promise<void> {
  const { store } = t.server;
  const { read, record } = store;
  Object.assign(store, change(store));
  await run().finally(() => Object.assign(store, { read, record }));
}

test("negative control: a server that takes what may have arrived as arrived is noticed", async () => {
  const believes = (store: Store): Partial<Store> => {
    const read = store.read.bind(store) as (...args: any[]) => Promise<any>;
    return {
      read: (async (name: string, ...args: any[]) => {
        const found = await read(name, ...args);
        return name === "bouncerState" && found !== null ? { ...found, doubt: null } : found;
      }) as Store["read"],
    };
  };
  await withStore(believes, async () => {
    const difference = await differenceIn(300, 3, CLIENTS[0]);
    assert.match(String(difference), /instead of/);
  });
});
