/** S9: external lists are fetched a few at a time, and organisations take turns, whatever their hosts do. */
import assert from "node:assert/strict";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { afterEach, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { FairTurns } from "../../src/service/fair-turns.ts";
import { HeldLease } from "../../src/service/store/held-lease.ts";
import { rounds } from "../rounds.ts";
import { until } from "../until.ts";
import { addKey, addOrganisation, ask, startServer, type TestServer, useStores } from "./start-server.ts";

const SEED = 20_261_127;
const ROUNDS = rounds({ short: 1, long: 20 });
const AT_ONCE = 4;

interface Held {
  readonly owner: number;
  readonly path: string;
  readonly response: ServerResponse;
}

/** Hosts that respond when they are told to, and count who is being asked and who waits. */
class Publisher {
  readonly held: Held[] = [];
  /** Paths of lists that have not been requested yet, by their organisation. */
  readonly waiting = new Map<number, Set<string>>();
  readonly #waited = new Map<number, number>();
  mostHeld = 0;
  /** By one organisation. */
  mostEach = 0;
  longestWait = 0;
  requests = 0;
  readonly #servers: Server[] = [];

  #take(request: IncomingMessage, response: ServerResponse): void {
    const path = request.url!;
    const owner = Number(path.split("/")[1]);
    this.requests++;
    this.#turnOf(owner, path);
    this.held.push({ owner, path, response });
    response.once("close", () => this.held.splice(0, Infinity, ...this.held.filter((each) => each.path !== path)));
    this.mostHeld = Math.max(this.mostHeld, this.held.length);
    this.mostEach = Math.max(this.mostEach, this.held.filter((each) => each.owner === owner).length);
  }

  async listen(): Promise<string> {
    const server = createServer((request, response) => this.#take(request, response));
    this.#servers.push(server);
    await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  }

  close(): void {
    for (const server of this.#servers) {
      server.closeAllConnections();
      server.close();
    }
  }

  add(owner: number, path: string): void {
    this.waiting.set(owner, (this.waiting.get(owner) ?? new Set()).add(path));
  }

  get isDone(): boolean {
    return this.waiting.values().every((each) => each.size === 0);
  }

  #turnOf(owner: number, path: string): void {
    this.waiting.get(owner)!.delete(path);
    for (const [other, { size }] of this.waiting)
      this.#waited.set(other, other === owner || size === 0 ? 0 : (this.#waited.get(other) ?? 0) + 1);
    this.longestWait = Math.max(this.longestWait, ...this.#waited.values());
  }
}

const ENDINGS: readonly ((response: ServerResponse) => void)[] = [
  (response) => response.end("192.0.2.0/24\n"),
  (response) => response.writeHead(500).end(),
  (response) => response.end("<html>"),
  (response) => response.destroy(),
];

interface Round {
  readonly servers: readonly TestServer[];
  readonly publisher: Publisher;
  readonly organisations: number;
  readonly isHanging: boolean;
  /** Whether all lists are at one host. */
  readonly isOneHost: boolean;
  readonly seed: number;
}

/** The first organisation has many lists; all of them hang, or all hosts respond in some way at some time. */
async function runRound({ servers, publisher, organisations, isHanging, isOneHost, seed }: Round): Promise<void> {
  let state = seed;
  const random = (below: number): number => ((state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0) >>> 8) % below;
  const [first] = servers as [TestServer];
  const refreshed: Promise<unknown>[] = [];
  const lists: { id: string; key: string }[] = [];
  const host = await publisher.listen();
  for (let owner = 0; owner < organisations; owner++) {
    const { text: key } = await addKey(first, await addOrganisation(first, `${seed} ${owner}`));
    const count = owner === 0 ? 18 + random(22) : 1 + random(4);
    for (let i = 0; i < count; i++) {
      const path = `/${owner}/${i}`;
      publisher.add(owner, path);
      const body = { name: `list ${i}`, url: (isOneHost ? host : await publisher.listen()) + path, schedule: "24h" };
      const { body: made, status, text } = await ask(first, "POST", "/v1/edl/lists/", { key, body });
      assert.equal(status, 201, text);
      lists.push({ id: made.id, key });
    }
  }
  const isOver = (): boolean =>
    isHanging
      ? [...publisher.waiting].every(([owner, { size }]) => owner === 0 || size === 0)
      : publisher.isDone && publisher.held.length === 0;
  await until(
    "all lists that can be fetched have been",
    async () => {
      const able = publisher.held.filter(({ owner }) => !isHanging || owner > 0);
      if (able.length > 0) ENDINGS[random(ENDINGS.length)]!(able[random(able.length)]!.response);
      if (random(50) === 0) {
        const { id, key } = lists[random(lists.length)]!;
        const server = servers[random(servers.length)]!;
        refreshed.push(ask(server, "POST", `/v1/edl/lists/${id}:refresh`, { key, body: {} }).catch(() => undefined));
      }
      await sleep(1);
      return isOver();
    },
    { every: 1 },
  );
}

let publisher: Publisher;
let servers: TestServer[] = [];
afterEach(async () => {
  publisher.close();
  for (const each of servers) await each.close();
  servers = [];
});

async function start(count: number): Promise<void> {
  publisher = new Publisher();
  const settings = { outboundAllow: "127.0.0.1", perMinute: 1e9, failuresPerMinute: 1e9, logLevel: "silent" } as const;
  let file: string | undefined;
  useStores(async (folder) => ({ file: (file ??= join(folder, "store.db")) }));
  for (let i = 0; i < count; i++) servers.push(await startServer(settings));
}

for (let round = 0; round < ROUNDS; round++) {
  const seed = SEED + round;
  const organisations = 2 + (seed % 4);
  const isOneHost = round % 2 === 1;

  test(`seed ${seed}: an organisation whose hosts hang leaves a turn to the others`, async (c) => {
    await start(1);
    await runRound({ servers, publisher, organisations, isHanging: true, isOneHost, seed });
    c.diagnostic(
      `${publisher.requests} requests, ${publisher.mostHeld} at once, ${publisher.longestWait} turns waited`,
    );
    assert.ok(publisher.mostHeld <= AT_ONCE, `${publisher.mostHeld} at once`);
    assert.ok(publisher.mostEach < AT_ONCE, `${publisher.mostEach} of one organisation`);
    assert.ok(publisher.longestWait <= organisations + AT_ONCE, `${publisher.longestWait} turns`);
  });

  test(`seed ${seed}: two servers share the turns`, async (c) => {
    await start(2);
    await runRound({ servers, publisher, organisations, isHanging: false, isOneHost, seed });
    c.diagnostic(
      `${publisher.requests} requests, ${publisher.mostHeld} at once, ${publisher.longestWait} turns waited`,
    );
    assert.ok(publisher.mostHeld <= AT_ONCE, `${publisher.mostHeld} at once`);
    assert.ok(publisher.mostEach < AT_ONCE, `${publisher.mostEach} of one organisation`);
    assert.ok(publisher.longestWait <= 2 * organisations + AT_ONCE, `${publisher.longestWait} turns`);
  });
}

interface Customer {
  readonly key: string;
  readonly owner: number;
}

async function addList(host: string, { key, owner }: Customer, name: string): Promise<string> {
  const path = `/${owner}/${name}`;
  publisher.add(owner, path);
  const body = { name, url: host + path, schedule: "24h" };
  const { body: made, status, text } = await ask(servers[0]!, "POST", "/v1/edl/lists/", { key, body });
  assert.equal(status, 201, text);
  return made.id;
}

for (const [what, count] of [
  ["one server", 1],
  ["two servers of one database", 2],
] as const)
  test(`${what}: beside 20 lists whose host never ends its answers, a list at the same host is fetched at once`, async (context) => {
    await start(count);
    const [slow, other] = await Promise.all(
      ["slow", "other"].map(async (name, owner) => {
        const organisation = await addOrganisation(servers[0]!, name);
        return { owner, key: (await addKey(servers[0]!, organisation)).text };
      }),
    );
    const host = await publisher.listen();
    const open = () => publisher.held.filter(({ owner }) => owner === 0).map(({ path }) => path);
    for (let i = 0; i < 20; i++) await addList(host, slow!, `slow ${i}`);
    await until("the slow ones have the turns of their organisation", () => open().length === AT_ONCE - 1);
    const before = open();
    // A host that is silent for long would lose its turn.
    const drip = setInterval(() => {
      for (const { owner, response } of publisher.held) if (owner === 0) response.write("#\n");
    }, 1000);
    context.after(() => clearInterval(drip));

    for (const name of ["first", "second"]) {
      const id = await addList(host, other!, name);
      const fetching = () => publisher.held.find(({ owner }) => owner === 1);
      await until(`${name} is requested`, () => fetching() !== undefined);
      fetching()!.response.end("192.0.2.0/24\n");
      const state = async () =>
        (await ask(servers[0]!, "GET", `/v1/edl/lists/${id}`, { key: other!.key })).body.state as string;
      await until(`${name} is ok`, async () => (await state()) === "ok");
      assert.deepEqual(open(), before);

      // Until its turn has ended on the other server, or if it joins the fetch before, it is sent again.
      const refreshed: Promise<unknown>[] = [];
      const refresh = () => ask(servers.at(-1)!, "POST", `/v1/edl/lists/${id}:refresh`, { key: other!.key, body: {} });
      const isRequested = () => fetching() !== undefined;
      await until(`${name} is requested again`, async () => {
        const sent = refresh();
        refreshed.push(sent);
        await Promise.race([sent, until("the request", isRequested)]);
        return isRequested();
      });
      fetching()!.response.end("192.0.2.0/24\n");
      await Promise.all(refreshed);
      assert.deepEqual(open(), before);
    }
    assert.equal(publisher.mostEach, AT_ONCE - 1);
    assert.equal(publisher.mostHeld, AT_ONCE);
  });

test("negative control: in the order of their creation, the lists of one organisation keep the others waiting", async (c) => {
  c.mock.method(FairTurns.prototype, "next", (waiting: Iterable<string>) => [...waiting].at(0));
  c.mock.method(HeldLease, "take", async () => ({ release: async () => {} }));
  await start(1);
  await runRound({ servers, publisher, organisations: 3, isHanging: false, isOneHost: false, seed: SEED });
  assert.ok(publisher.longestWait > 3 + AT_ONCE, `${publisher.longestWait} turns`);
});
